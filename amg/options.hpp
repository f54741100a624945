#pragma once

#include "core/types.hpp"
#include "spgemm/spgemm.hpp"

/// The choices of the multigrid setup and of the solve. Their defaults are the documented ones of problem.yaml.
namespace amgsolve {

enum class SmootherType {
  jacobi,     ///< x += ω D⁻¹(b − A x) with ω = damping / ρ(D⁻¹A)
  l1_jacobi,  ///< x += D_l1⁻¹(b − A x), (D_l1)_ii = Σ_j |a_ij|: converges for every SPD matrix, needs no ρ
  chebyshev   ///< Chebyshev polynomial of D⁻¹A on [lower_fraction · ρ, 1.1 ρ]
};

struct SmootherOptions {
  SmootherType type = SmootherType::chebyshev;
  double damping = 4.0 / 3.0;   ///< of Jacobi, divided by ρ(D⁻¹A)
  int degree = 2;               ///< of the Chebyshev polynomial
  double lower_fraction = 0.2;  ///< lower end of the Chebyshev interval, as a fraction of ρ
  int pre_sweeps = 1;
  int post_sweeps = 1;
};

enum class CycleType { v, w };

/// What the hierarchy is stored and the cycle computed in. The Krylov method, its residuals and the solution always
/// have the matrix's own type.
enum class Precision {
  same,  ///< the matrix's own type
  mixed  ///< float under a double matrix: half the values to move
};

struct AmgOptions {
  double strength_threshold = 0.02;  ///< θ: a_ij is strong where |a_ij| > θ √(a_ii a_jj)
  Index block_size = 1;  ///< unknowns per node of the finest level, stored interleaved; strength is between nodes
  bool filter_prolongator = false;         ///< smooth the prolongator with A without its weak connections, lumped
  double prolongator_damping = 4.0 / 3.0;  ///< ω ρ(D⁻¹A) of the smoothed prolongator
  int spectral_radius_steps = 10;          ///< Lanczos steps of the estimate of ρ(D⁻¹A)
  int max_levels = 25;
  Index coarse_size = 500;  ///< a level of at most this many rows is solved directly
  CycleType cycle = CycleType::v;
  SmootherOptions smoother;
  Precision precision = Precision::same;
  SpgemmOptions spgemm;
};

enum class Method {
  cg,   ///< preconditioned conjugate gradients
  fcg,  ///< flexible conjugate gradients (Notay 2000): for a preconditioner that varies
  amg   ///< multigrid cycles alone
};

struct SolverOptions {
  Method method = Method::cg;
  double tolerance = 1e-8;  ///< stop at ‖b − A x‖ ≤ tolerance · ‖b‖, in every column
  int max_iterations = 200;
};

}  // namespace amgsolve
