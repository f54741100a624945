#pragma once

#include <optional>

#include "amg/result.hpp"
#include "core/context.hpp"
#include "spmv/fat_vector.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {

/// A solve of as many iterations is slow.
inline constexpr int slow_iterations = 100;

/// A B for candidates B, and |A| |B|, which its size is relative to.
template <class T, MemorySpace S>
struct CandidateImages {
  CandidateImages(Context<S>& ctx, const Operator<T, S>& A, FatView<const T, S> candidates);

  FatVector<double, S> images;
  FatVector<T, S> magnitudes;
};

/// Looks at the A of a slow solve whose candidates were the constants of block_size unknowns a node. A product for
/// those, and two more where a node is said to be one unknown; 32 bytes of scratch for each of 1 to 3 vectors and each
/// row. Synchronises. Phase: "slow solve". Nothing where that is interrupted or there is no memory for it: the solve is
/// over.
template <class T, MemorySpace S>
std::optional<SlowSolve> look_at_slow_solve(Context<S>& ctx, const Operator<T, S>& A, Index block_size);

}  // namespace amgsolve
