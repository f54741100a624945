#include "amg/couplings.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "amg/couplings_steps.hpp"
#include "core/algorithms.hpp"
#include "core/collectively.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "dist/halo.hpp"

namespace amgsolve {
namespace {

double share_of(std::int64_t one_sided, std::int64_t weak, std::int64_t rows) {
  const auto count = static_cast<double>(one_sided);
  return count >= few_one_sided * static_cast<double>(rows) && weak > 0 ? count / static_cast<double>(weak) : 0.0;
}

}  // namespace

template <class T, MemorySpace S>
Couplings<T, S> strong_couplings(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                 std::type_identity_t<Span<const T, S>> diagonal,
                                 std::type_identity_t<Span<const T, S>> candidate, double threshold, bool filter,
                                 std::type_identity_t<const Layout<S>*> window, const SecondThreshold& second) {
  const Communicator& ranks = ranks_of(ctx, window);
  const auto n = static_cast<std::size_t>(A.rows);
  const Index own_rows = window != nullptr ? window->own_rows() : A.rows;
  const Index first_own = window != nullptr ? window->first_own() : 0;
  if (A.rows != A.cols || diagonal.size() != static_cast<std::size_t>(own_rows) ||
      candidate.size() != diagonal.size()) {
    throw std::invalid_argument(
        format_text("couplings: a {} x {} matrix, a diagonal of {} and a candidate of {} entries", A.rows, A.cols,
                    diagonal.size(), candidate.size()));
  }
  const std::int64_t rows = window != nullptr ? window->partition().rows() : A.rows;
  WorkspaceScope<S> scope(ctx.workspace());
  CouplingTest<T> test{nullptr, static_cast<T>(threshold), filter};
  CouplingVerdicts<T> verdicts{};
  Buffer<std::uint8_t, S> of_entries;  // no scratch, which stays as large as it once was
  Span<Index, S> weights;
  Buffer<Offset, S> kept_offsets;
  Couplings<T, S> result;
  collectively(ranks, [&] {
    test.scales = scope.template take<RowScales<T>>(n).data();
    weights = scope.template take<Index>(n);
    kept_offsets = Buffer<Offset, S>(ctx, n + 1);
    result.strong = {A.rows, Buffer<Offset, S>(ctx, n + 1), {}};
    of_entries = Buffer<std::uint8_t, S>(ctx, static_cast<std::size_t>(A.nnz()));
    verdicts = {of_entries.data(), result.strong.row_offsets.data() + 1, kept_offsets.data() + 1,
                scope.template take<T>(n).data(), weights.data()};
  });
  if (window != nullptr) {
    result.strong.first_node = window->first_row() - window->first_own();
  }
  const auto exchange_scales = [&] {
    if (window != nullptr) {
      constexpr auto columns = static_cast<Index>(sizeof(RowScales<T>) / sizeof(T));
      exchange_ghosts<T, S>(ctx, *window, {reinterpret_cast<T*>(test.scales), A.rows, columns});
    }
  };
  prepare_rows<T, S>(ctx, diagonal, candidate, test, first_own);
  exchange_scales();
  measure_rows<T>(ctx, A, test);
  exchange_scales();

  Offset edges = 0;
  Offset kept = 0;
  bool drops = false;
  const auto count = [&](double theta) {
    result.threshold = theta;
    test.threshold = static_cast<T>(theta);
    judge_couplings<T>(ctx, A, diagonal, first_own, test, verdicts);
    edges = counts_to_offsets(ctx, result.strong.row_offsets);
    kept = filter ? counts_to_offsets(ctx, kept_offsets) : A.nnz();
    drops = ranks.max(A.nnz() - kept) > 0;
    if (drops) {
      const std::int64_t weak = A.nnz() - own_rows - edges;
      result.one_sided_share = share_of(ranks.sum(weak - (A.nnz() - kept)), ranks.sum(weak), rows);
      result.dropped_weight = static_cast<double>(ranks.sum(sum_and_max(ctx, weights).sum)) / whole_weight /
                              static_cast<double>(std::max(rows, std::int64_t{1}));
    }
  };
  count(threshold);
  if (second) {
    const CouplingSurvey survey{static_cast<double>(rows), static_cast<double>(ranks.sum(edges)), result.dropped_weight,
                                result.one_sided_share};
    if (const std::optional<double> other = second(survey)) {
      result.dropped_weight = 0.0;
      result.one_sided_share = 0.0;
      count(*other);
    }
  }
  collectively(ranks, [&] {
    result.strong.col_indices = Buffer<Index, S>(ctx, static_cast<std::size_t>(edges));
    if (drops) {
      result.filtered.rows = A.rows;
      result.filtered.cols = A.cols;
      result.filtered.row_offsets = std::move(kept_offsets);
      result.filtered.col_indices = Buffer<Index, S>(ctx, static_cast<std::size_t>(kept));
      result.filtered.values = Buffer<T, S>(ctx, static_cast<std::size_t>(kept));
    }
  });
  fill_couplings(ctx, A, verdicts, result);
  ctx.profile().add({.bytes = static_cast<std::int64_t>(3 * A.bytes() + 2 * static_cast<std::size_t>(A.nnz()) +
                                                        16 * n * sizeof(T) + result.strong.row_offsets.bytes() +
                                                        result.strong.col_indices.bytes() + result.filtered.bytes()),
                     .flops = 14 * A.nnz()});
  return result;
}

template <class T, MemorySpace S>
void refill_filtered(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<const T, S>> candidate,
                     CsrMatrix<T, S>& filtered) {
  if (filtered.rows != A.rows || candidate.size() != static_cast<std::size_t>(A.rows)) {
    throw std::invalid_argument(
        format_text("couplings: a matrix of {} rows, a filtered one of {} and a candidate of {}", A.rows, filtered.rows,
                    candidate.size()));
  }
  fill_filtered<T>(ctx, A, candidate, filtered);
  ctx.profile().add({.bytes = static_cast<std::int64_t>(A.bytes() + filtered.bytes() + candidate.size() * sizeof(T)),
                     .flops = 3 * (A.nnz() - filtered.nnz())});
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                     \
  template Couplings<T, S> strong_couplings(                                                           \
      Context<S>&, const CsrMatrix<T, S>&, std::type_identity_t<Span<const T, S>>,                     \
      std::type_identity_t<Span<const T, S>>, double, bool, const Layout<S>*, const SecondThreshold&); \
  template void refill_filtered(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
