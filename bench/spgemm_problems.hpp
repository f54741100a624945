#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "amg/coarsening.hpp"
#include "amg/diagonal.hpp"
#include "amg/spectral_radius.hpp"
#include "amg/tentative.hpp"
#include "bench/common.hpp"
#include "bench/meshes.hpp"
#include "bench/random_matrices.hpp"
#include "core/errors.hpp"
#include "problems/generate.hpp"
#include "problems/matrix_market.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "spmv/transfer.hpp"

/// What bench_spgemm multiplies.
namespace amgsolve::bench {

/// The structured problems of problem() and those that only sparse products are measured on:
///   p1_2d, p1_3d     linear elements on unstructured meshes, 1024² and 101³ nodes (bench/meshes.hpp)
///   random_inner     1024 × 1024² times 1024² × 1024, both random of density 1e-3
///   random_outer     the other way round: 1.1 G products, 13 GB of result in double precision
///   scale_free       a graph as large and uneven as webbase-1M (bench/random_matrices.hpp)
///   small            n × n for n = 10 … 100 (bench/spgemm_small.hpp)
inline std::vector<std::string> spgemm_problem_names() {
  std::vector<std::string> names = problem_names();
  names.insert(names.end(), {"p1_2d", "p1_3d", "random_inner", "random_outer", "scale_free", "small"});
  return names;
}

/// The matrix A of a problem; of a pair that is multiplied as it stands, also B.
template <class T, MemorySpace S>
struct SpgemmOperands {
  CsrMatrix<T, S> A;
  CsrMatrix<T, S> B;
};

/// The matrix build(host context), in the context's space.
template <class T, class Build>
CsrMatrix<T, Host> build_in(Context<Host>& ctx, const Build& build) {
  return build(ctx);
}
template <class T, class Build>
CsrMatrix<T, Cuda> build_in(Context<Cuda>& ctx, const Build& build) {
  Context<Host> host;
  return upload(ctx, build(host));
}

template <class T, MemorySpace S>
SpgemmOperands<T, S> make_operands(Context<S>& ctx, const std::string& name) {
  constexpr Index large = 1 << 20;
  constexpr Index small = 1024;
  constexpr double density = 1e-3;
  const auto build = [&](auto&& make) { return build_in<T>(ctx, make); };
  if (name == "p1_2d") {
    return {build([](Context<Host>& host) { return triangle_mesh_matrix<T>(host, 1024); }), {}};
  }
  if (name == "p1_3d") {
    return {build([](Context<Host>& host) { return tetrahedron_mesh_matrix<T>(host, 101); }), {}};
  }
  if (name == "scale_free") {
    return {build([](Context<Host>& host) { return scale_free_matrix<T>(host); }), {}};
  }
  if (name == "random_inner" || name == "random_outer") {
    auto wide = build([](Context<Host>& host) { return random_sparse_matrix<T>(host, small, large, density, 1); });
    auto tall = build([](Context<Host>& host) { return random_sparse_matrix<T>(host, large, small, density, 2); });
    return name == "random_inner" ? SpgemmOperands<T, S>{std::move(wide), std::move(tall)}
                                  : SpgemmOperands<T, S>{std::move(tall), std::move(wide)};
  }
  return {generate_matrix<T>(ctx, problem(name)), {}};
}

template <class T, MemorySpace S>
SpgemmOperands<T, S> read_operands(Context<S>& ctx, const std::string& path) {
  return {build_in<T>(ctx, [&](Context<Host>& host) { return read_matrix_market<T>(host, path); }), {}};
}

/// Calls body(name, left, right) for the products that make sense: A B of a pair. Of a symmetric matrix those of the
/// multigrid setup, A P and R (A P) on the finest `levels` levels with what the default options make, and A A. Of
/// others A A where it is square, A Aᵀ and Aᵀ A. Calls skip(reason) where there is no hierarchy.
template <class T, MemorySpace S, class Body, class Skip>
void for_products(Context<S>& ctx, const SpgemmOperands<T, S>& operands, int levels, const Body& body,
                  const Skip& skip) {
  const CsrMatrix<T, S>& A = operands.A;
  if (operands.B.rows > 0) {
    body("A B", A, operands.B);
    return;
  }
  constexpr T symmetry_tolerance = std::same_as<T, float> ? T(1e-5) : T(1e-10);
  const bool square = A.rows == A.cols;
  Buffer<T, S> scales(ctx, static_cast<std::size_t>(A.rows));
  scale_by_rows<T>(ctx, A, scales);
  const bool symmetric = square && find_asymmetry(ctx, A, scales, symmetry_tolerance).row < 0;
  if (symmetric) {
    try {
      MultiVector<T, S> candidates(ctx, A.rows, 1);
      fill_constant_candidates<T>(ctx, candidates);
      const AmgOptions amg;
      FinerLevels finer;
      CsrMatrix<T, S> level = borrow(A);
      for (int l = 0; l < levels && level.rows > amg.coarse_size; ++l) {
        const Buffer<T, S> diagonal = positive_diagonal(ctx, level, l);
        Coarsening<T, S> coarsening(ctx, level, diagonal.span(), candidates, 1, finer, amg);
        if (coarsening.stalls(1)) {
          break;
        }
        const double rho = spectral_radius<T, S>(ctx, level, diagonal, amg.spectral_radius_steps);
        CoarseLevel<T, S> coarse = coarsening.form(ctx, level, level, diagonal.span(), rho, candidates, false);
        const auto entries = [](const CsrMatrix<T, S>& of) { return static_cast<double>(of.nnz()); };
        finer = finer.below(coarsening.kind(), entries(coarse.A) / entries(level));
        const std::string suffix = l == 0 ? "" : ", level " + std::to_string(l);
        body("A P" + suffix, level, coarse.P);
        body("R (A P)" + suffix, coarse.R, multiply(ctx, level, coarse.P));
        level = std::move(coarse.A);
      }
    } catch (const BreakdownError& error) {
      skip(error.what());
    }
  }
  if (square) {
    body("A A", A, A);
  }
  if (!symmetric) {
    const CsrMatrix<T, S> At = transpose(ctx, A);
    body("A Aᵀ", A, At);
    body("Aᵀ A", At, A);
  }
}

}  // namespace amgsolve::bench
