#pragma once

#include <cstdint>

#include "amg/block_diagonal.hpp"
#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {

/// The steps that suffice from a start that an earlier call kept.
inline constexpr int spectral_radius_restart_steps = 4;

/// The estimates are from below: the interval of a smoother's polynomial reaches this much further.
inline constexpr double radius_margin = 1.1;

/// What is divided by in its place: a matrix without rows to smooth has ρ = 0.
constexpr double positive_radius(double rho) { return rho > 0.0 ? rho : 1.0; }

/// An estimate of ρ(D⁻¹A) for a symmetric A with diagonal D: the largest Ritz value of `steps` Lanczos steps on D⁻¹A,
/// which is symmetric in the inner product of D, from D^(−1/2) times a fixed random vector, so that how rows and
/// columns are scaled does not matter. A lower bound, within a few percent after seven steps, since the largest
/// eigenvalues are found first. Cost: `steps` products with A and 7 passes over a vector each. Synchronises once, at
/// the end.
/// @param diagonal  of A; rows where it is not positive are left out
/// @param steps     at least 1
/// @param start     where given and empty, is filled with a vector of A.rows that is rich in the eigenvectors of the
///                  largest eigenvalues, for 3 more passes over a vector each step. Where given and filled, the steps
///                  begin at it and leave it as it is: for a matrix with other values, spectral_radius_restart_steps of
///                  them give what seven give from a random vector, as long as those eigenvectors are similar
template <class T, MemorySpace S>
double spectral_radius(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const std::type_identity_t<T>, S> diagonal,
                       int steps, Buffer<T, S>* start = nullptr);

/// The same for an operator, whose rows ranks may share.
/// @param diagonal   of the rank's rows
/// @param first_row  the first of them
template <class T, MemorySpace S>
double spectral_radius(Context<S>& ctx, const Operator<T, S>& A, Span<const std::type_identity_t<T>, S> diagonal,
                       int steps, std::int64_t first_row);

/// The same estimate of ρ(D_B⁻¹A) for the diagonal blocks D_B of such an A. Synchronises twice a step.
template <class T, MemorySpace S>
double spectral_radius(Context<S>& ctx, const Operator<T, S>& A, const BlockDiagonal<T, S>& inverse_blocks, int steps,
                       std::int64_t first_row = 0);

/// The least and the largest Ritz value of such steps, from the same start.
struct RitzValues {
  double smallest = 0.0;
  double largest = 0.0;
};

/// Where the spectrum of D⁻¹A reaches at least: the eigenvalues lie on both sides of these values, so that their ratio
/// is at most the condition number, and a negative one shows that A is indefinite. Cost: as spectral_radius().
template <class T, MemorySpace S>
RitzValues ritz_values(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const std::type_identity_t<T>, S> diagonal,
                       int steps);

/// ‖D⁻¹A‖_∞ = max_i Σ_j |a_ij| / d_i over the rows with d_i > 0: at least ρ(D⁻¹A) where all are, whatever A is.
/// Synchronises.
template <class T, MemorySpace S>
double row_sum_norm(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const std::type_identity_t<T>, S> diagonal);

/// The estimate of a matrix, and from it that for later values, which costs spectral_radius_restart_steps.
template <class T, MemorySpace S>
class RadiusEstimate {
 public:
  /// ρ(D⁻¹A): by `steps` at first, then by those of a restart, which is done once more at first where keeps_start asks
  /// for later values: what a restarted estimate lacks it lacks alike for all of them, as long as the eigenvectors of
  /// the largest eigenvalues are similar. Where the start tells that they are not, `steps` are taken.
  double of(Context<S>& ctx, const Operator<T, S>& A, Span<const std::type_identity_t<T>, S> diagonal, int steps,
            bool keeps_start);

 private:
  Buffer<T, S> start_;  ///< empty where no later values are expected
  double estimate_ = 0.0;
  double restarted_ = 0.0;  ///< from that start
  double richness_ = 0.0;   ///< of that start: its Rayleigh quotient, relative to restarted_
};

}  // namespace amgsolve
