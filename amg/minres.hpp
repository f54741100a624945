#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "amg/iterative_method.hpp"
#include "amg/preconditioner.hpp"

namespace amgsolve {

/// MINRES (Paige, Saunders 1975) for a symmetric A of any signs, every column with its own coefficients: x has the
/// smallest ‖b − A x‖ in the norm of M⁻¹ of its Krylov space, for a symmetric positive definite preconditioner M. A
/// step is one product, one application of M⁻¹, and some passes over six vectors, however many steps there are.
/// A column breaks down where rᵀM⁻¹r < 0 shows that M is not definite, where a pivot vanishes beside the norm of
/// Lanczos' tridiagonal matrix: A is singular and b not in its range. Rounding errors keep such a pivot from vanishing;
/// instead directions grow as large as their reciprocal, and the rounding errors of x with them. So a column breaks
/// down, too, where those, by a running estimate, have doubled the smallest residual of before: with much of it left,
/// A is singular, or nearly so. One whose residual is nothing but rounding is left as it is.
template <class T, MemorySpace S>
class Minres : public IterativeMethod<T, S> {
 public:
  /// @param A  and the preconditioner outlive the method
  Minres(Context<S>& ctx, const Operator<T, S>& A, Preconditioner<T, S>& preconditioner, Index columns);

  void restart(Context<S>& ctx, Span<const double, S> units) override;
  void step(Context<S>& ctx, MultiVectorView<T, S> x, MultiVectorView<T, S> r, std::span<StepOutcome> columns) override;
  void leave(Context<S>& /*ctx*/, std::size_t column) override { columns_[column].leave(); }

 private:
  /// A Givens rotation.
  struct Rotation {
    double c = 1.0;
    double s = 0.0;
  };

  /// The square of a vector's norm that follows the recurrence of w, its parts from different steps being orthogonal.
  struct Growth {
    double square = 0.0;
    double last_square = 0.0;  ///< of the vector before
    double product = 0.0;      ///< of the two

    void advance(double of_w, double of_last_w, double new_square) {
      const double next = of_w * of_w * square + of_last_w * of_last_w * last_square + 2 * of_w * of_last_w * product;
      product = of_w * square + of_last_w * product;
      last_square = std::exchange(square, new_square + std::max(next, 0.0));
    }
  };

  /// The rounding errors of A x in the norm of M⁻¹ that are to be expected.
  class Drift {
   public:
    /// Takes a step of length · w for w = new_part · z + of_w · w + of_last_w · last_w.
    /// @param roundoff  unit roundoff times the norm of A
    void add(double new_part, double of_w, double of_last_w, double length, double roundoff);
    double norm() const { return std::sqrt(square_); }

   private:
    Growth direction_;  ///< w
    Growth error_;      ///< of A w
    double square_ = 0.0;
    double with_error_ = 0.0;  ///< inner product with error_, and with the one before
    double with_last_error_ = 0.0;
  };

  /// Coefficients of a step; of a column that is over they change nothing.
  struct Column {
    double unit = 1.0;
    double start = 0.0;       ///< ‖r‖ in the norm of M⁻¹ before the first step
    double eta = 0.0;         ///< ±‖r‖ in that norm
    double least = 0.0;       ///< the smallest ‖b − A x‖ in that norm so far, with the rounding errors of x
    double gamma = 0.0;       ///< ‖v‖ in the norm of M⁻¹
    double last_gamma = 1.0;  ///< that of the vector before
    double delta = 0.0;       ///< the diagonal entry of the tridiagonal matrix
    double norm = 0.0;        ///< the largest row sum of that matrix so far
    Rotation rotation{};      ///< the newest, and the one before
    Rotation last_rotation{};
    double inverse_pivot = 0.0;
    double of_w = 0.0;       ///< in the next w
    double of_last_w = 0.0;  ///< likewise
    double length = 0.0;     ///< of the step along w
    double keep = 1.0;       ///< what stays of r
    Drift drift{};
    std::optional<StopReason> breakdown{};
    bool is_over = false;

    /// It stays as it is from now on.
    void leave() {
      is_over = true;
      inverse_pivot = of_w = of_last_w = length = 0.0;
      keep = 1.0;
    }
    void stop(StopReason reason = StopReason::exhausted) {
      breakdown = breakdown ? breakdown : reason;
      leave();
    }
  };

  Span<double, S> scalar(std::size_t i) { return scalars_.span().subspan(i * columns_.size(), columns_.size()); }
  template <class Value>
  Span<const double, S> factors(Context<S>& ctx, const Value& value);
  const std::vector<double>& inner_products(Context<S>& ctx, MultiVectorView<const T, S> a,
                                            MultiVectorView<const T, S> b);
  void begin(Context<S>& ctx, MultiVectorView<const T, S> r);
  void normalize(Context<S>& ctx, MultiVectorView<const T, S> z);
  void rotate(Column& column, double gamma_squared) const;

  const Operator<T, S>* A_;
  Preconditioner<T, S>* preconditioner_;
  std::vector<Column> columns_;
  double scale_ = 1.0;   ///< of v: a power of two, so that single precision has room for them
  MultiVector<T, S> v_;  ///< Lanczos' vectors: γ times orthonormal ones in the inner product of M⁻¹
  MultiVector<T, S> last_v_;
  MultiVector<T, S> next_v_;
  MultiVector<T, S> z_;  ///< M⁻¹v / γ
  MultiVector<T, S> w_;  ///< directions
  MultiVector<T, S> last_w_;
  Buffer<double, S> scalars_;  ///< an inner product, then a factor, each for all columns
  std::vector<double> host_products_;
  std::vector<double> host_factors_;
  bool is_first_ = true;
};

}  // namespace amgsolve
