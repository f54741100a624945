#pragma once

#include "core/types.hpp"

/// What operations on vectors trade one resource of a GPU for another by; all of it fits any GPU.
namespace amgsolve::tuning {

/// Columns that a block of threads takes at once: they make up whole sectors, and as many blocks as there are tiles
/// share the rows of a multivector.
inline constexpr Index tile_columns = 8;

/// Rows of a thread that pay for the factor of its column.
inline constexpr int rows_per_thread = 4;

}  // namespace amgsolve::tuning
