#include "amg/residual_polynomial.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/collectively.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/shared_blocks.hpp"
#include "spmv/blas1.hpp"
#include "spmv/random.hpp"

namespace amgsolve {
namespace {

/// The inverse harmonic Ritz values: eigenvalues of (HᵀH)⁻¹ H_mᵀ, with the first m rows of the (m + 1) × m Hessenberg
/// matrix H for H_m. A vanishing one is a root at infinity.
std::vector<std::complex<double>> inverse_roots(const Eigen::MatrixXd& H) {
  const Eigen::MatrixXd M = H.completeOrthogonalDecomposition().solve(Eigen::MatrixXd::Identity(H.rows(), H.cols()));
  const Eigen::EigenSolver<Eigen::MatrixXd> eigen(M, false);
  std::vector<std::complex<double>> roots(eigen.eigenvalues().begin(), eigen.eigenvalues().end());
  // Conjugates, which are equal in size, have the one above the axis first.
  std::ranges::stable_sort(roots, {}, [](std::complex<double> mu) { return std::abs(mu); });
  return roots;
}

}  // namespace

template <class T, MemorySpace S>
std::vector<std::complex<double>> residual_polynomial(Context<S>& ctx, const Operator<T, S>& A,
                                                      std::type_identity_t<Span<const T, S>> scaling, int degree,
                                                      std::int64_t first_row) {
  if (degree < 1 || degree > highest_residual_degree) {
    throw std::invalid_argument(
        format_text("a residual polynomial of degree {}: there are 1 to {}", degree, highest_residual_degree));
  }
  constexpr std::uint64_t seed = 2;
  // Beside the first product: what is less is rounding errors.
  constexpr double vanishing = 64.0 * std::numeric_limits<T>::epsilon();
  const SameRows<S> same_rows(ctx, A.rows());
  WorkspaceScope<S> scope(ctx.workspace());
  const auto vector = [&](Margins margins = {}) { return MultiVector<T, S>::scratch(scope, A.rows(), 1, margins); };
  const auto normalize = [&](MultiVectorView<T, S> v, double norm) {
    axpby<T>(ctx, static_cast<T>(1.0 / norm), v, T{0}, v);
  };
  std::vector<MultiVectorView<T, S>> basis;
  MultiVectorView<T, S> product;
  Span<double, S> scalar;
  collectively(ctx.communicator(), [&] {
    for (int k = 0; k <= degree; ++k) {
      basis.push_back(vector(A.margins()));
    }
    product = vector();
    scalar = scope.template take<double>(1);
  });
  // Arnoldi's method with modified Gram-Schmidt.
  fill_random<T>(ctx, seed, basis.front(), static_cast<std::uint64_t>(first_row));
  normalize(basis.front(), norms<T>(ctx, basis.front()).front());
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(degree + 1, degree);
  for (Eigen::Index k = 0;; ++k) {
    const auto column = static_cast<std::size_t>(k);
    A.apply(ctx, T{1}, basis[column], T{0}, product);
    const MultiVectorView<T, S> next = basis[column + 1];
    scale_rows<T>(ctx, scaling, product, next);
    for (Eigen::Index i = 0; i <= k; ++i) {
      const MultiVectorView<T, S> v = basis[static_cast<std::size_t>(i)];
      dot<T>(ctx, v, next, scalar);
      to_host(ctx, scalar, &H(i, k));
      axpby<T>(ctx, static_cast<T>(-H(i, k)), v, T{1}, next);
    }
    H(k + 1, k) = norms<T>(ctx, next).front();
    const bool is_exhausted = !(H(k + 1, k) > vanishing * H.col(0).norm());
    if (is_exhausted && H.col(k).norm() <= vanishing * H.col(0).norm()) {
      return k == 0 ? std::vector<std::complex<double>>{} : inverse_roots(H.topLeftCorner(k + 1, k));
    }
    if (is_exhausted || k + 1 == degree) {
      return inverse_roots(H.topLeftCorner(k + 2, k + 1));
    }
    normalize(next, H(k + 1, k));
  }
}

#define AMGSOLVE_INSTANTIATE(T, S)                                \
  template std::vector<std::complex<double>> residual_polynomial( \
      Context<S>&, const Operator<T, S>&, std::type_identity_t<Span<const T, S>>, int, std::int64_t);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
