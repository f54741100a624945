#pragma once

#include "core/types.hpp"

/// Limits between the algorithms that `auto` chooses from, where they take equally long on an H200.
namespace amgsolve::automatic {

/// Mean products of a row of C from which on thin forms it by blocks, for as many rows as occupy the GPU. On an H200
/// rows of 17 000 to 114 000 products take half as long as by hash, and 20 rows as long as by esc. Nor is esc taken for
/// as many rows where those of A are long: R (A P) of an elastic cube of 943 296 unknowns, with over 512 entries of R
/// and 280 of the product a row, takes 14 ms by hash, 48 by thin and 172 by esc, which sorts its products in 45 GB.
inline constexpr double thin_row_products = 4096;
inline constexpr Index thin_rows = 64;

/// Most products in all for esc_fused, which must also have few enough rows for it, of less than thin_row_products
/// each. On an H200 it takes 34 µs for 10 to 100 rows and 60 µs for a million products, where hash in one pass takes 54
/// and 85; for 3 million both take 110.
inline constexpr double fused_products = 2.5e6;

/// The longest row of B for row_merge, since a thread takes one entry at a time.
inline constexpr Index merge_longest_row = 32;

}  // namespace amgsolve::automatic
