#include "amg/shared_interpolation.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "amg/amalgamation.hpp"
#include "amg/coarsening_choices.hpp"
#include "amg/density_steps.hpp"
#include "amg/jacobi_matrix.hpp"
#include "amg/prolongator.hpp"
#include "amg/spectral_radius.hpp"
#include "amg/truncation.hpp"
#include "core/collectively.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/halo.hpp"
#include "dist/transpose.hpp"
#include "spmv/conversions.hpp"
#include "spmv/row_sample.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// What `entries` on this rank's part of those rows tell of all ranks' together. Collective.
template <class T, MemorySpace S>
double density_by(Context<S>& ctx, std::int64_t entries, const RowStrata& choice, const LocalMatrix<T, S>& A) {
  std::array<std::int64_t, 2> sums{entries, A.A.nnz()};
  ctx.communicator().sum_ranks({sums.data(), sums.size()});
  return static_cast<double>(sums[0]) / choice.count * static_cast<double>(choice.rows) / static_cast<double>(sums[1]);
}

/// See estimate_density(), whose rows these are.
template <class T, MemorySpace S>
double density_of(Context<S>& ctx, const LocalMatrix<T, S>& R, const LocalMatrix<T, S>& A, const LocalMatrix<T, S>& P,
                  Index candidates) {
  const Communicator& communicator = ctx.communicator();
  const Partition& coarse = P.layout->partition();
  const RowStrata choice = density_sample(coarse.rows(), candidates);
  std::vector<Index> chosen;
  for (Index stratum = 0; stratum < choice.count; ++stratum) {
    const std::int64_t row = choice.row(stratum) - coarse.first(communicator.rank());
    if (row >= 0 && row < R.A.rows) {
      chosen.push_back(static_cast<Index>(row));
    }
  }
  GlobalRows<T, S> sampled;
  collectively(communicator, [&] {
    const Buffer<Index, S> rows = upload(ctx, Span<const Index, Host>(chosen.data(), chosen.size()));
    sampled = gather_rows<T, S>(ctx, R, rows.span());
  });
  const LocalMatrix<T, S> sample = to_local(ctx, A.layout->partition(), std::move(sampled));
  const NarrowOperands<T, S> first = narrow_operands(ctx, sample, A);
  const NarrowOperands<T, S> second = narrow_operands(ctx, first.B, P, true);
  std::int64_t entries = 0;
  collectively(communicator, [&] {
    if (first.A.rows > 0) {
      entries = count_product_entries(ctx, ref_of(first.A), ref_of(second.A), ref_of(second.B.A), second.B.A.cols,
                                      SampledRows({first.A.rows, first.A.rows}));
    }
  });
  return density_by(ctx, entries, choice, A);
}

/// At least that, and hardly more, since few rows of the coarse matrix cross borders: what ranks' own rows of A make of
/// such a row counts on each of them. Takes no messages beside those of the product A P.
/// @param R        of P, whose window of_R is
/// @param P        by second_factor()
template <class T, MemorySpace S>
double density_bound(Context<S>& ctx, const TransposedStrip<T, S>& R, const Layout<S>& of_R, const LocalMatrix<T, S>& A,
                     const SecondFactor<T, S>& P, Index candidates) {
  const RowStrata choice = density_sample(of_R.partition().rows(), candidates);
  const auto entries_of = [&](const CsrMatrix<T, S>& rows, const WindowColumns& at_hand, Index first_own) {
    return rows.rows > 0 ? count_product_entries(ctx, ref_of(rows), ref_of(A.A), ref_of(P.rows), P.rows.cols,
                                                 SampledRows(choice, at_hand), first_own)
                         : Offset{0};
  };
  WindowColumns own = of_R.window();
  WindowColumns ghosts = own;
  own.ghost_count = 0;
  own.first_own = 0;
  ghosts.own_rows = 0;
  std::int64_t entries = 0;
  collectively(ctx.communicator(),
               [&] { entries = entries_of(R.own.A, own, R.own.layout->first_own()) + entries_of(R.given, ghosts, 0); });
  return density_by(ctx, entries, choice, A);
}

}  // namespace

template <class T, MemorySpace S>
SharedInterpolator<T, S>::SharedInterpolator(Context<S>& ctx, const LocalMatrix<T, S>& A, Index block_size,
                                             const CsrMatrix<T, S>& filtered, const SharedAggregates<S>& aggregates,
                                             SharedTentative<T, S>& tentative, const DensityLimits& limits,
                                             const AmgOptions& options)
    : ctx_(ctx),
      A_(A),
      layout_(*A_.layout),
      block_size_(block_size),
      is_filtered_(ctx.communicator().max(filtered.rows) > 0),  // a rank may have no rows
      smoothing_(borrow(A_.A)),
      aggregates_(aggregates),
      tentative_(tentative),
      candidates_(tentative.basis.columns()),
      limits_(limits),
      options_(options) {
  spgemm_.margins = margins_for(layout_);
  if (is_filtered_) {
    collectively(ctx.communicator(), [&] { smoothing_ = strip_of(ctx, borrow(filtered), layout_); });
  }
}

template <class T, MemorySpace S>
void SharedInterpolator<T, S>::form(double rho, int wanted_steps) {
  if (is_filtered_ || wanted_steps == 2) {
    collectively(ctx_.communicator(), [&] { diagonal_ = diagonal_of(ctx_, smoothing_, layout_.first_own()); });
  }
  rho_ = is_filtered_ ? radius_of_filtered() : rho;
  form_below_density_limit(
      wanted_steps, can_truncate(candidates_, block_size_), limits_, options_, [&](int wanted) { smooth(wanted); },
      [&] { return density(); }, [&](double q) { truncate(q); });
}

template <class T, MemorySpace S>
double SharedInterpolator<T, S>::density() {
  const std::shared_ptr<const Layout<S>> of_R = P.layout;  // the factor's has more ghosts
  TransposedStrip<T, S> transposed = transpose_strip(ctx_, P, layout_.partition());
  if (!factor) {
    factor = second_factor(ctx_, A_, P, *transposed.own.layout);
  }
  ScopedTimer timer(ctx_, "density");
  const double bound = density_bound(ctx_, transposed, *of_R, A_, *factor, candidates_);
  R = std::move(transposed.own);
  return bound > limits_.wanted ? density_of(ctx_, R, A_, P, candidates_) : bound;
}

template <class T, MemorySpace S>
void SharedInterpolator<T, S>::complete() {
  if (R.layout == nullptr) {
    R = transpose(ctx_, P, layout_.partition());
  }
  if (!factor) {
    factor = second_factor(ctx_, A_, P, *R.layout);
  }
}

template <class T, MemorySpace S>
double SharedInterpolator<T, S>::radius_of_filtered() {
  const Operator<T, S> filtered(ctx_, borrow(smoothing_), Storage::csr, std::make_shared<Halo<T, S>>(A_.layout));
  return spectral_radius<T>(ctx_, filtered, std::as_const(diagonal_).span(), options_.spectral_radius_steps,
                            layout_.first_row());
}

template <class T, MemorySpace S>
void SharedInterpolator<T, S>::smooth(int wanted) {
  steps = wanted;
  form_first(damping_step<T>(first_damping(wanted, options_), rho_));
  if (wanted == 2) {
    LocalMatrix<T, S> second{{}, A_.layout};
    collectively(ctx_.communicator(), [&] {
      second.A = jacobi_matrix(ctx_, smoothing_, diagonal_.span(), damping_step<T>(1.0 / chebyshev_roots[1], rho_),
                               layout_.first_own());
    });
    P = multiply(ctx_, second, P, spgemm_);
  }
}

template <class T, MemorySpace S>
GhostRows<S> SharedInterpolator<T, S>::foreign_aggregates() {
  const Span<const Index, S> of_node = aggregates_.of_node.span();
  const auto first_own = static_cast<std::size_t>(layout_.first_own() / block_size_);
  const std::size_t behind = first_own + static_cast<std::size_t>(layout_.own_rows() / block_size_);
  return foreign_rows<Index, S>(ctx_,
                                {of_node.subspan(0, first_own), std::as_const(tentative_.away).span(),
                                 of_node.subspan(behind, of_node.size() - behind)},
                                aggregates_.partition);
}

template <class T, MemorySpace S>
void SharedInterpolator<T, S>::form_first(T damping) {
  const Communicator& communicator = ctx_.communicator();
  const Partition& coarse = aggregates_.partition;
  GhostRows<S> ghosts;
  collectively(communicator, [&] { ghosts = foreign_aggregates(); });
  const bool connects = steps == 1;  // else a product gives P another window
  const auto of_aggregates = std::make_shared<const Layout<S>>(
      connects && candidates_ == 1 ? Layout<S>(ctx_, coarse, std::move(ghosts))
                                   : Layout<S>::unconnected(ctx_, coarse, std::move(ghosts)));
  P.layout = layout_of_unknowns(ctx_, of_aggregates, candidates_, connects);
  collectively(communicator, [&] {
    Aggregates<S> local{of_aggregates->columns(), Buffer<Index, S>(ctx_, aggregates_.of_node.size())};
    columns_of<S>(ctx_, *of_aggregates, aggregates_.of_node.span(), local.of_node.span());
    Tentative<T, S> tentative{std::move(tentative_.basis), MultiVector<T, S>(ctx_, P.layout->columns(), candidates_)};
    P.A = smoothed_prolongator<T>(ctx_, smoothing_, nullptr, local, block_size_, tentative, damping,
                                  {layout_.first_own(), spgemm_.margins});
    tentative_.basis = std::move(tentative.basis);
  });
  forget_what_is_made_of_P();
}

template <class T, MemorySpace S>
void SharedInterpolator<T, S>::truncate(double q) {
  const double share =
      candidates_ > 1 ? share_of_blocks(ctx_, square_of(ctx_, A_), candidates_, ctx_.communicator()) : 1.0;
  if (share * q <= limits_.wanted) {
    return;
  }
  const CsrMatrix<T, S> whole = std::move(P.A);
  truncate_to_limit(
      share * q, limits_, [&](double tolerance) { leave(whole, tolerance); },
      [&] { return share * density_of(ctx_, R, A_, P, candidates_); });
}

template <class T, MemorySpace S>
void SharedInterpolator<T, S>::leave(const CsrMatrix<T, S>& whole, double tolerance) {
  truncation = tolerance;
  const Buffer<T, S> candidates =
      window_of<T, S>(ctx_, *P.layout, tentative_.coarse_candidates.view().span(), candidates_);
  P.A = {};
  collectively(ctx_.communicator(), [&] {
    P.A = truncate_prolongator<T>(ctx_, whole, {candidates.data(), whole.cols, candidates_}, tolerance);
  });
  forget_what_is_made_of_P();
  R = transpose(ctx_, P, layout_.partition());
}

template <class T, MemorySpace S>
void SharedInterpolator<T, S>::forget_what_is_made_of_P() {
  R = {};
  factor.reset();
}

#define AMGSOLVE_INSTANTIATE(T, S) template class SharedInterpolator<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
