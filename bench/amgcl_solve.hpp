#pragma once

#include "bench/peer_result.hpp"
#include "spmv/csr_matrix.hpp"

/// AMGCL's smoothed aggregation with its sparse approximate inverse (spai0) under conjugate gradients, on OpenMP
/// threads and with 32-bit columns, beside our solver. Header-only: where its headers were found when this was built.
namespace amgsolve::bench {

bool have_amgcl();

/// eps_strong as AMGCL sets it, halved from level to level.
inline constexpr double amgcl_default_strength = 0.08;

/// Solve A x = 1 from zero.
PeerResult solve_with_amgcl(const CsrMatrix<double, Host>& A, int threads, double strength, double tolerance,
                            int max_iterations);

}  // namespace amgsolve::bench
