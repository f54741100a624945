#include "amg/level_couplings.hpp"

#include <functional>
#include <optional>
#include <utility>

#include "amg/amalgamation.hpp"
#include "amg/block_couplings.hpp"
#include "amg/strength.hpp"
#include "core/collectively.hpp"
#include "core/instantiate.hpp"
#include "dist/halo.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// Of nodes of several unknowns or candidates by the signed measure; empty where that does not serve them.
template <class T, MemorySpace S>
std::optional<LevelCouplings<T, S>> find_block_couplings(Context<S>& ctx, const CsrMatrix<T, S>& M,
                                                         MultiVectorView<const T, S> near_nullspace, Index block_size,
                                                         int level, CouplingKind finer, const AmgOptions& options,
                                                         const Layout<S>* window) {
  const Communicator& ranks = ranks_of(ctx, window);
  const std::int64_t nodes = window != nullptr ? window->partition().rows() : M.rows / block_size;
  LevelCouplings<T, S> result{{}, finer, true, options.filter.value_or(true)};
  Couplings<T, S>& couplings = result.couplings;
  const auto find = [&](double threshold) {
    couplings = {};
    couplings = strong_block_couplings(ctx, M, near_nullspace, block_size, threshold, result.filters, window);
  };
  find(first_threshold(level, finer, options));
  const std::int64_t neighbours = ranks.sum(static_cast<std::int64_t>(couplings.strong.col_indices.size()));
  if (!is_signed_measure(static_cast<double>(neighbours), static_cast<double>(nodes), options)) {
    return std::nullopt;
  }
  if (!options.filter && couplings.dropped_weight <= least_block_weight) {
    couplings.filtered = {};
    couplings.kept_blocks = {};
    couplings.dropped_weight = 0.0;
    result.filters = false;
  }
  result.kind = coupling_kind(level, finer, couplings.dropped_weight, couplings.one_sided_share);
  if (const std::optional<double> threshold = second_threshold(level, result.kind, options)) {
    find(*threshold);
  }
  return result;
}

}  // namespace

template <class T, MemorySpace S>
LevelCouplings<T, S> find_symmetric_couplings(Context<S>& ctx, const CsrMatrix<T, S>& M,
                                              std::type_identity_t<Span<const T, S>> diagonal, Index block_size,
                                              const AmgOptions& options,
                                              std::type_identity_t<const Layout<S>*> window) {
  const Communicator& ranks = ranks_of(ctx, window);
  LevelCouplings<T, S> result{{}, CouplingKind::plain, false, options.filter.value_or(false)};
  result.couplings.threshold = options.strength.threshold.value_or(symmetric_threshold);
  CsrMatrix<T, S> norms;
  Buffer<T, S> of_window;
  if (block_size > 1) {
    collectively(ranks, [&] {
      norms = amalgamate(ctx, M, block_size);
      of_window = diagonal_of(ctx, norms);
    });
    if (window != nullptr) {
      exchange_ghosts<T, S>(ctx, *window, {of_window.data(), norms.rows});
    }
    diagonal = std::as_const(of_window).span();
  } else if (window != nullptr) {
    of_window = window_of<T, S>(ctx, *window, diagonal);
    diagonal = std::as_const(of_window).span();
  }
  collectively(ranks, [&] {
    Graph<S>& strong = result.couplings.strong;
    strong = strength_graph<T>(ctx, block_size > 1 ? norms : M, diagonal, result.couplings.threshold);
    if (window != nullptr) {
      strong.first_node = window->first_row() - window->first_own();
    }
  });
  return result;
}

template <class T, MemorySpace S>
LevelCouplings<T, S> find_couplings(Context<S>& ctx, const CsrMatrix<T, S>& M,
                                    std::type_identity_t<Span<const T, S>> diagonal,
                                    std::type_identity_t<MultiVectorView<const T, S>> near_nullspace, Index block_size,
                                    int level, CouplingKind finer, const AmgOptions& options,
                                    std::type_identity_t<const Layout<S>*> window) {
  const bool takes_signed =
      near_nullspace.columns >= block_size && options.strength.measure != StrengthMeasure::symmetric;
  std::optional<LevelCouplings<T, S>> found;
  if (takes_signed && (block_size > 1 || near_nullspace.columns > 1)) {
    found = find_block_couplings<T, S>(ctx, M, near_nullspace, block_size, level, finer, options, window);
  } else if (takes_signed) {
    const bool filters = options.filter.value_or(true);
    CouplingJudge judge(level, finer, options);
    Couplings<T, S> couplings =
        strong_couplings(ctx, M, diagonal, near_nullspace.span(), first_threshold(level, finer, options), filters,
                         window, std::ref(judge));
    if (judge.is_signed()) {
      found = {std::move(couplings), judge.kind(), true, filters};
    }
  }
  return found ? *std::move(found) : find_symmetric_couplings<T, S>(ctx, M, diagonal, block_size, options, window);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                     \
  template LevelCouplings<T, S> find_symmetric_couplings(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, Index, \
                                                         const AmgOptions&, const Layout<S>*);                         \
  template LevelCouplings<T, S> find_couplings(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>,                  \
                                               MultiVectorView<const T, S>, Index, int, CouplingKind,                  \
                                               const AmgOptions&, const Layout<S>*);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
