#pragma once

#include "core/types.hpp"

/// Constants of the sparse products that trade one resource of a GPU for another: chosen for an H200 (132
/// multiprocessors, 228 kB of shared memory each). Where a benchmark has confirmed one, its comment says so.
namespace amgsolve::tuning {

/// esc: products formed at a time, at least, however little memory is free: a slice that keeps the GPU busy.
inline constexpr Offset esc_least_slice = Offset{1} << 20;

/// esc_fused: rows of C that it forms at most. Every block of its second kernel reads the counts of all rows before its
/// own: 16384 of them take some microseconds.
inline constexpr Index fused_rows = 16384;

/// esc_fused: entries of C that there is room for, over all rows, before any is counted: 25 MB in double, which no
/// multiprocessor ever touches where rows are short.
inline constexpr Offset fused_room = Offset{1} << 21;

/// thin: columns that a warp accumulates at a time, a multiple of 32: in double, 4.6 kB of shared memory a warp leave
/// room for 48 warps a multiprocessor.
inline constexpr Index thin_columns = 512;

/// thin: products of a row, times the chunks of columns it may be read for, that a warp works through: more would keep
/// a warp busy for milliseconds.
inline constexpr Offset thin_most_products = Offset{1} << 16;

}  // namespace amgsolve::tuning
