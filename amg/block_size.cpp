#include "amg/block_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "amg/block_size_steps.hpp"
#include "amg/tentative.hpp"
#include "core/algorithms.hpp"
#include "core/instantiate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/spmv.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// Structures: up to 1.3; discontinuous elements: 3 to 6.
constexpr double most_energy = 1.5;

/// What rounding may leave of zero, relative to the diagonal.
template <class T>
constexpr double no_energy = 64.0 * std::numeric_limits<T>::epsilon();

/// Part of the blocks that the entries of a sample fill.
template <class T, MemorySpace S>
double block_fill(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size) {
  const Index nodes = A.rows / block_size;
  const RowStrata choice = sampled_nodes(nodes);
  WorkspaceScope<S> scope(ctx.workspace());
  const auto blocks = scope.template take<Index>(static_cast<std::size_t>(choice.count));
  const auto entries = scope.template take<Index>(static_cast<std::size_t>(choice.count));
  detail::count_blocks_of_sample(ctx, A, block_size, choice, blocks, entries);
  const double touched = static_cast<double>(reduce_sum(ctx, blocks)) * block_size * block_size;
  return touched > 0.0 ? static_cast<double>(reduce_sum(ctx, entries)) / touched : 0.0;
}

template <class T, MemorySpace S>
double sum_of_products(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, Same<MultiVectorView<const T, S>> y) {
  Buffer<double, S> products(ctx, static_cast<std::size_t>(x.columns));
  dot<T>(ctx, x, y, products);
  std::vector<double> there(products.size());
  to_host(ctx, std::as_const(products).span(), there.data());
  return std::accumulate(there.begin(), there.end(), 0.0);
}

/// |Σ_c t_cᵀ A t_c| for that many t_c.
template <class T, MemorySpace S>
double energy_of_constants(Context<S>& ctx, const CsrMatrix<T, S>& A, Index columns) {
  MultiVector<T, S> t(ctx, A.rows, columns);
  MultiVector<T, S> product(ctx, A.rows, columns);
  fill_constant_candidates<T>(ctx, t);
  spmv(ctx, T{1}, A, std::as_const(t).view(), T{0}, product.view());
  return std::abs(sum_of_products<T>(ctx, std::as_const(t), std::as_const(product)));
}

/// Σ_i |a_ii| of a diagonal of one sign.
template <class T, MemorySpace S>
double trace(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  MultiVector<T, S> diagonal(ctx, A.rows);
  MultiVector<T, S> ones(ctx, A.rows);
  extract_diagonal<T>(ctx, A, diagonal.view().span());
  fill<T>(ctx, T{1}, ones);
  return std::abs(sum_of_products<T>(ctx, std::as_const(diagonal), std::as_const(ones)));
}

}  // namespace

template <class T, MemorySpace S>
Index find_block_size(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  std::optional<double> most;
  for (Index b = largest_node; b > 1; --b) {
    if (A.rows == 0 || A.rows % b != 0 || block_fill(ctx, A, b) < least_node_fill) {
      continue;
    }
    if (!most) {
      most = most_energy * energy_of_constants(ctx, A, 1) + no_energy<T> * trace(ctx, A);
    }
    if (energy_of_constants(ctx, A, b) <= *most) {
      return b;
    }
  }
  return 1;
}

#define AMGSOLVE_INSTANTIATE(T, S) template Index find_block_size(Context<S>&, const CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
