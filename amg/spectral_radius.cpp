#include "amg/spectral_radius.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <utility>
#include <vector>

#include "amg/diagonal.hpp"
#include "spmv/blas1.hpp"
#include "spmv/random.hpp"
#include "spmv/spmv.hpp"

namespace amgsolve {
namespace {

/// The largest eigenvalue of the symmetric tridiagonal matrix that Lanczos built.
double largest_ritz_value(const std::vector<double>& alpha, const std::vector<double>& beta) {
  const auto n = static_cast<Eigen::Index>(alpha.size());
  const Eigen::VectorXd main_diagonal = Eigen::Map<const Eigen::VectorXd>(alpha.data(), n);
  const Eigen::VectorXd off_diagonal = Eigen::Map<const Eigen::VectorXd>(beta.data(), n - 1);
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigenvalues;
  eigenvalues.computeFromTridiagonal(main_diagonal, off_diagonal, Eigen::EigenvaluesOnly);
  return eigenvalues.eigenvalues()(n - 1);
}

}  // namespace

template <class T, MemorySpace S>
double spectral_radius(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const std::type_identity_t<T>, S> diagonal,
                       int steps) {
  constexpr std::uint64_t seed = 1;
  const auto n = static_cast<std::size_t>(A.rows);
  WorkspaceScope scope(ctx.workspace());
  const auto vector = [&] { return FatView<T, S>(scope.template take<T>(n).data(), A.rows); };
  const auto scaling = scope.template take<T>(n);
  invert_diagonal<T>(ctx, diagonal, true, scaling);
  FatView<T, S> v = vector();
  FatView<T, S> v_previous = vector();
  FatView<T, S> scaled = vector();
  FatView<T, S> w = vector();
  const auto product = scope.template take<double>(1);
  const auto dot_to_host = [&](FatView<const T, S> x, FatView<const T, S> y) {
    double value = 0.0;
    dot<T>(ctx, x, y, product);
    to_host(ctx, product, &value);
    return value;
  };

  fill_random<T>(ctx, seed, scaled);
  // The start vector has no part in the rows left out, so no product has either.
  scale_rows<T>(ctx, scaling, scaled, v);
  double norm = std::sqrt(dot_to_host(v, v));
  if (norm == 0.0) {
    return 0.0;
  }
  axpby<T>(ctx, T{0}, v, static_cast<T>(1.0 / norm), v);
  std::vector<double> alpha;
  std::vector<double> beta;
  for (int step = 0; step < steps; ++step) {
    scale_rows<T>(ctx, scaling, v, scaled);
    spmv<T>(ctx, T{1}, A, scaled, T{0}, w);
    scale_rows<T>(ctx, scaling, w, w);
    alpha.push_back(dot_to_host(v, w));
    axpby<T>(ctx, static_cast<T>(-alpha.back()), v, T{1}, w);
    if (step > 0) {
      axpby<T>(ctx, static_cast<T>(-beta.back()), v_previous, T{1}, w);
    }
    norm = std::sqrt(dot_to_host(w, w));
    // The Krylov space is exhausted: the Ritz values are eigenvalues.
    if (step + 1 == steps || norm <= 1e-6 * std::abs(alpha.front())) {
      break;
    }
    beta.push_back(norm);
    std::swap(v, v_previous);
    axpby<T>(ctx, static_cast<T>(1.0 / norm), w, T{0}, v);
  }
  beta.resize(alpha.size() - 1);
  return largest_ritz_value(alpha, beta);
}

template double spectral_radius(Context<Host>&, const CsrMatrix<float, Host>&, Span<const float, Host>, int);
template double spectral_radius(Context<Host>&, const CsrMatrix<double, Host>&, Span<const double, Host>, int);
#if AMGSOLVE_HAVE_CUDA
template double spectral_radius(Context<Cuda>&, const CsrMatrix<float, Cuda>&, Span<const float, Cuda>, int);
template double spectral_radius(Context<Cuda>&, const CsrMatrix<double, Cuda>&, Span<const double, Cuda>, int);
#endif

}  // namespace amgsolve
