#pragma once

#include <vector>

#include "core/context.hpp"
#include "spmv/multi_vector.hpp"

/// Operations on (fat) vectors of n rows and k columns. Sums are those of core/global_sum.hpp: the same bits for
/// any number of threads and ranks, and on host and device. Scalars that the next operation needs (one per column) stay
/// in the vectors' memory space, always in double, so that a Krylov method on a GPU need not wait for them. All throw
/// std::invalid_argument naming both sizes where they do not match. Called with the value type given: `dot<T>(ctx, x,
/// y, result)`.
namespace amgsolve {

/// A parameter that no template argument is deduced from, so that arguments convert.
template <class V>
using Same = std::type_identity_t<V>;

/// x = value.
template <class T, MemorySpace S>
void fill(Context<S>& ctx, T value, Same<MultiVectorView<T, S>> x);

/// y = x, converted from T to U.
template <class T, class U, MemorySpace S>
void copy(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, Same<MultiVectorView<U, S>> y);

/// y_j = factor_j x_j for every column j, the product in double and converted from T to U; 0 where the factor is,
/// whatever x_j is.
template <class T, class U, MemorySpace S>
void scale_columns(Context<S>& ctx, Same<Span<const double, S>> factors, Same<MultiVectorView<const T, S>> x,
                   Same<MultiVectorView<U, S>> y);

/// y = α x + β y. β = 0 does not read y.
template <class T, MemorySpace S>
void axpby(Context<S>& ctx, T alpha, Same<MultiVectorView<const T, S>> x, T beta, Same<MultiVectorView<T, S>> y);

/// y_j += sign · numerator_j / denominator_j · x_j for every column j (0 where the denominator is; without any they are
/// 1), the factor rounded to T. Where it is 0, y_j stays, whatever x_j is.
template <class T, MemorySpace S>
void add_columns(Context<S>& ctx, Same<Span<const double, S>> numerator, Same<Span<const double, S>> denominator,
                 Same<MultiVectorView<const T, S>> x, Same<MultiVectorView<T, S>> y, double sign = 1.0);

/// y = d ∘ x, row by row: y_ij = d_i x_ij.
template <class T, MemorySpace S>
void scale_rows(Context<S>& ctx, Same<Span<const T, S>> d, Same<MultiVectorView<const T, S>> x,
                Same<MultiVectorView<T, S>> y);

/// result_j = Σ_i x_ij y_ij for every column j (accumulated in double).
template <class T, class U = T, MemorySpace S>
void dot(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, Same<MultiVectorView<const U, S>> y,
         Same<Span<double, S>> result);

/// xᵀ y row by row: result_(p · columns of y + q) = Σ_i x_ip y_iq (accumulated in double).
template <class T, MemorySpace S>
void inner_products(Context<S>& ctx, Same<MultiVectorView<const double, S>> x, Same<MultiVectorView<const T, S>> y,
                    Same<Span<double, S>> result);

/// ‖x_j‖₂ of every column j, whatever the size of its entries: squares neither over- nor underflow. One pass, or three
/// where a norm is out of [2⁻⁴⁵⁰, 2⁴⁸⁰). NaN where an entry is; infinity where one is, or the norm is too large for a
/// double. Synchronises.
template <class T, MemorySpace S>
std::vector<double> norms(Context<S>& ctx, Same<MultiVectorView<const T, S>> x);

/// Whether every entry of x is 0, on all ranks. One pass. Synchronises.
template <class T, MemorySpace S>
bool is_zero(Context<S>& ctx, Same<MultiVectorView<const T, S>> x);

/// The update of conjugate gradients in one pass: α_j = rho_j / curvature_j (0 where one of them is not positive and
/// finite, or the unit is 0: x and r stay then, whatever p and q are), x += unit_j α p for a residual r in units of its
/// own, r −= α q, residual_squared_j = Σ_i r_ij².
/// @param rounded  becomes r in float where it is not empty
template <class T, MemorySpace S>
void cg_update(Context<S>& ctx, Same<Span<const double, S>> rho, Same<Span<const double, S>> curvature,
               Same<Span<const double, S>> units, Same<MultiVectorView<const T, S>> p,
               Same<MultiVectorView<const T, S>> q, Same<MultiVectorView<T, S>> x, Same<MultiVectorView<T, S>> r,
               Same<Span<double, S>> residual_squared, Same<MultiVectorView<float, S>> rounded = {});

/// The next direction of conjugate gradients: p = z + β p with β_j = sign · numerator_j / denominator_j (0 where the
/// denominator is 0; p is not read then).
template <class T, class U = T, MemorySpace S>
void cg_direction(Context<S>& ctx, Same<Span<const double, S>> numerator, Same<Span<const double, S>> denominator,
                  Same<MultiVectorView<const U, S>> z, Same<MultiVectorView<T, S>> p, double sign = 1.0);

/// A step of Lanczos' method for D⁻¹A in the inner product of D = diag(d), in one pass: with q = A v, curvature = vᵀ q,
/// norm_squared = ‖v‖²_D and previous_squared = ‖v_previous‖²_D, the next vector
/// (D⁻¹ q − curvature / norm_squared · v) / ‖v‖_D − ‖v‖_D / ‖v_previous‖_D · v_previous takes the place of v_previous,
/// and next_squared its ‖·‖²_D. v_previous is not read where previous_squared is 0, and what is divided by a norm of 0
/// is 0. The next vector is 0 in rows with d_i ≤ 0. Vectors have one column, scalars one value.
template <class T, MemorySpace S>
void lanczos_step(Context<S>& ctx, Same<Span<const T, S>> d, Same<MultiVectorView<const T, S>> q,
                  Same<MultiVectorView<const T, S>> v, Same<Span<const double, S>> curvature,
                  Same<Span<const double, S>> norm_squared, Same<Span<const double, S>> previous_squared,
                  Same<MultiVectorView<T, S>> v_previous, Same<Span<double, S>> next_squared);

/// Copies device scalars to the host; synchronises.
template <MemorySpace S>
void to_host(Context<S>& ctx, Same<Span<const double, S>> values, double* host_values);

}  // namespace amgsolve
