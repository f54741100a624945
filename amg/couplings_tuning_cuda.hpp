#pragma once

#include <cstdint>

/// How a GPU judges couplings and writes those that are kept; all of it fits any.
namespace amgsolve {

/// Entries of a row that a thread judges at a time: of 27 a row 8 by one lane take 2.6 ms of 229³ on an H200, 4
/// take 3.9, as eight lanes do with 2; of 7 a row 8 take 4.7 and 4 take 4.3 ms of 512³.
/// @tparam Lanes  that share the row
template <int Lanes>
inline constexpr int judged_at_once = Lanes == 1 ? 8 : 2;

/// As many entries a warp passes through where rows are that short: more leave warps too few, of fewer its first
/// offsets are a large part. Of 7 entries a row those of 64 rows, in 2.1 ms of 512³ on an H200; of 16 or 256 rows
/// in 2.6 and 2.4.
inline constexpr std::int64_t couplings_of_warp = 512;
inline constexpr std::int64_t most_coupling_rows_of_warp = 64;

/// Of these a thread has so many on their way at a time: 2 take 2.3 ms.
inline constexpr int couplings_at_once = 4;

}  // namespace amgsolve
