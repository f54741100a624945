#include "amg/shared_coarsening.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "amg/aggregation.hpp"
#include "amg/coarsening_choices.hpp"
#include "amg/hubs.hpp"
#include "amg/level_couplings.hpp"
#include "amg/shared_interpolation.hpp"
#include "amg/shared_tentative.hpp"
#include "amg/spectral_radius.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/halo.hpp"
#include "dist/product.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// A step as it proceeds.
template <class T, MemorySpace S>
class SharedCoarsening {
 public:
  /// See coarsen_shared().
  SharedCoarsening(Context<S>& ctx, const NodeStrip<T, S>& A, const SharedModel<T, S>& M,
                   MultiVectorView<const T, S> candidates, Index block_size, const FinerLevels& finer,
                   const AmgOptions& options)
      : ctx_(ctx),
        A_(A),
        M_(M),
        nodes_(*M.matrix.nodes),
        layout_(*M.matrix.unknowns.layout),
        candidates_(candidates),
        block_size_(block_size),
        finer_(finer),
        options_(options) {}

  /// False where ranks cannot share the step.
  bool find_strong_couplings() {
    const ScopedTimer timer = begin("strength");
    const CsrMatrix<T, S>& strip = M_.matrix.unknowns.A;
    if (ctx_.communicator().max(static_cast<std::int64_t>(find_hubs(ctx_, strip, block_size_).size())) > 0) {
      return false;
    }
    found_ = find_couplings(ctx_, square_of(ctx_, M_.matrix.unknowns), M_.diagonal, candidates_, block_size_, level(),
                            kind_above(finer_.kind, level(), candidates_.columns > block_size_), options_, &nodes_);
    return found_.is_signed || !found_.filters;
  }

  /// False where that would not coarsen.
  bool form_aggregates() {
    {
      const ScopedTimer timer = begin("aggregation");
      aggregate(passes_on(level(), options_), root_order(found_.kind));
      if (takes_more_passes(level(), mean_aggregate_size(), block_size_, candidates_.columns)) {
        aggregate(passes_on(1, options_), MisOrder::random);
      }
      found_.couplings.strong = {};
    }
    return !stalls_at(aggregates_->partition.rows() * candidates_.columns, layout_.partition().rows(), options_);
  }

  void find_spectral_radius(Operator<T, S>& light) {
    {
      const ScopedTimer timer(ctx_, "storage", level());
      light = Operator<T, S>::beside(ctx_, M_.matrix.unknowns.A, early_storage(level(), options_),
                                     std::make_shared<Halo<T, S>>(M_.matrix.unknowns.layout), layout_.first_row(),
                                     std::move(light));
    }
    const ScopedTimer timer = begin("spectral radius");
    step_.spectral_radius =
        spectral_radius<T>(ctx_, light, M_.diagonal, options_.spectral_radius_steps, layout_.first_row());
    if (!light.is_light()) {
      light = {};
    }
  }

  void interpolate() {
    form_prolongator();
    const bool may_aggregate =
        found_.is_signed && may_aggregate_anew(found_.couplings.dropped_weight, aggregates_->partition.rows(),
                                               block_size_, candidates_.columns, options_);
    if (may_aggregate && prolongator_density() > options_.density_limit) {
      aggregate_anew();
      form_prolongator();
    }
  }

  void form_product() {
    const ScopedTimer timer = begin("galerkin product");
    interpolator_->complete();
    LocalMatrix<T, S> P = std::move(interpolator_->P);
    step_.R = std::move(interpolator_->R);
    if (M_.are_scaled) {
      const Buffer<T, S> y = window_of<T, S>(ctx_, *step_.R.layout, M_.row_scales.span());
      scale_columns_of<T>(ctx_, y.span(), step_.R.A);
    }
    SecondFactor<T, S> factor = *std::move(interpolator_->factor);
    const std::shared_ptr<const Layout<S>> columns = factor.columns;
    SpgemmOptions spgemm = options_.spgemm;
    spgemm.margins = margins_for(*step_.R.layout);
    spgemm.nodes = {block_size_, block_size_, candidates_.columns};
    LocalMatrix<T, S> AP = multiply(ctx_, A_.unknowns, factor, spgemm);
    const OwnRows own{layout_.first_own(), layout_.own_rows(), P.A.nnz()};
    step_.P = {{take_rows(std::move(factor), std::move(P)), columns}, own};
    agree();
    spgemm.margins = {};
    spgemm.nodes = spgemm.nodes.restricted();
    const SecondFactor<T, S> of_ranks = second_factor_within(ctx_, *step_.R.layout, AP);
    step_.A = with_whole_nodes(ctx_, multiply(ctx_, step_.R, of_ranks, spgemm), candidates_.columns);
  }

  SharedStep<T, S> finish() {
    if (options_.keeps_aggregates) {
      const auto own_nodes = static_cast<std::size_t>(nodes_.own_rows());
      const auto first = static_cast<std::size_t>(nodes_.first_own());
      step_.aggregate_of_node = collectively(ctx_.communicator(), [&] { return Buffer<Index, S>(ctx_, own_nodes); });
      copy<Index>(ctx_, std::as_const(aggregates_->of_node).span().subspan(first, own_nodes),
                  step_.aggregate_of_node.span());
    }
    step_.candidates = std::move(tentative_.coarse_candidates);
    step_.kind = found_.kind;
    LevelSummary& summary = step_.summary;
    summary.strength_threshold = found_.couplings.threshold;
    summary.dropped_weight = found_.couplings.dropped_weight;
    summary.prolongator_steps = interpolator_->steps;
    summary.truncation = interpolator_->truncation;
    summary.aggregates = aggregates_->partition.rows();
    summary.mean_aggregate_size = mean_aggregate_size();
    const Communicator& communicator = ctx_.communicator();
    summary.density = static_cast<double>(communicator.sum(step_.A.unknowns.A.nnz())) /
                      static_cast<double>(communicator.sum(A_.unknowns.A.nnz()));
    return std::move(step_);
  }

 private:
  int level() const { return finer_.count; }

  /// Where ranks that are asked to end agree to.
  void agree() { ctx_.notify({.phase = "setup", .step = level() + 1, .steps = options_.max_levels}); }

  ScopedTimer<S> begin(const char* phase) {
    agree();
    return ScopedTimer(ctx_, phase, level());
  }

  void aggregate(int passes, MisOrder order) {
    aggregates_.emplace(aggregate_shared(ctx_, found_.couplings.strong, nodes_, passes, order));
  }

  void aggregate_anew() {
    const ScopedTimer timer = begin("aggregation");
    interpolator_.reset();
    found_ = find_symmetric_couplings(ctx_, square_of(ctx_, M_.matrix.unknowns), M_.diagonal, block_size_, options_,
                                      &nodes_);
    aggregate(passes_on(level(), options_), MisOrder::random);
    found_.couplings.strong = {};
  }

  double mean_aggregate_size() const {
    return static_cast<double>(nodes_.partition().rows()) / static_cast<double>(aggregates_->partition.rows());
  }

  void form_prolongator() {
    {
      const ScopedTimer timer = begin("tentative");
      tentative_ = shared_tentative<T, S>(ctx_, *aggregates_, nodes_, block_size_, candidates_);
    }
    const ScopedTimer timer = begin("prolongator");
    interpolator_.emplace(ctx_, M_.matrix.unknowns, block_size_, found_.couplings.filtered, *aggregates_, tentative_,
                          density_limits(finer_.entries, found_.kind, options_), options_);
    interpolator_->form(step_.spectral_radius, smoothing_steps(found_.kind, options_));
    found_.couplings.filtered = {};
  }

  double prolongator_density() {
    const ScopedTimer timer(ctx_, "prolongator", level());
    return interpolator_->density();
  }

  Context<S>& ctx_;
  const NodeStrip<T, S>& A_;
  const SharedModel<T, S>& M_;
  const Layout<S>& nodes_;   ///< of the model
  const Layout<S>& layout_;  ///< of its unknowns
  MultiVectorView<const T, S> candidates_;
  Index block_size_;
  FinerLevels finer_;
  const AmgOptions& options_;
  LevelCouplings<T, S> found_;
  std::optional<SharedAggregates<S>> aggregates_;
  SharedTentative<T, S> tentative_;
  std::optional<SharedInterpolator<T, S>> interpolator_;
  SharedStep<T, S> step_;
};

}  // namespace

template <class T, MemorySpace S>
std::optional<SharedStep<T, S>> coarsen_shared(Context<S>& ctx, const NodeStrip<T, S>& A, const SharedModel<T, S>& M,
                                               std::type_identity_t<MultiVectorView<const T, S>> candidates,
                                               Index block_size, const FinerLevels& finer, const AmgOptions& options,
                                               Operator<T, S>& light) {
  SharedCoarsening<T, S> coarsening(ctx, A, M, candidates, block_size, finer, options);
  if (!coarsening.find_strong_couplings() || !coarsening.form_aggregates()) {
    return std::nullopt;
  }
  coarsening.find_spectral_radius(light);
  coarsening.interpolate();
  coarsening.form_product();
  return coarsening.finish();
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                       \
  template std::optional<SharedStep<T, S>> coarsen_shared<T, S>(                                         \
      Context<S>&, const NodeStrip<T, S>&, const SharedModel<T, S>&, MultiVectorView<const T, S>, Index, \
      const FinerLevels&, const AmgOptions&, Operator<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
