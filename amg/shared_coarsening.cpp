#include "amg/shared_coarsening.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "amg/aggregation.hpp"
#include "amg/amalgamation.hpp"
#include "amg/coarsening_choices.hpp"
#include "amg/density_steps.hpp"
#include "amg/hubs.hpp"
#include "amg/jacobi_matrix.hpp"
#include "amg/level_couplings.hpp"
#include "amg/prolongator.hpp"
#include "amg/shared_tentative.hpp"
#include "amg/spectral_radius.hpp"
#include "amg/truncation.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/fetch_rows.hpp"
#include "dist/halo.hpp"
#include "dist/product.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/row_sample.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

template <class T, MemorySpace S>
Buffer<T, S> own_diagonal(Context<S>& ctx, const LocalMatrix<T, S>& A) {
  return diagonal_of(ctx, A.A, A.layout->first_own());
}

/// See square_of(). Collective.
template <class T, MemorySpace S>
CsrMatrix<T, S> shared_square(Context<S>& ctx, const LocalMatrix<T, S>& A) {
  CsrMatrix<T, S> square;
  collectively(ctx.communicator(), [&] { square = square_of(ctx, A.A, *A.layout); });
  return square;
}

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
/// @param strip     by transpose_strip(), of P
/// @param of_strip  the window of its rows
/// @param P         by second_factor()
template <class T, MemorySpace S>
double density_bound(Context<S>& ctx, const CsrMatrix<T, S>& strip, const Layout<S>& of_strip,
                     const LocalMatrix<T, S>& A, const SecondFactor<T, S>& P, Index candidates) {
  const RowStrata choice = density_sample(of_strip.partition().rows(), candidates);
  std::int64_t entries = 0;
  collectively(ctx.communicator(), [&] {
    if (strip.rows > 0) {
      entries = count_product_entries(ctx, ref_of(strip), ref_of(A.A), ref_of(P.rows), P.rows.cols,
                                      SampledRows(choice, of_strip.window()));
    }
  });
  return density_by(ctx, entries, choice, A);
}

/// The operands of the prolongator, and what is decided of it; see Interpolator.
template <class T, MemorySpace S>
class SharedInterpolator {
 public:
  /// @param filtered  A_F as strong_couplings() makes it of the window; of no rows on all ranks where A is not filtered
  SharedInterpolator(Context<S>& ctx, const NodeStrip<T, S>& A, Index block_size, const CsrMatrix<T, S>& filtered,
                     const SharedAggregates<S>& aggregates, SharedTentative<T, S>& tentative, const AmgOptions& options)
      : ctx_(ctx),
        A_(A.unknowns),
        layout_(*A_.layout),
        block_size_(block_size),
        is_filtered_(ctx.communicator().max(filtered.rows) > 0),  // a rank may have no rows
        smoothing_(borrow(A_.A)),
        aggregates_(aggregates),
        tentative_(tentative),
        candidates_(tentative.basis.columns()),
        options_(options) {
    spgemm_.margins = margins_for(layout_);
    if (is_filtered_) {
      collectively(ctx.communicator(), [&] { smoothing_ = strip_of(ctx, borrow(filtered), layout_); });
    }
  }

  /// @param rho  of A
  void form(double rho, int wanted_steps) {
    if (is_filtered_ || wanted_steps == 2) {
      collectively(ctx_.communicator(), [&] { diagonal_ = diagonal_of(ctx_, smoothing_, layout_.first_own()); });
    }
    rho_ = is_filtered_ ? radius_of_filtered() : rho;
    form_below_density_limit(
        wanted_steps, can_truncate(candidates_, block_size_), options_, [&](int wanted) { smooth(wanted); },
        [&] { return density(); }, [&](double q) { truncate(q); });
  }

  /// That of the coarse matrix; where it is surely no more than the limit, what it is at most.
  double density() {
    if (!factor) {
      factor = second_factor(ctx_, layout_, P);  // whose window serves R, too
    }
    const CsrMatrix<T, S> strip = transpose_strip(ctx_, P);
    R = hand_in_rows(ctx_, *P.layout, strip, layout_.partition());
    ScopedTimer timer(ctx_, "density");
    const double bound = density_bound(ctx_, strip, *P.layout, A_, *factor, candidates_);
    return bound > options_.density_limit ? density_of(ctx_, R, A_, P, candidates_) : bound;
  }

  /// Forms what is not there yet of P's transpose and of P as A P takes it.
  void complete() {
    if (!factor) {
      factor = second_factor(ctx_, layout_, P);
    }
    if (R.layout == nullptr) {
      R = transpose(ctx_, P, layout_.partition());
    }
  }

  LocalMatrix<T, S> P;
  LocalMatrix<T, S> R;
  std::optional<SecondFactor<T, S>> factor;
  int steps = 1;
  double truncation = 0.0;

 private:
  double radius_of_filtered() {
    const Operator<T, S> filtered(ctx_, borrow(smoothing_), Storage::csr, std::make_shared<Halo<T, S>>(A_.layout));
    return spectral_radius<T>(ctx_, filtered, std::as_const(diagonal_).span(), options_.spectral_radius_steps,
                              layout_.first_row());
  }

  void smooth(int wanted) {
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

  void form_first(T damping) {
    const Communicator& communicator = ctx_.communicator();
    const Partition& coarse = aggregates_.partition;
    Buffer<std::int64_t, S> ghosts;
    collectively(communicator, [&] { ghosts = foreign_rows<Index, S>(ctx_, aggregates_.of_node.span(), coarse); });
    const auto of_aggregates =
        std::make_shared<const Layout<S>>(Layout<S>::unconnected(ctx_, coarse, std::move(ghosts)));
    P.layout = layout_of_unknowns(ctx_, of_aggregates, candidates_, false);
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

  void truncate(double q) {
    const double share =
        candidates_ > 1 ? share_of_blocks(ctx_, shared_square(ctx_, A_), candidates_, ctx_.communicator()) : 1.0;
    if (share * q <= options_.density_limit) {
      return;
    }
    const CsrMatrix<T, S> whole = std::move(P.A);
    truncate_to_limit(
        share * q, options_, [&](double tolerance) { leave(whole, tolerance); },
        [&] { return share * density_of(ctx_, R, A_, P, candidates_); });
  }

  void leave(const CsrMatrix<T, S>& whole, double tolerance) {
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

  void forget_what_is_made_of_P() {
    R = {};
    factor.reset();
  }

  Context<S>& ctx_;
  const LocalMatrix<T, S>& A_;
  const Layout<S>& layout_;
  Index block_size_;
  bool is_filtered_;
  CsrMatrix<T, S> smoothing_;  ///< what T is smoothed with
  Buffer<T, S> diagonal_;      ///< of it, where that is needed
  double rho_ = 0.0;           ///< of it
  const SharedAggregates<S>& aggregates_;
  SharedTentative<T, S>& tentative_;
  Index candidates_;
  const AmgOptions& options_;
  SpgemmOptions spgemm_ = options_.spgemm;  ///< with margins of P for A P
};

}  // namespace

template <class T, MemorySpace S>
std::optional<SharedStep<T, S>> coarsen_shared(Context<S>& ctx, const NodeStrip<T, S>& A, const SharedModel<T, S>& M,
                                               std::type_identity_t<MultiVectorView<const T, S>> candidates,
                                               Index block_size, int level, CouplingKind finer,
                                               const AmgOptions& options, Operator<T, S>& light) {
  const Communicator& communicator = ctx.communicator();
  const CsrMatrix<T, S>& strip = M.matrix.unknowns.A;
  const Layout<S>& layout = *M.matrix.unknowns.layout;
  const Layout<S>& nodes = *M.matrix.nodes;
  const Span<const T, S> diagonal = M.diagonal;
  const Index k = candidates.columns;
  // Where ranks that are asked to end agree to.
  const auto agree = [&] { ctx.notify({.phase = "setup", .step = level + 1, .steps = options.max_levels}); };
  const auto begin = [&](const char* phase) {
    agree();
    return ScopedTimer(ctx, phase, level);
  };
  LevelCouplings<T, S> found;
  {
    const ScopedTimer timer = begin("strength");
    if (communicator.max(static_cast<std::int64_t>(find_hubs(ctx, strip, block_size).size())) > 0) {
      return std::nullopt;
    }
    found = find_couplings(ctx, shared_square(ctx, M.matrix.unknowns), diagonal, candidates, block_size, level,
                           kind_above(finer, level, k > block_size), options, &nodes);
    if (!found.is_signed && found.filters) {
      return std::nullopt;
    }
  }
  std::optional<SharedAggregates<S>> aggregates;
  const auto aggregate = [&](int passes, MisOrder order) {
    aggregates.emplace(aggregate_shared(ctx, found.couplings.strong, nodes, passes, order));
  };
  const auto mean_size = [&] {
    return static_cast<double>(nodes.partition().rows()) / static_cast<double>(aggregates->partition.rows());
  };
  {
    const ScopedTimer timer = begin("aggregation");
    aggregate(passes_on(level, options), root_order(found.kind));
    if (takes_more_passes(level, mean_size(), block_size, k)) {
      aggregate(passes_on(1, options), MisOrder::random);
    }
    found.couplings.strong = {};
  }
  const std::int64_t coarse_rows = aggregates->partition.rows() * k;
  if (stalls_at(coarse_rows, layout.partition().rows(), options)) {
    return std::nullopt;
  }
  SharedStep<T, S> step;
  {
    {
      const ScopedTimer timer(ctx, "storage", level);
      light = Operator<T, S>::beside(ctx, strip, early_storage(level, options),
                                     std::make_shared<Halo<T, S>>(M.matrix.unknowns.layout), layout.first_row(),
                                     std::move(light));
    }
    const ScopedTimer timer = begin("spectral radius");
    step.spectral_radius = spectral_radius<T>(ctx, light, diagonal, options.spectral_radius_steps, layout.first_row());
    if (!light.is_light()) {
      light = {};
    }
  }
  SharedTentative<T, S> tentative;
  std::optional<SharedInterpolator<T, S>> interpolator;
  const auto interpolate = [&] {
    {
      const ScopedTimer timer = begin("tentative");
      tentative = shared_tentative<T, S>(ctx, *aggregates, nodes, block_size, candidates);
    }
    const ScopedTimer timer = begin("prolongator");
    interpolator.emplace(ctx, M.matrix, block_size, found.couplings.filtered, *aggregates, tentative, options);
    interpolator->form(step.spectral_radius, smoothing_steps(found.kind, options));
    found.couplings.filtered = {};
    return found.is_signed && !found.filters &&
           may_aggregate_anew(aggregates->partition.rows(), block_size, k, options) &&
           interpolator->density() > options.density_limit;
  };
  if (interpolate()) {
    {
      const ScopedTimer timer = begin("aggregation");
      interpolator.reset();
      found =
          find_symmetric_couplings(ctx, shared_square(ctx, M.matrix.unknowns), diagonal, block_size, options, &nodes);
      aggregate(passes_on(level, options), MisOrder::random);
      found.couplings.strong = {};
    }
    interpolate();
  }
  {
    const ScopedTimer timer = begin("galerkin product");
    interpolator->complete();
    LocalMatrix<T, S> P = std::move(interpolator->P);
    step.R = std::move(interpolator->R);
    if (M.are_scaled) {
      const Buffer<T, S> y = window_of<T, S>(ctx, *step.R.layout, M.row_scales.span());
      scale_columns_of<T>(ctx, y.span(), step.R.A);
    }
    SecondFactor<T, S> factor = *std::move(interpolator->factor);
    const std::shared_ptr<const Layout<S>> columns = factor.columns;
    SpgemmOptions spgemm = options.spgemm;
    spgemm.margins = margins_for(*step.R.layout);
    spgemm.nodes = {block_size, block_size, k};
    LocalMatrix<T, S> AP = multiply(ctx, A.unknowns, factor, spgemm);
    const OwnRows own{layout.first_own(), layout.own_rows(), P.A.nnz()};
    step.P = {{take_rows(std::move(factor), std::move(P)), columns}, own};
    agree();
    spgemm.margins = {};
    spgemm.nodes = spgemm.nodes.restricted();
    step.A = with_whole_nodes(ctx, multiply(ctx, step.R, AP, spgemm, ProductGhosts::used), k);
  }
  if (options.keeps_aggregates) {
    const auto own_nodes = static_cast<std::size_t>(nodes.own_rows());
    step.aggregate_of_node = Buffer<Index, S>(ctx, own_nodes);
    copy<Index>(
        ctx, std::as_const(aggregates->of_node).span().subspan(static_cast<std::size_t>(nodes.first_own()), own_nodes),
        step.aggregate_of_node.span());
  }
  step.candidates = std::move(tentative.coarse_candidates);
  step.kind = found.kind;
  step.summary.strength_threshold = found.couplings.threshold;
  step.summary.dropped_weight = found.couplings.dropped_weight;
  step.summary.prolongator_steps = interpolator->steps;
  step.summary.truncation = interpolator->truncation;
  step.summary.aggregates = aggregates->partition.rows();
  step.summary.mean_aggregate_size = mean_size();
  step.summary.density = static_cast<double>(communicator.sum(step.A.unknowns.A.nnz())) /
                         static_cast<double>(communicator.sum(A.unknowns.A.nnz()));
  return step;
}

template <class T, MemorySpace S>
Buffer<T, S> positive_shared_diagonal(Context<S>& ctx, int level, MatrixKind kind, const LocalMatrix<T, S>& A) {
  ScopedTimer timer(ctx, "diagonal", level);
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  Buffer<T, S> own;
  std::int64_t bad = none;
  collectively(ctx.communicator(), [&] {
    own = own_diagonal(ctx, A);
    if (kind != MatrixKind::definite && level > 0) {
      return;
    }
    if (const Index row = find_non_positive_diagonal<T>(ctx, A.A, std::as_const(own).span()); row >= 0) {
      bad = A.layout->first_row() + row;
    }
  });
  bad = -ctx.communicator().max(-bad);
  if (bad != none) {  // alike on all ranks, as on one
    throw_not_positive(bad, level);
  }
  return own;
}

template <class T, MemorySpace S>
CoarseDiagonal<T, S> positive_shared_coarse_diagonal(Context<S>& ctx, double finest_largest, int level, MatrixKind kind,
                                                     SharedStep<T, S>& step) {
  enum Findings : std::int64_t { none, suspected, cleared };
  std::int64_t found = none;
  CoarseDiagonal<T, S> d{};
  LocalMatrix<T, S>& A = step.A.unknowns;
  const Index node_size = step.candidates.columns();
  {
    ScopedTimer timer(ctx, "diagonal", level);
    collectively(ctx.communicator(), [&] {
      d.entries = own_diagonal(ctx, A);
      const Span<const T, S> entries = std::as_const(d.entries).span();
      if (may_have_rounding_rows<T>(ctx, A.A, entries, node_size)) {
        MultiVector<T, S> finest(ctx, step.R.A.cols);
        fill<T>(ctx, static_cast<T>(finest_largest), finest);
        const bool clears =
            clear_rounding_rows<T>(ctx, step.R.A, std::as_const(finest).view().span(), entries, node_size, A.A);
        found = clears ? cleared : suspected;
      }
    });
    found = ctx.communicator().max(found);
  }
  if (found != none) {
    d.entries = positive_shared_diagonal(ctx, level, kind, A);
  }
  d.has_null_rows = found == cleared;
  return d;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                            \
  template std::optional<SharedStep<T, S>> coarsen_shared<T, S>(                                              \
      Context<S>&, const NodeStrip<T, S>&, const SharedModel<T, S>&, MultiVectorView<const T, S>, Index, int, \
      CouplingKind, const AmgOptions&, Operator<T, S>&);                                                      \
  template Buffer<T, S> positive_shared_diagonal(Context<S>&, int, MatrixKind, const LocalMatrix<T, S>&);     \
  template CoarseDiagonal<T, S> positive_shared_coarse_diagonal(Context<S>&, double, int, MatrixKind,         \
                                                                SharedStep<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
