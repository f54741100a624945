#include "amg/hierarchy.hpp"

#include <algorithm>
#include <concepts>
#include <limits>
#include <utility>

#include "amg/candidate_images.hpp"
#include "amg/coarsening_choices.hpp"
#include "amg/diagonal.hpp"
#include "amg/measured_step.hpp"
#include "amg/memory_forecast.hpp"
#include "amg/nullspace.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/halo.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "spmv/transfer.hpp"

namespace amgsolve {
namespace {

/// Less is not worth asking what there is.
constexpr double least_asked_for = 64e6;

/// Refuses to form a level that there is no memory for: before any of it is taken where it surely does not fit, now
/// that its aggregates are known, and when P is there by what the products will come to.
template <class T, MemorySpace S>
class MemoryCheck {
 public:
  MemoryCheck(Context<S>& ctx, const CsrMatrix<T, S>& A, const Coarsening<T, S>& coarsening, Index candidates,
              Index block_size, int level, const AmgOptions& options, Reuse reuse)
      : ctx_(&ctx), options_(&options), reuse_(reuse) {
    if constexpr (std::same_as<S, Host>) {
      threads_ = ctx.threads();
    }
    fine_ = {.level = level,
             .rows = static_cast<double>(A.rows),
             .nnz = static_cast<double>(A.nnz()),
             .block_size = block_size,
             .candidates = candidates,
             .coarse_rows = static_cast<double>(coarsening.aggregates()) * candidates,
             .value_bytes = sizeof(T),
             .connectivity = is_directed(coarsening.kind()) ? Connectivity::directed : Connectivity::unknown};
    const double guess = needed(step());
    if (guess < least_asked_for) {
      return;
    }
    free_ = ctx.memory().free();
    const auto bytes = static_cast<double>(free_.bytes);
    is_doubtful_ = guess > bytes;
    require(guess / surely_too_much);
  }

  void require_products(const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P) {
    if (is_doubtful_) {
      fine_.sizes = measure_products(*ctx_, A, P, fine_.candidates);
      require(needed(step()));
    }
  }

 private:
  StepForecast step() const { return forecast_step(fine_, *options_, reuse_, threads_); }

  /// Beside the diagonal and the aggregates; scratch of the finest level serves the others.
  double needed(const StepForecast& step) const {
    const double there = 2.0 * sizeof(T) * fine_.rows;
    return step.needed - there - (fine_.level > 0 ? step.scratch : 0.0);
  }

  void require(double bytes) const {
    if (bytes > static_cast<double>(free_.bytes)) {
      const StepForecast expected = step();
      const double wanted = needed(expected);
      throw OutOfMemoryError(
          format_text("not enough memory in {}: to form level {} of some {:.0f} rows and {:.0f} nonzeros takes {}, {} "
                      "available: {}",
                      ctx_->profile().current_path(), fine_.level + 1, expected.coarse_rows, expected.coarse_nnz,
                      format_bytes(static_cast<std::size_t>(wanted)), format_bytes(free_.bytes), free_.limit),
          static_cast<std::size_t>(wanted), free_.bytes);
    }
  }

  Context<S>* ctx_;
  const AmgOptions* options_;
  Reuse reuse_;
  int threads_ = 1;
  LevelSize fine_;
  AvailableMemory free_{};
  bool is_doubtful_ = false;
};

}  // namespace

template <class T, MemorySpace S>
Hierarchy<T, S>::Hierarchy(Context<S>& ctx, CsrMatrix<T, S> A, MultiVectorView<const T, S> near_nullspace,
                           const AmgOptions& options, Reuse reuse, MakeSmoother<T, S> make_smoother,
                           Operator<T, S> light)
    : options_(options), reuse_(reuse), make_smoother_(make_smoother) {
  MultiVector<T, S> candidates(ctx, near_nullspace.rows, near_nullspace.columns);
  copy<T, T>(ctx, near_nullspace, candidates);
  coarsen(ctx, std::move(A), std::move(candidates), options.block_size.value_or(1), FinerLevels{}, std::move(light));
}

template <class T, MemorySpace S>
void Hierarchy<T, S>::coarsen(Context<S>& ctx, CsrMatrix<T, S> A, MultiVector<T, S> candidates, Index block_size,
                              FinerLevels finer, Operator<T, S> light) {
  const AmgOptions& options = options_;
  const Reuse reuse = reuse_;
  const bool keeps_patterns = reuse == Reuse::pattern;
  Buffer<T, S> d = positive_diagonal(ctx, A, static_cast<int>(levels_.size()), options.matrix,
                                     options.solves_directly(A.rows), nullptr, light);
  for (std::size_t l = levels_.size();; ++l) {
    const int number = static_cast<int>(l);
    Level<T, S>& level = levels_.emplace_back();
    level.block_size = block_size;
    radii_.emplace_back();
    std::optional<Coarsening<T, S>> coarsening;
    std::optional<Model<T, S>> model;
    if (A.rows > options.coarse_size && number + 1 < options.max_levels) {
      ctx.notify({.phase = "setup", .step = number + 1, .steps = options.max_levels});
      model.emplace(ctx, A, d, std::as_const(candidates).view(), block_size, number, options.matrix);
      coarsening.emplace(ctx, model->matrix, model->diagonal, candidates, block_size, finer, options);
    }
    if (!coarsening || coarsening->stalls(candidates.columns())) {
      model.reset();
      finish_coarsest(ctx, std::move(A), d, candidates);
      if (keeps_patterns || (reuse == Reuse::hierarchy && levels_.size() == 1)) {
        coarsest_candidates_ = std::move(candidates);
      }
      return;
    }
    MemoryCheck<T, S> check(ctx, A, *coarsening, candidates.columns(), block_size, number, options, reuse);
    const bool is_stored = is_stored_early(A, l);
    if (is_stored) {
      ScopedTimer timer(ctx, "storage", number);
      level.A = Operator<T, S>::leaving(ctx, A, options.storage);
    }
    const double rho = is_stored ? radius(ctx, level.A, model->diagonal, l) : radius(ctx, A, *model, l, light);
    LevelInterpolation<T, S> interpolation = coarsening->interpolate(ctx, model->matrix, model->diagonal, rho,
                                                                     std::as_const(candidates).view(), keeps_patterns);
    check.require_products(A, interpolation.smoothed.P);
    CoarseLevel<T, S> coarse = coarsening->form(ctx, A, std::move(interpolation), candidates, keeps_patterns,
                                                std::as_const(model->row_scales).span());
    model.reset();
    level.summary.aggregates = coarsening->aggregates();
    level.summary.mean_aggregate_size = coarsening->mean_aggregate_size();
    level.summary.strength_threshold = coarsening->strength_threshold();
    level.summary.dropped_weight = coarsening->dropped_weight();
    level.summary.prolongator_steps = coarse.choices.steps;
    level.summary.truncation = coarse.choices.truncation;
    level.summary.smoothing_entries = coarse.choices.entries;
    level.summary.density = static_cast<double>(coarse.A.nnz()) / static_cast<double>(A.nnz());
    level.summary.products = std::move(coarse.products);
    finer = finer.below(coarsening->kind(), level.summary.density);
    if (options.keeps_aggregates) {
      level.aggregate_of_node = Buffer<Index, S>(ctx, coarsening->aggregate_of_node().size());
      copy<Index>(ctx, coarsening->aggregate_of_node(), level.aggregate_of_node.span());
    }
    if (keeps_patterns) {
      coarsenings_.push_back(std::move(*coarsening));
    }
    coarsening.reset();
    Buffer<T, S> coarse_d = coarse_diagonal(ctx, coarse, d, candidates.columns(), l);
    if (is_to_be_shared(A, l)) {
      whole_levels_.push_back({std::move(A), std::move(coarse.P), std::move(coarse.R), std::move(d), rho});
    } else {
      set_smoother(ctx, A, d, smoother_radius(ctx, A, d, rho, l), l);
      if (!is_stored) {
        store(ctx, level.A, std::move(A), l, std::exchange(light, {}));
      }
      store(ctx, level.P, std::move(coarse.P), l);
      store(ctx, level.R, std::move(coarse.R), l);
    }
    A = std::move(coarse.A);
    d = std::move(coarse_d);
    block_size = candidates.columns();
  }
}

template <class T, MemorySpace S>
void Hierarchy<T, S>::update_values(Context<S>& ctx, CsrMatrix<T, S> A, Operator<T, S> light) {
  ++updates_;
  Buffer<T, S> d = positive_diagonal(ctx, A, 0, options_.matrix, options_.solves_directly(A.rows), nullptr, light);
  has_null_rows_ = has_null_rows_ && reuse_ == Reuse::hierarchy;
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    Level<T, S>& level = levels_[l];
    // P stays, and with it what it was damped by.
    const bool keeps_levels = reuse_ == Reuse::hierarchy;
    const Model<T, S> model(ctx, A, d, keeps_levels ? MultiVectorView<const T, S>() : coarsenings_[l].candidates(),
                            level.block_size, static_cast<int>(l),
                            keeps_levels ? MatrixKind::definite : options_.matrix);
    const double rho = radius(ctx, A, model, l, light);
    set_smoother(ctx, A, d, smoother_radius(ctx, A, d, rho, l), l);
    if (reuse_ == Reuse::hierarchy) {
      store(ctx, level.A, std::move(A), l, std::move(light));
      return;
    }
    CoarseLevel<T, S> coarse =
        coarsenings_[l].update(ctx, A, model.matrix, model.diagonal, rho, model.row_scales.span());
    Buffer<T, S> coarse_d = coarse_diagonal(ctx, coarse, d, levels_[l + 1].block_size, l);
    store(ctx, level.A, std::move(A), l, std::exchange(light, {}));
    store(ctx, level.P, std::move(coarse.P), l);
    store(ctx, level.R, std::move(coarse.R), l);
    A = std::move(coarse.A);
    d = std::move(coarse_d);
  }
  finish_coarsest(ctx, std::move(A), d, coarsest_candidates_);
}

template <class T, MemorySpace S>
void Hierarchy<T, S>::finish_coarsest(Context<S>& ctx, CsrMatrix<T, S> A, Span<const T, S> diagonal,
                                      const MultiVector<T, S>& candidates) {
  const std::size_t l = levels_.size() - 1;
  if (A.rows <= std::max(options_.coarse_size, options_.direct_solve_limit)) {
    ScopedTimer timer(ctx, "coarse factor", static_cast<int>(l));
    coarse_solver_.emplace(ctx, A, options_.matrix, [&] { return rounding_share(ctx, diagonal, l); });
    has_null_component_ = finds_null_component(ctx, A, diagonal, candidates);
  } else {
    const double rho = options_.matrix == MatrixKind::general
                           ? smoother_radius(ctx, A, diagonal, 0.0, l)
                           : radius(ctx, {ctx, borrow(A), Storage::csr}, diagonal, l);
    set_smoother(ctx, A, diagonal, rho, l);
  }
  store(ctx, levels_.back().A, std::move(A), l);
}

template <class T, MemorySpace S>
MultiVector<T, S> Hierarchy<T, S>::finest_diagonal(Context<S>& ctx, Span<const T, S> diagonal,
                                                   std::size_t level) const {
  if (gathered_) {  // not known row by row
    MultiVector<T, S> largest(ctx, static_cast<Index>(diagonal.size()));
    fill<T>(ctx, static_cast<T>(gathered_->finest_largest), largest);
    return largest;
  }
  if (level == 0) {
    MultiVector<T, S> finest(ctx, static_cast<Index>(diagonal.size()));
    copy<T>(ctx, diagonal, finest.view().span());
    return finest;
  }
  MultiVector<T, S> finest(ctx, levels_.front().A.rows());
  levels_.front().A.extract_diagonal(ctx, finest.view().span());
  for (std::size_t l = 0; l < level; ++l) {
    MultiVector<T, S> ones(ctx, finest.rows());
    fill<T>(ctx, T{1}, ones);
    const MultiVector<T, S> weights = CandidateImages<T, S>(ctx, levels_[l].R, std::as_const(ones)).magnitudes;
    MultiVector<T, S> sums = CandidateImages<T, S>(ctx, levels_[l].R, std::as_const(finest)).magnitudes;
    Buffer<T, S> inverses(ctx, static_cast<std::size_t>(sums.rows()));
    invert_diagonal<T>(ctx, weights.view().span(), inverses);
    scale_rows<T>(ctx, inverses, std::as_const(sums), sums);
    finest = std::move(sums);
  }
  return finest;
}

template <class T, MemorySpace S>
double Hierarchy<T, S>::rounding_share(Context<S>& ctx, Span<const T, S> diagonal, std::size_t level) const {
  MultiVector<T, S> ratios = finest_diagonal(ctx, diagonal, level);
  Buffer<T, S> inverses(ctx, diagonal.size());
  invert_diagonal<T>(ctx, diagonal, inverses);
  scale_rows<T>(ctx, inverses, std::as_const(ratios), ratios);
  return std::numeric_limits<T>::epsilon() * largest_entry<T>(ctx, std::as_const(ratios).view().span());
}

template <class T, MemorySpace S>
bool Hierarchy<T, S>::finds_null_component(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const T, S> diagonal,
                                           const MultiVector<T, S>& candidates) const {
  // A fixed unknown leaves more of a row of so few; but where rounding errors are large a mass term may not.
  constexpr double most_left = 4e-3;
  Context<Host> host(1);  // so few rows are the work of one thread
  const Operator<T, Host> on_host(host, download(ctx, host, A), Storage::csr);
  const MultiVector<T, Host> candidates_on_host = download(ctx, host, candidates);
  const auto finds = [&](double tolerance) {
    return Nullspace<T, Host>(host, on_host, candidates_on_host.view(), 1, tolerance).dimension() > 0;
  };
  return finds(most_left) && finds(std::min(most_left, rounding_share(ctx, diagonal, levels_.size() - 1)));
}

template <class T, MemorySpace S>
Buffer<T, S> Hierarchy<T, S>::coarse_diagonal(Context<S>& ctx, CoarseLevel<T, S>& coarse, Span<const T, S> diagonal,
                                              Index node_size, std::size_t level) {
  const auto finest = [&] { return finest_diagonal(ctx, diagonal, level); };
  CoarseDiagonal<T, S> result = positive_coarse_diagonal<T, S>(ctx, coarse.R, finest, node_size,
                                                               static_cast<int>(level) + 1, options_.matrix, coarse.A);
  has_null_rows_ = has_null_rows_ || result.has_null_rows;
  return std::move(result.entries);
}

template <class T, MemorySpace S>
double Hierarchy<T, S>::radius(Context<S>& ctx, const Operator<T, S>& A, Span<const T, S> diagonal, std::size_t level) {
  ScopedTimer timer(ctx, "spectral radius", static_cast<int>(level));
  const bool expects_more = reuse_ == Reuse::pattern || (reuse_ == Reuse::hierarchy && level == 0);
  return radii_[level].of(ctx, A, diagonal, options_.spectral_radius_steps, expects_more);
}

template <class T, MemorySpace S>
double Hierarchy<T, S>::radius(Context<S>& ctx, const CsrMatrix<T, S>& A, const Model<T, S>& model, std::size_t level,
                               Operator<T, S>& light) {
  const Storage early = early_storage(static_cast<int>(level), options_);
  if (early == Storage::csr) {
    return radius(ctx, {ctx, borrow(model.matrix), Storage::csr}, model.diagonal, level);
  }
  {
    ScopedTimer timer(ctx, "storage", static_cast<int>(level));
    light = Operator<T, S>::beside(ctx, A, early, nullptr, 0, std::move(light));
  }
  const double rho = radius(ctx, light, model.diagonal, level);
  if (!light.is_light()) {
    light = {};
  }
  return rho;
}

template <class T, MemorySpace S>
double Hierarchy<T, S>::smoother_radius(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const T, S> diagonal,
                                        double estimate, std::size_t level, const Communicator& ranks) const {
  if (options_.matrix != MatrixKind::general) {
    return estimate;
  }
  ScopedTimer timer(ctx, "spectral radius", static_cast<int>(level));
  return largest_of(ranks, row_sum_norm(ctx, A, diagonal));
}

template <class T, MemorySpace S>
void Hierarchy<T, S>::set_smoother(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const T, S> diagonal, double rho,
                                   std::size_t l, const std::shared_ptr<const Layout<S>>& layout) {
  ScopedTimer timer(ctx, "smoother", static_cast<int>(l));
  Level<T, S>& level = levels_[l];
  SmootherInput<T, S> input{A, diagonal, rho, level.block_size, options_.matrix, options_.spectral_radius_steps};
  if (layout) {
    input.window = std::make_shared<Halo<T, S>>(layout);
    input.first_row = layout->first_row();
  }
  level.smoother = make_smoother_(ctx, input, options_.smoother);
  level.summary.spectral_radius = rho;
}

template <class T, MemorySpace S>
void Hierarchy<T, S>::store(Context<S>& ctx, Operator<T, S>& stored, CsrMatrix<T, S> A, std::size_t level,
                            Operator<T, S> light) const {
  ScopedTimer timer(ctx, "storage", static_cast<int>(level));
  if (light.is_light()) {
    stored = std::move(light);
  } else if (stored.rows() > 0) {  // in the same pattern
    stored.update_values(ctx, std::move(A));
  } else {
    stored = Operator<T, S>(ctx, std::move(A), options_.storage);
  }
}

template <class T, MemorySpace S>
HierarchySummary Hierarchy<T, S>::summary() const {
  HierarchySummary summary;
  double nnz = 0.0;
  double rows = 0.0;
  for (const Level<T, S>& level : levels_) {
    LevelSummary& line = summary.levels.emplace_back(level.summary);
    line.storage = level.A.storage();
    if (!gathered_ || summary.levels.size() > gathered_->level) {  // else those of all ranks are known
      line.rows = level.A.rows();
      line.nnz = level.A.nnz();
      line.bytes = level.A.bytes() + level.P.bytes() + level.R.bytes() +
                   level.aggregate_of_node.size() * sizeof(Index) + (level.smoother ? level.smoother->bytes() : 0);
    }
    nnz += static_cast<double>(line.nnz);
    rows += static_cast<double>(line.rows);
  }
  const LevelSummary& finest = summary.levels.front();
  summary.operator_complexity = finest.nnz > 0 ? nnz / static_cast<double>(finest.nnz) : 1.0;
  summary.grid_complexity = finest.rows > 0 ? rows / static_cast<double>(finest.rows) : 1.0;
  summary.may_be_singular = has_null_rows_ || has_null_component_ || (coarse_solver_ && coarse_solver_->nullity() > 0);
  if (!coarse_solver_) {
    summary.coarse_solver = format_text("smoothed only: {} rows are too many to factor", levels_.back().A.rows());
    return summary;
  }
  summary.levels.back().bytes += coarse_solver_->bytes();
  summary.coarse_solver = coarse_solver_->method();
  summary.vanishing_pivots = coarse_solver_->nullity();
  if (summary.vanishing_pivots > 0) {
    summary.coarse_solver += format_text(", {} left out", format_count(summary.vanishing_pivots, "vanishing pivot"));
  }
  return summary;
}

#define AMGSOLVE_INSTANTIATE(T, S) template class Hierarchy<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
