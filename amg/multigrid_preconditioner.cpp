#include "amg/multigrid_preconditioner.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <stdexcept>
#include <utility>
#include <vector>

#include "amg/cycle.hpp"
#include "amg/hierarchy.hpp"
#include "amg/reserved_columns.hpp"
#include "amg/shared_coarsening.hpp"
#include "amg/smoother.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/power_of_two.hpp"
#include "core/timer.hpp"
#include "dist/halo.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {
namespace {

/// A hierarchy in M, which others may have, too, and the cycle on it.
template <class M, MemorySpace S>
struct Multigrid {
  Multigrid(Context<S>& ctx, CsrMatrix<M, S> A, MultiVectorView<const M, S> near_nullspace, const AmgOptions& chosen,
            Reuse reuse, Operator<M, S> light = {})
      : options(chosen),
        hierarchy(
            std::make_shared<Hierarchy<M, S>>(ctx, std::move(A), near_nullspace, options, reuse, std::move(light))),
        cycle(ctx, *hierarchy, options) {}
  Multigrid(Context<S>& ctx, LocalMatrix<M, S>& A, MultiVectorView<const M, S> near_nullspace, const AmgOptions& chosen,
            Operator<M, S> light = {})
      : options(chosen),
        hierarchy(std::make_shared<Hierarchy<M, S>>(ctx, A, near_nullspace, options, std::move(light))),
        cycle(ctx, *hierarchy, options) {}
  /// With the hierarchy of another.
  Multigrid(Context<S>& ctx, const Multigrid& other)
      : options(other.options), hierarchy(other.hierarchy), cycle(ctx, *hierarchy, options) {}
  Multigrid(const Multigrid&) = delete;
  Multigrid& operator=(const Multigrid&) = delete;

  HierarchySummary summary() const {
    HierarchySummary result = hierarchy->summary();
    for (std::size_t l = 0; l < result.levels.size(); ++l) {
      result.levels[l].bytes += cycle.bytes(l);
    }
    return result;
  }

  void note_choices(Context<S>& ctx) const {
    if (hierarchy->levels().size() > 1) {
      ctx.profile().note(format_text("levels in {}, smoothed by {}", sizeof(M) == sizeof(float) ? "float" : "double",
                                     smoother_name(options.smoother.type, options.matrix)));
    }
  }

  AmgOptions options;
  std::shared_ptr<Hierarchy<M, S>> hierarchy;
  Cycle<M, S> cycle;
};

template <class T, MemorySpace S>
const Operator<T, S>& part_of(const Hierarchy<T, S>& hierarchy, int level, LevelPart part) {
  const auto levels = static_cast<int>(hierarchy.levels().size());
  if (level < 0 || level >= levels) {
    throw std::invalid_argument(format_text("there is no level {}: the hierarchy has {}", level, levels));
  }
  if (part != LevelPart::A && level + 1 == levels) {
    throw std::invalid_argument(
        format_text("level {} is the coarsest: nothing is interpolated to it or restricted from it", level));
  }
  return hierarchy.levels()[static_cast<std::size_t>(level)].part(part);
}

template <class T, MemorySpace S>
std::vector<std::vector<Index>> aggregates_of(Context<S>& ctx, const Hierarchy<T, S>& hierarchy) {
  std::vector<std::vector<Index>> aggregates;
  for (const Level<T, S>& level : hierarchy.levels()) {
    std::vector<Index> of_node(level.aggregate_of_node.size());
    download(ctx, level.aggregate_of_node.span(), {of_node.data(), of_node.size()});
    if (aggregates.size() < hierarchy.shared_levels()) {
      of_node = ctx.communicator().template all_gather_list<Index>(of_node);
    }
    if (of_node.empty()) {
      break;
    }
    aggregates.push_back(std::move(of_node));
  }
  return aggregates;
}

/// Whether coarse levels of one matrix can correct for another of the same pattern: not where that is larger, or
/// smaller, all over, since corrections are then too large, or too small, by as much, and iterations more by the root
/// of that.
bool are_of_one_size(const RowMagnitudes& A, const RowMagnitudes& B) {
  constexpr double most = 4.0;
  const auto [less, more] = std::minmax({A.smallest / B.smallest, A.largest / B.largest});
  return less <= most && more >= 1.0 / most;
}

template <class T, MemorySpace S>
class InSamePrecision : public MultigridPreconditioner<T, S> {
 public:
  InSamePrecision(Context<S>& ctx, CsrMatrix<T, S> A, const RowMagnitudes& magnitudes,
                  MultiVectorView<const T, S> near_nullspace, const AmgOptions& options, Reuse reuse,
                  Operator<T, S> light)
      : reuse_(reuse),
        magnitudes_(magnitudes),
        multigrid_(ctx, std::move(A), near_nullspace, options, reuse, std::move(light)) {}
  InSamePrecision(Context<S>& ctx, LocalMatrix<T, S>& A, MultiVectorView<const T, S> near_nullspace,
                  const AmgOptions& options, Operator<T, S> light)
      : multigrid_(ctx, A, near_nullspace, options, std::move(light)) {}
  InSamePrecision(Context<S>& ctx, const InSamePrecision& other)
      : reuse_(other.reuse_), magnitudes_(other.magnitudes_), multigrid_(ctx, other.multigrid_) {}

  std::unique_ptr<MultigridPreconditioner<T, S>> share(Context<S>& ctx) const override {
    return std::make_unique<InSamePrecision>(ctx, *this);
  }
  MultiVectorView<const T, S> apply(Context<S>& ctx, MultiVectorView<const T, S> r) override {
    return multigrid_.cycle.apply(ctx, r);
  }
  void note_choices(Context<S>& ctx) const override { multigrid_.note_choices(ctx); }
  bool update_values(Context<S>& ctx, CsrMatrix<T, S> A, const RowMagnitudes& magnitudes, std::int64_t) override {
    multigrid_.hierarchy->update_values(ctx, std::move(A));
    return reuse_ == Reuse::pattern || are_of_one_size(magnitudes, magnitudes_);
  }
  const Operator<T, S>& matrix() const override { return multigrid_.hierarchy->levels().front().A; }
  std::size_t shared_levels() const override { return multigrid_.hierarchy->shared_levels(); }
  bool is_connected(Context<S>& ctx) const override { return multigrid_.hierarchy->is_connected(ctx); }
  HierarchySummary summary() const override { return multigrid_.summary(); }
  CsrMatrix<T, Host> level_matrix(Context<S>& ctx, Context<Host>& host, int level, LevelPart part) const override {
    return part_of(*multigrid_.hierarchy, level, part).to_csr(ctx, host);
  }
  std::vector<std::vector<Index>> aggregates(Context<S>& ctx) const override {
    return aggregates_of(ctx, *multigrid_.hierarchy);
  }

 private:
  Reuse reuse_ = Reuse::none;
  RowMagnitudes magnitudes_{};  ///< of the A that levels were set up for
  Multigrid<T, S> multigrid_;
};

template <class T, MemorySpace S>
MultiVector<float, S> to_float(Context<S>& ctx, MultiVectorView<const T, S> x) {
  MultiVector<float, S> result(ctx, x.rows, x.columns);
  copy<T, float>(ctx, x, result);
  return result;
}

/// Whether what one of two scales makes of a matrix fits in float where that of the other does.
bool is_near(double scale, double fitting) {
  constexpr double most = 0x1p16;
  return scale <= most * fitting && fitting <= most * scale;
}

/// The power of two between the smallest row and the largest.
double middle(const RowMagnitudes& magnitudes) {
  return std::ldexp(1.0, (std::ilogb(magnitudes.smallest) + std::ilogb(magnitudes.largest)) / 2);
}

/// Rows that differ by more leave float no room for what is formed of them.
constexpr double most_spread_in_float = 0x1p160;

/// Up to this spread solves take as many iterations with a hierarchy in float as in double; beyond it the more, the
/// larger the jumps of a coefficient.
constexpr double most_spread_of_mixed = 0x1p16;

/// scale · A in float, over the offsets and columns of A: borrowed ones where A borrows its own.
template <class T, MemorySpace S>
CsrMatrix<float, S> to_float(Context<S>& ctx, CsrMatrix<T, S> A, double scale) {
  ScopedTimer timer(ctx, "conversion");
  return convert_values<float>(ctx, std::move(A), scale);
}

/// The same over copies of those that A borrows.
template <class T, MemorySpace S>
CsrMatrix<float, S> to_own_float(Context<S>& ctx, CsrMatrix<T, S> A, double scale) {
  if (A.row_offsets.is_borrowed() || A.col_indices.is_borrowed()) {
    ScopedTimer timer(ctx, "conversion");
    return convert_values<float>(ctx, std::as_const(A), scale);
  }
  return to_float(ctx, std::move(A), scale);
}

template <class T, MemorySpace S>
class InFloat : public MultigridPreconditioner<T, S> {
 public:
  /// @param A        which judges a solve, stored already, so that the hierarchy has no copy in CSR beside it
  /// @param scaled   scale · A
  /// @param light    the same as an operator, where slices that are alike share the values of A; else empty
  InFloat(Context<S>& ctx, std::shared_ptr<Operator<T, S>> A, const RowMagnitudes& magnitudes, double scale,
          CsrMatrix<float, S> scaled, Operator<float, S> light, MultiVectorView<const T, S> near_nullspace,
          const AmgOptions& options, Reuse reuse)
      : reuse_(reuse),
        magnitudes_(magnitudes),
        scale_(scale),
        candidates_(near_nullspace.columns),
        A_(std::move(A)),
        multigrid_(ctx, std::move(scaled), to_float(ctx, near_nullspace).view(), options, reuse, std::move(light)) {}
  InFloat(Context<S>& ctx, std::shared_ptr<Operator<T, S>> A, double scale, LocalMatrix<float, S> scaled,
          Operator<float, S> light, MultiVectorView<const float, S> near_nullspace, const AmgOptions& options)
      : reuse_(Reuse::none),
        scale_(scale),
        candidates_(near_nullspace.columns),
        A_(std::move(A)),
        multigrid_(ctx, scaled, near_nullspace, options, std::move(light)) {}
  InFloat(Context<S>& ctx, const InFloat& other)
      : reuse_(other.reuse_),
        magnitudes_(other.magnitudes_),
        scale_(other.scale_),
        candidates_(other.candidates_),
        A_(other.A_),
        multigrid_(ctx, other.multigrid_) {}

  std::unique_ptr<MultigridPreconditioner<T, S>> share(Context<S>& ctx) const override {
    return std::make_unique<InFloat>(ctx, *this);
  }
  MultiVectorView<const T, S> apply(Context<S>& ctx, MultiVectorView<const T, S> r) override {
    const MultiVectorView<const float, S> z = apply_in_float(ctx, r);
    reserve_z(ctx, r);
    ScopedTimer timer(ctx, "conversion");
    fill<double>(ctx, scale_, MultiVectorView<double, S>(scales_.data(), r.columns));
    scale_columns<float, T>(ctx, scales_, z, z_);
    return z_;
  }
  MultiVectorView<const T, S> apply_to_any_size(Context<S>& ctx, MultiVectorView<const T, S> r) override {
    std::vector<double> factors = norms<T>(ctx, r);
    std::ranges::transform(factors, factors.begin(), [](double norm) { return 1.0 / power_of_two_below(norm); });
    reserve_r(ctx, r);
    reserve_z(ctx, r);
    {
      ScopedTimer timer(ctx, "conversion");
      upload<double>(ctx, Span<const double, Host>(factors.data(), factors.size()), scales_.span());
      scale_columns<T, float>(ctx, scales_, r, r_);
    }
    const MultiVectorView<const float, S> z = multigrid_.cycle.apply(ctx, r_);
    std::ranges::transform(factors, factors.begin(), [&](double factor) { return scale_ / factor; });
    ScopedTimer timer(ctx, "conversion");
    upload<double>(ctx, Span<const double, Host>(factors.data(), factors.size()), scales_.span());
    scale_columns<float, T>(ctx, scales_, z, z_);
    return z_;
  }
  FormedVectors<T, S> apply_up_to_scale(Context<S>& ctx, MultiVectorView<const T, S> r, bool is_rounded) override {
    return is_rounded ? multigrid_.cycle.apply(ctx, r_) : apply_in_float(ctx, r);
  }
  MultiVectorView<float, S> rounded(Context<S>& ctx, MultiVectorView<const T, S> r) override {
    if constexpr (std::same_as<S, Host>) {
      return {};  // a pass over what is in the cache takes no longer than one more vector in the one before
    } else {
      reserve_r(ctx, r);
      return r_;
    }
  }
  void note_choices(Context<S>& ctx) const override { multigrid_.note_choices(ctx); }
  bool update_values(Context<S>& ctx, CsrMatrix<T, S> A, const RowMagnitudes& magnitudes,
                     std::int64_t nullity) override {
    const bool keeps_numbers = reuse_ == Reuse::hierarchy;
    const double fitting = 1.0 / middle(magnitudes);
    if (!takes_float<T>(magnitudes, candidates_, multigrid_.options) ||
        (keeps_numbers && (!are_of_one_size(magnitudes, magnitudes_) || !is_near(scale_, fitting)))) {
      A_->update_values(ctx, std::move(A));
      return false;
    }
    if (!keeps_numbers) {
      scale_ = fitting;
    }
    CsrMatrix<float, S> scaled;
    if (A_->storage() == Storage::csr) {
      scaled = to_float(ctx, borrow(A), scale_);
      A_->update_values(ctx, std::move(A));
    } else {
      const bool was_light = A_->is_light();
      A_->update_values(ctx, borrow(A));
      if (was_light && !A_->is_light()) {
        *A_ = Operator<T, S>::leaving(ctx, A, multigrid_.options.storage);
      }
      scaled = to_float(ctx, std::move(A), scale_);
    }
    try {
      multigrid_.hierarchy->update_values(ctx, std::move(scaled),
                                          Operator<float, S>::converted_if_light(ctx, *A_, scale_));
    } catch (const BreakdownError&) {
      return false;
    }
    return has_null_vectors_of(nullity);
  }
  /// Whether float takes no more vectors to zero than A, of which so many are known: the cycle would not correct them.
  bool has_null_vectors_of(std::int64_t nullity) const {
    const HierarchySummary found = multigrid_.hierarchy->summary();
    return nullity > 0 ? found.vanishing_pivots <= nullity : !found.may_be_singular;
  }
  const Operator<T, S>& matrix() const override { return *A_; }
  std::size_t shared_levels() const override { return multigrid_.hierarchy->shared_levels(); }
  bool is_connected(Context<S>& ctx) const override { return multigrid_.hierarchy->is_connected(ctx); }
  HierarchySummary summary() const override {
    HierarchySummary result = multigrid_.summary();
    result.levels.front().bytes += A_->bytes() + r_.bytes() + z_.bytes() + scales_.bytes();
    return result;
  }
  CsrMatrix<T, Host> level_matrix(Context<S>& ctx, Context<Host>& host, int level, LevelPart part) const override {
    const Operator<float, S>& stored = part_of(*multigrid_.hierarchy, level, part);
    if (part == LevelPart::A && level == 0) {
      return A_->to_csr(ctx, host);
    }
    return convert_values<T>(host, stored.to_csr(ctx, host), part == LevelPart::A ? 1.0 / scale_ : 1.0);
  }
  std::vector<std::vector<Index>> aggregates(Context<S>& ctx) const override {
    return aggregates_of(ctx, *multigrid_.hierarchy);
  }

 private:
  /// M⁻¹ r / scale.
  MultiVectorView<const float, S> apply_in_float(Context<S>& ctx, MultiVectorView<const T, S> r) {
    reserve_r(ctx, r);
    {
      ScopedTimer timer(ctx, "conversion");
      copy<T, float>(ctx, r, r_);
    }
    return multigrid_.cycle.apply(ctx, r_);
  }

  void reserve_r(Context<S>& ctx, MultiVectorView<const T, S> r) {
    columns_of_r_.reserve(ctx.communicator(), r.columns, [&] { r_ = MultiVector<float, S>(ctx, r.rows, r.columns); });
  }
  void reserve_z(Context<S>& ctx, MultiVectorView<const T, S> r) {
    columns_of_z_.reserve(ctx.communicator(), r.columns, [&] {
      z_ = MultiVector<T, S>(ctx, r.rows, r.columns);
      scales_ = Buffer<double, S>(ctx, static_cast<std::size_t>(r.columns));
    });
  }

  Reuse reuse_;
  RowMagnitudes magnitudes_{};  ///< of the A that levels were set up for
  double scale_;                ///< the hierarchy is that of scale · A
  Index candidates_;
  std::shared_ptr<Operator<T, S>> A_;
  Multigrid<float, S> multigrid_;
  MultiVector<float, S> r_;  ///< r and z in the other precision, z where it is asked for
  ReservedColumns columns_of_r_;
  MultiVector<T, S> z_;
  ReservedColumns columns_of_z_;
  Buffer<double, S> scales_;  ///< of columns
};

/// Of a hierarchy that is not in float.
template <MemorySpace S>
void note_precision(Context<S>& ctx, const AmgOptions& options) {
  if (options.precision == Precision::mixed) {
    ctx.profile().note("the hierarchy is in double: the rows of the matrix differ too much in size for float");
  }
}

/// Rounding to float may make a matrix indefinite or singular that is nearly singular, long chains for one.
template <MemorySpace S>
void note_breakdown(Context<S>& ctx) {
  ctx.profile().note("the hierarchy is in double: in float it was singular or indefinite");
}

}  // namespace

template <class T>
bool takes_float(const RowMagnitudes& magnitudes, Index candidates, const AmgOptions& options) {
  const double spread = magnitudes.largest / magnitudes.smallest;
  // Bodies of flat elements take more iterations in float.
  const bool is_chosen = options.precision == Precision::automatic && options.block_size.value_or(1) == 1 &&
                         candidates <= 1 && spread < most_spread_of_mixed;
  return sizeof(T) > sizeof(float) &&
         (is_chosen || (options.precision == Precision::mixed && spread < most_spread_in_float));
}

template bool takes_float<float>(const RowMagnitudes&, Index, const AmgOptions&);
template bool takes_float<double>(const RowMagnitudes&, Index, const AmgOptions&);

template <class T, MemorySpace S>
std::unique_ptr<MultigridPreconditioner<T, S>> make_multigrid_preconditioner(
    Context<S>& ctx, CsrMatrix<T, S> A, const RowMagnitudes& magnitudes, MultiVectorView<const T, S> near_nullspace,
    std::int64_t nullity, const AmgOptions& options, Reuse reuse, Operator<T, S> light) {
  if constexpr (!std::is_same_v<T, float>) {
    if (takes_float<T>(magnitudes, near_nullspace.columns, options)) {
      const double scale = 1.0 / middle(magnitudes);
      const auto stored = std::make_shared<Operator<T, S>>(
          Operator<T, S>::leaving(ctx, A, options.storage, nullptr, 0, std::exchange(light, {})));
      CsrMatrix<float, S> scaled = to_float(ctx, std::move(A), scale);
      try {
        auto made = std::make_unique<InFloat<T, S>>(ctx, stored, magnitudes, scale, std::move(scaled),
                                                    Operator<float, S>::converted_if_light(ctx, *stored, scale),
                                                    near_nullspace, options, reuse);
        if (made->has_null_vectors_of(nullity)) {
          return made;
        }
      } catch (const BreakdownError&) {  // as a vanishing pivot: in double it may be another one
      }
      note_breakdown(ctx);
      A = stored->to_csr(ctx);
    } else {
      note_precision(ctx, options);
    }
  }
  return std::make_unique<InSamePrecision<T, S>>(ctx, std::move(A), magnitudes, near_nullspace, options, reuse,
                                                 std::move(light));
}

template <class T, MemorySpace S>
std::unique_ptr<MultigridPreconditioner<T, S>> make_shared_preconditioner(Context<S>& ctx, LocalMatrix<T, S>& A,
                                                                          const RowMagnitudes& magnitudes,
                                                                          MultiVectorView<const T, S> near_nullspace,
                                                                          const AmgOptions& options,
                                                                          Operator<T, S> light) {
  if constexpr (!std::is_same_v<T, float>) {
    if (takes_float<T>(magnitudes, near_nullspace.columns, options)) {
      const double scale = 1.0 / middle(magnitudes);
      const auto stored = std::make_shared<Operator<T, S>>(
          Operator<T, S>::leaving(ctx, A.A, options.storage, std::make_shared<Halo<T, S>>(A.layout),
                                  A.layout->first_row(), std::exchange(light, {})));
      const auto give_back = [&] { A.A = collectively(ctx.communicator(), [&] { return stored->to_csr(ctx); }); };
      LocalMatrix<float, S> scaled{{}, A.layout};
      Operator<float, S> in_float;
      MultiVector<float, S> candidates;
      collectively(ctx.communicator(), [&] {
        candidates = to_float(ctx, near_nullspace);
        // Columns may be renumbered in place, as those of another window.
        scaled.A = to_own_float(ctx, std::move(A.A), scale);
        in_float =
            Operator<float, S>::converted_if_light(ctx, *stored, scale, std::make_shared<Halo<float, S>>(A.layout));
      });
      try {
        return std::make_unique<InFloat<T, S>>(ctx, stored, scale, std::move(scaled), std::move(in_float),
                                               std::as_const(candidates).view(), options);
      } catch (const NotShareable&) {
        give_back();
        throw;
      } catch (const BreakdownError&) {
        note_breakdown(ctx);
      }
      give_back();
    } else {
      note_precision(ctx, options);
    }
  }
  return std::make_unique<InSamePrecision<T, S>>(ctx, A, near_nullspace, options, std::move(light));
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                           \
  template std::unique_ptr<MultigridPreconditioner<T, S>> make_multigrid_preconditioner(                     \
      Context<S>&, CsrMatrix<T, S>, const RowMagnitudes&, MultiVectorView<const T, S>, std::int64_t,         \
      const AmgOptions&, Reuse, Operator<T, S>);                                                             \
  template std::unique_ptr<MultigridPreconditioner<T, S>> make_shared_preconditioner(                        \
      Context<S>&, LocalMatrix<T, S>&, const RowMagnitudes&, MultiVectorView<const T, S>, const AmgOptions&, \
      Operator<T, S>);

AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
