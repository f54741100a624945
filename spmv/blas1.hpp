#pragma once

#include "core/context.hpp"
#include "spmv/fat_vector.hpp"

/// Operations on (fat) vectors of n rows and k columns. Sums are formed over fixed blocks in a fixed order: the same
/// bits for any number of threads and on any device. Scalars that the next operation needs (one per column) stay in the
/// vectors' memory space, always in double, so that a Krylov method on a GPU need not wait for them. All throw
/// std::invalid_argument naming both sizes where they do not match. Called with the value type given: `dot<T>(ctx, x,
/// y, result)`.
namespace amgsolve {

/// x = value.
template <class T>
void fill(Context<Host>& ctx, T value, FatView<T, Host> x);
template <class T>
void fill(Context<Cuda>& ctx, T value, FatView<T, Cuda> x);

/// y = x, converted from T to U.
template <class T, class U>
void copy(Context<Host>& ctx, FatView<const T, Host> x, FatView<U, Host> y);
template <class T, class U>
void copy(Context<Cuda>& ctx, FatView<const T, Cuda> x, FatView<U, Cuda> y);

/// y = α x + β y. β = 0 does not read y.
template <class T>
void axpby(Context<Host>& ctx, T alpha, FatView<const T, Host> x, T beta, FatView<T, Host> y);
template <class T>
void axpby(Context<Cuda>& ctx, T alpha, FatView<const T, Cuda> x, T beta, FatView<T, Cuda> y);

/// y = d ∘ x, row by row: y_ij = d_i x_ij.
template <class T>
void scale_rows(Context<Host>& ctx, Span<const T, Host> d, FatView<const T, Host> x, FatView<T, Host> y);
template <class T>
void scale_rows(Context<Cuda>& ctx, Span<const T, Cuda> d, FatView<const T, Cuda> x, FatView<T, Cuda> y);

/// result_j = Σ_i x_ij y_ij for every column j (accumulated in double).
template <class T>
void dot(Context<Host>& ctx, FatView<const T, Host> x, FatView<const T, Host> y, Span<double, Host> result);
template <class T>
void dot(Context<Cuda>& ctx, FatView<const T, Cuda> x, FatView<const T, Cuda> y, Span<double, Cuda> result);

/// The update of conjugate gradients in one pass: α_j = rho_j / curvature_j (0 where the curvature is 0),
/// x += α p, r −= α q, residual_squared_j = Σ_i r_ij².
template <class T>
void cg_update(Context<Host>& ctx, Span<const double, Host> rho, Span<const double, Host> curvature,
               FatView<const T, Host> p, FatView<const T, Host> q, FatView<T, Host> x, FatView<T, Host> r,
               Span<double, Host> residual_squared);
template <class T>
void cg_update(Context<Cuda>& ctx, Span<const double, Cuda> rho, Span<const double, Cuda> curvature,
               FatView<const T, Cuda> p, FatView<const T, Cuda> q, FatView<T, Cuda> x, FatView<T, Cuda> r,
               Span<double, Cuda> residual_squared);

/// The next direction of conjugate gradients: p = z + β p with β_j = sign · numerator_j / denominator_j (0 where the
/// denominator is 0; p is not read then).
template <class T>
void cg_direction(Context<Host>& ctx, Span<const double, Host> numerator, Span<const double, Host> denominator,
                  FatView<const T, Host> z, FatView<T, Host> p, double sign = 1.0);
template <class T>
void cg_direction(Context<Cuda>& ctx, Span<const double, Cuda> numerator, Span<const double, Cuda> denominator,
                  FatView<const T, Cuda> z, FatView<T, Cuda> p, double sign = 1.0);

/// A step of Lanczos' method for D⁻¹A in the inner product of D = diag(d), in one pass: with q = A v, curvature = vᵀ q,
/// norm_squared = ‖v‖²_D and previous_squared = ‖v_previous‖²_D, the next vector
/// (D⁻¹ q − curvature / norm_squared · v) / ‖v‖_D − ‖v‖_D / ‖v_previous‖_D · v_previous takes the place of v_previous,
/// and next_squared its ‖·‖²_D. v_previous is not read where previous_squared is 0, and what is divided by a norm of 0
/// is 0. The next vector is 0 in rows with d_i ≤ 0. Vectors have one column, scalars one value.
template <class T>
void lanczos_step(Context<Host>& ctx, Span<const T, Host> d, FatView<const T, Host> q, FatView<const T, Host> v,
                  Span<const double, Host> curvature, Span<const double, Host> norm_squared,
                  Span<const double, Host> previous_squared, FatView<T, Host> v_previous,
                  Span<double, Host> next_squared);
template <class T>
void lanczos_step(Context<Cuda>& ctx, Span<const T, Cuda> d, FatView<const T, Cuda> q, FatView<const T, Cuda> v,
                  Span<const double, Cuda> curvature, Span<const double, Cuda> norm_squared,
                  Span<const double, Cuda> previous_squared, FatView<T, Cuda> v_previous,
                  Span<double, Cuda> next_squared);

/// Copies device scalars to the host; synchronises.
void to_host(Context<Host>& ctx, Span<const double, Host> values, double* host_values);
void to_host(Context<Cuda>& ctx, Span<const double, Cuda> values, double* host_values);

}  // namespace amgsolve
