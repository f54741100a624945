#include "amg/slow_solve.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "amg/tentative.hpp"
#include "core/errors.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

/// Of matrices from finite elements up to 0.16 with their own unknowns a node, from 0.27 on with others.
constexpr double most_defect_of_nodes = 0.2;

/// ‖A B_j‖ / ‖|A| |B_j|‖ of the worst of the constants of a node.
template <class T, MemorySpace S>
double constants_defect(Context<S>& ctx, const Operator<T, S>& A, Index block_size) {
  FatVector<T, S> constants(ctx, A.rows(), block_size);
  fill_constant_candidates<T>(ctx, constants);
  const CandidateImages<T, S> of(ctx, A, std::as_const(constants));
  const std::vector<double> images = norms<double>(ctx, of.images);
  const std::vector<double> magnitudes = norms<T>(ctx, of.magnitudes);
  double worst = 0.0;
  for (std::size_t j = 0; j < images.size(); ++j) {
    worst = std::max(worst, magnitudes[j] > 0.0 ? images[j] / magnitudes[j] : 0.0);
  }
  return worst;
}

}  // namespace

template <class T, MemorySpace S>
CandidateImages<T, S>::CandidateImages(Context<S>& ctx, const Operator<T, S>& A, FatView<const T, S> candidates)
    : images(ctx, A.rows(), candidates.columns), magnitudes(ctx, A.rows(), candidates.columns) {
  FatVector<T, S> zero(ctx, A.rows(), candidates.columns);
  fill<T>(ctx, T{0}, zero);
  A.judged_residual(ctx, std::as_const(zero), candidates, images, magnitudes);
}

template <class T, MemorySpace S>
std::optional<SlowSolve> look_at_slow_solve(Context<S>& ctx, const Operator<T, S>& A, Index block_size) try {
  ScopedTimer timer(ctx, "slow solve", 0);
  SlowSolve slow{.constants_defect = constants_defect(ctx, A, block_size), .node_size = block_size};
  if (block_size == 1) {
    for (const Index size : {2, 3}) {
      if (A.rows() % size == 0 && constants_defect(ctx, A, size) <= most_defect_of_nodes) {
        slow.node_size = size;
      }
    }
  }
  return slow;
} catch (const InterruptedError&) {
  return std::nullopt;
} catch (const OutOfMemoryError&) {
  return std::nullopt;
}

#define AMGSOLVE_INSTANTIATE(T, S)       \
  template struct CandidateImages<T, S>; \
  template std::optional<SlowSolve> look_at_slow_solve(Context<S>&, const Operator<T, S>&, Index);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
