#include "amg/spectral_radius.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "amg/diagonal.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "core/shared_blocks.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/random.hpp"

namespace amgsolve {
namespace {

/// The extreme eigenvalues of the symmetric tridiagonal matrix that Lanczos built.
RitzValues extreme_ritz_values(const std::vector<double>& alpha, const std::vector<double>& beta) {
  const auto n = static_cast<Eigen::Index>(alpha.size());
  const Eigen::VectorXd main_diagonal = Eigen::Map<const Eigen::VectorXd>(alpha.data(), n);
  const Eigen::VectorXd off_diagonal = Eigen::Map<const Eigen::VectorXd>(beta.data(), n - 1);
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigenvalues;
  eigenvalues.computeFromTridiagonal(main_diagonal, off_diagonal, Eigen::EigenvaluesOnly);
  return {eigenvalues.eigenvalues()(0), eigenvalues.eigenvalues()(n - 1)};
}

/// What Lanczos steps tell.
struct LanczosValues {
  RitzValues ritz;
  double first = 0.0;  ///< the Rayleigh quotient of the vector that they begin at

  /// How much of what they find the first vector has.
  double richness() const { return first / ritz.largest; }
};

/// The same from what lanczos_step leaves of each step.
LanczosValues extreme_ritz_values(Span<const double, Host> norms_squared, Span<const double, Host> curvatures) {
  std::vector<double> alpha;
  std::vector<double> beta;
  for (std::size_t j = 0; j < curvatures.size(); ++j) {
    const double norm = std::sqrt(norms_squared[j]);
    // The Krylov space is exhausted, and the Ritz values are eigenvalues: what follows is rounding errors.
    if (norm == 0.0 || (j > 0 && norm <= 1e-6 * std::abs(alpha.front()))) {
      break;
    }
    if (j > 0) {
      beta.push_back(norm);
    }
    alpha.push_back(curvatures[j] / norms_squared[j]);
  }
  return alpha.empty() ? LanczosValues{} : LanczosValues{extreme_ritz_values(alpha, beta), alpha.front()};
}

/// See spectral_radius().
template <class T, MemorySpace S>
LanczosValues lanczos(Context<S>& ctx, const Operator<T, S>& A, Span<const T, S> diagonal, int steps,
                      Buffer<T, S>* start, std::int64_t first_row = 0) {
  constexpr std::uint64_t seed = 1;
  const SameRows<S> same_rows(ctx, A.rows());
  const auto n = static_cast<std::size_t>(A.rows());
  const auto count = static_cast<std::size_t>(steps);
  WorkspaceScope<S> scope(ctx.workspace());
  const auto vector = [&](Margins margins = {}) { return MultiVector<T, S>::scratch(scope, A.rows(), 1, margins); };
  MultiVectorView<T, S> v;
  MultiVectorView<T, S> v_previous;
  MultiVectorView<T, S> product;
  // Scalars stay in the context's space until all steps are done: 0 and 1, ‖v_j‖²_D and v_jᵀ A v_j for every step j.
  Span<double, S> scalars;
  collectively(ctx.communicator(), [&] {
    v = vector(A.margins());
    v_previous = vector(A.margins());
    product = vector();
    scalars = scope.template take<double>(2 + 2 * count);
  });
  const auto scalar = [&](std::size_t i) { return scalars.subspan(i, 1); };
  const auto norm_squared = [&](std::size_t step) { return scalar(2 + step); };
  const auto curvature = [&](std::size_t step) { return scalar(2 + count + step); };
  const double zero_and_one[] = {0.0, 1.0};
  upload<double>(ctx, {zero_and_one, 2}, scalars.subspan(0, 2));

  const bool keep_start = start != nullptr && start->empty();
  if (start == nullptr || keep_start) {
    fill_random<T>(ctx, seed, product, static_cast<std::uint64_t>(first_row));
    scale_by_roots<T>(ctx, diagonal, product.span());
  } else {
    scale_rows<T>(ctx, diagonal, MultiVectorView<const T, S>(start->data(), A.rows()), product);
  }
  if (keep_start) {
    *start = Buffer<T, S>(ctx, n);
  }
  // v = D⁻¹ product without the rows left out, so that no product has a part in them either.
  lanczos_step<T>(ctx, diagonal, product, product, scalar(0), scalar(1), scalar(0), v, norm_squared(0));
  for (std::size_t j = 0;; ++j) {
    if (keep_start) {
      // The Ritz vector where the Lanczos coefficients are all the same, as they nearly are. All but the first of the
      // vectors then have the same length, too.
      const double weight = std::sin(std::numbers::pi * static_cast<double>(j + 1) / static_cast<double>(steps + 1));
      axpby<T>(ctx, static_cast<T>(weight), v, j < 2 ? T{0} : T{1}, MultiVectorView<T, S>(start->data(), A.rows()));
    }
    A.apply(ctx, T{1}, v, T{0}, product);
    dot<T>(ctx, v, product, curvature(j));
    if (j + 1 == count) {
      break;
    }
    lanczos_step<T>(ctx, diagonal, product, v, curvature(j), norm_squared(j), j > 0 ? norm_squared(j - 1) : scalar(0),
                    v_previous, norm_squared(j + 1));
    std::swap(v, v_previous);
  }
  std::vector<double> results(2 * count);
  to_host(ctx, scalars.subspan(2, 2 * count), results.data());
  return extreme_ritz_values({results.data(), count}, {results.data() + count, count});
}

/// Where a start has less than this of the richness that it had, the eigenvectors of the largest eigenvalues are
/// others.
constexpr double least_richness = 0.9;

template <class T, MemorySpace S>
Operator<T, S> operator_of(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  return {ctx, borrow(A), Storage::csr};
}

}  // namespace

template <class T, MemorySpace S>
double spectral_radius(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const std::type_identity_t<T>, S> diagonal,
                       int steps, Buffer<T, S>* start) {
  return lanczos<T>(ctx, operator_of(ctx, A), diagonal, steps, start).ritz.largest;
}

template <class T, MemorySpace S>
double spectral_radius(Context<S>& ctx, const Operator<T, S>& A, Span<const std::type_identity_t<T>, S> diagonal,
                       int steps, std::int64_t first_row) {
  return lanczos<T>(ctx, A, diagonal, steps, static_cast<Buffer<T, S>*>(nullptr), first_row).ritz.largest;
}

template <class T, MemorySpace S>
double spectral_radius(Context<S>& ctx, const Operator<T, S>& A, const BlockDiagonal<T, S>& inverse_blocks, int steps,
                       std::int64_t first_row) {
  // Lanczos for D_B⁻¹A in the inner product of D_B, by pairs v and p = D_B v, of which only the inverse is needed.
  constexpr std::uint64_t seed = 1;
  const SameRows<S> same_rows(ctx, A.rows());
  WorkspaceScope<S> scope(ctx.workspace());
  const auto vector = [&](Margins margins = {}) { return MultiVector<T, S>::scratch(scope, A.rows(), 1, margins); };
  MultiVectorView<T, S> v;
  MultiVectorView<T, S> p;
  MultiVectorView<T, S> q;
  MultiVectorView<T, S> q_previous;
  Span<double, S> scalar;
  collectively(ctx.communicator(), [&] {
    v = vector(A.margins());
    p = vector();
    q = vector();
    q_previous = vector();
    scalar = scope.template take<double>(1);
  });
  const auto product_of = [&](MultiVectorView<T, S> x, MultiVectorView<T, S> y) {
    dot<T>(ctx, x, y, scalar);
    return element(ctx, scalar, 0);
  };
  std::vector<double> norms_squared;
  std::vector<double> curvatures;
  fill_random<T>(ctx, seed, p, static_cast<std::uint64_t>(first_row));
  A.extract_diagonal(ctx, v.span());
  scale_by_roots<T>(ctx, v.span(), p.span());
  fill<T>(ctx, T{0}, q);
  for (int step = 0; step < steps; ++step) {
    apply_blocks(ctx, T{1}, inverse_blocks, p, T{0}, v);
    const double square = product_of(v, p);
    if (!(square > 0.0)) {
      break;
    }
    const double norm = std::sqrt(square);
    const auto scale = static_cast<T>(1.0 / norm);
    std::swap(q, q_previous);
    axpby<T>(ctx, scale, p, T{0}, q);
    axpby<T>(ctx, T{0}, v, scale, v);
    A.apply(ctx, T{1}, v, T{0}, p);
    const double curvature = product_of(v, p);
    axpby<T>(ctx, static_cast<T>(-curvature), q, T{1}, p);
    axpby<T>(ctx, static_cast<T>(step > 0 ? -norm : 0.0), q_previous, T{1}, p);
    norms_squared.push_back(square);
    curvatures.push_back(curvature * square);
  }
  return extreme_ritz_values({norms_squared.data(), norms_squared.size()}, {curvatures.data(), curvatures.size()})
      .ritz.largest;
}

template <class T, MemorySpace S>
RitzValues ritz_values(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const std::type_identity_t<T>, S> diagonal,
                       int steps) {
  return lanczos<T>(ctx, operator_of(ctx, A), diagonal, steps, static_cast<Buffer<T, S>*>(nullptr)).ritz;
}

template <class T, MemorySpace S>
double row_sum_norm(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const std::type_identity_t<T>, S> diagonal) {
  WorkspaceScope<S> scope(ctx.workspace());
  const auto inverse_norms = scope.template take<T>(static_cast<std::size_t>(A.rows));
  invert_l1_norms<T>(ctx, A, inverse_norms);
  return largest_inverse_product<T, S>(ctx, inverse_norms, diagonal);
}

template <class T, MemorySpace S>
double RadiusEstimate<T, S>::of(Context<S>& ctx, const Operator<T, S>& A,
                                Span<const std::type_identity_t<T>, S> diagonal, int steps, bool keeps_start) {
  const auto found_from = [&](Buffer<T, S>* start) { return lanczos<T>(ctx, A, diagonal, steps, start).ritz.largest; };
  const auto restarted = [&] { return lanczos<T>(ctx, A, diagonal, spectral_radius_restart_steps, &start_); };
  if (!start_.empty() && restarted_ > 0.0) {
    const LanczosValues now = restarted();
    const bool is_similar = now.richness() >= least_richness * richness_;
    return is_similar ? estimate_ * (now.ritz.largest / restarted_) : found_from(nullptr);
  }
  estimate_ = found_from(keeps_start ? &start_ : nullptr);
  restarted_ = 0.0;
  if (keeps_start) {
    const LanczosValues first = restarted();
    restarted_ = first.ritz.largest;
    richness_ = first.richness();
  }
  return estimate_;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                    \
  template double spectral_radius(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, int, Buffer<T, S>*);         \
  template double spectral_radius(Context<S>&, const Operator<T, S>&, Span<const T, S>, int, std::int64_t);           \
  template double spectral_radius(Context<S>&, const Operator<T, S>&, const BlockDiagonal<T, S>&, int, std::int64_t); \
  template RitzValues ritz_values(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, int);                        \
  template double row_sum_norm(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>);                                \
  template class RadiusEstimate<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
