#include "amg/constants_check.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "amg/candidate_images.hpp"
#include "amg/diagonal.hpp"
#include "amg/tentative.hpp"
#include "amg/unknown_order.hpp"
#include "core/copy.hpp"
#include "core/errors.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

/// Of matrices from finite elements up to 0.16 with their own unknowns a node, from 0.27 on with others.
constexpr double most_defect_of_nodes = 0.2;

/// The same relative to the defect of one constant for all rows, the sum of those of nodes: elastic bodies and shells
/// have 1 to 2.4, one unknown a node 10 and more where its one constant has little.
constexpr double most_excess_of_nodes = 4.0;

/// ‖A B_j‖ / ‖|A| |B_j|‖ of the worst candidate.
template <class T, MemorySpace S>
double defect_of(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> candidates) {
  const CandidateImages<T, S> of(ctx, A, candidates);
  const std::vector<double> images = norms<double>(ctx, of.images);
  const std::vector<double> magnitudes = norms<T>(ctx, of.magnitudes);
  double worst = 0.0;
  for (std::size_t j = 0; j < images.size(); ++j) {
    worst = std::max(worst, magnitudes[j] > 0.0 ? images[j] / magnitudes[j] : 0.0);
  }
  return worst;
}

template <class T, MemorySpace S>
MultiVector<T, S> constants_of(Context<S>& ctx, Index rows, Index block_size, Numbering numbering) {
  MultiVector<T, S> by_node(ctx, rows, block_size);
  fill_constant_candidates<T>(ctx, by_node);
  if (numbering == Numbering::by_node) {
    return by_node;
  }
  MultiVector<T, S> by_field(ctx, rows, block_size);
  order_by_field<T>(ctx, std::as_const(by_node), block_size, by_field);
  return by_field;
}

/// Where a_ii is negative −a_ii counts.
template <class T, MemorySpace S>
double scaled_defect(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> constants) {
  const auto rows = static_cast<std::size_t>(A.rows());
  Buffer<T, S> scale(ctx, rows);
  const MultiVectorView<T, S> all(scale.data(), A.rows());
  A.extract_diagonal(ctx, scale);
  if (element(ctx, scale.span(), 0) < T{0}) {
    axpby<T>(ctx, T{-1}, all, T{0}, all);
  }
  invert_diagonal<T>(ctx, std::as_const(scale).span(), true, scale);
  MultiVector<T, S> scaled(ctx, constants.rows, constants.columns);
  scale_rows<T>(ctx, std::as_const(scale).span(), constants, scaled);
  return defect_of(ctx, A, std::as_const(scaled).view());
}

}  // namespace

template <class T, MemorySpace S>
std::optional<ConstantsCheck> check_constants(Context<S>& ctx, const Operator<T, S>& A, Index block_size,
                                              Numbering numbering) try {
  ScopedTimer timer(ctx, "constants check", 0);
  const MultiVector<T, S> constants = constants_of<T>(ctx, A.rows(), block_size, numbering);
  ConstantsCheck check{.defect = defect_of(ctx, A, constants.view()),
                       .scaled_defect = scaled_defect(ctx, A, constants.view()),
                       .block_size = block_size,
                       .node_size = block_size};
  if (block_size == 1) {
    for (const Index size : {2, 3}) {
      if (A.rows() % size == 0 && defect_of<T, S>(ctx, A, constants_of<T>(ctx, A.rows(), size, numbering)) <=
                                      std::min(most_defect_of_nodes, most_excess_of_nodes * check.defect)) {
        check.node_size = size;
      }
    }
  }
  return check;
} catch (const OutOfMemoryError&) {
  return std::nullopt;
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template std::optional<ConstantsCheck> check_constants(Context<S>&, const Operator<T, S>&, Index, Numbering);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
