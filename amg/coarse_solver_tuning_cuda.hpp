#pragma once

/// What the factor of the coarsest matrix trades one resource of a GPU for another by; all of it fits any GPU.
namespace amgsolve::coarse_factor {

/// Pivots of a panel: the more, the fewer launches, and the longer the sums that each pivot waits for.
inline constexpr int panel_width = 32;
inline constexpr int most_panel_threads = 1024;

/// Rows and columns of the tile that a block of tile_width × tile_rows threads updates.
inline constexpr int tile_width = 32;
inline constexpr int tile_rows = 8;

}  // namespace amgsolve::coarse_factor
