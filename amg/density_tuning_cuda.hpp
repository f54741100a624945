#pragma once

/// What the estimate of a coarse matrix's density trades one resource of a GPU for another by; all of it fits any GPU.
namespace amgsolve::density {

/// Few rows are counted, so a block has as many threads as there can be.
inline constexpr int block_threads = 1024;

/// 32-bit words in which a block marks columns: 48 kB, which any device grants.
inline constexpr int most_words = 12 * 1024;

}  // namespace amgsolve::density
