#pragma once

#include <type_traits>
#include <vector>

#include "core/context.hpp"
#include "problems/generated_problem.hpp"
#include "spmv/multi_vector.hpp"

/// A smooth exact solution u of −c ∇·(K ∇u) = f, −Δu + Pe w·∇u = f or −∇·σ(u) = f on the box of sides L_d (see
/// GeneratedProblem), to measure the discretisation error with. Column j has
///
///   dirichlet   u = Π_d sin(m_d π x_d / L_d)
///   neumann     u = Π_d cos(m_d π x_d / L_d)
///   periodic    u = Π_d sin(2 m_d π x_d / L_d)
///
/// and frequencies m_d that count from 1 to 4 with j, m_x fastest; after 16 (2D) or 64 (3D) columns they repeat. Where
/// the solution is unique up to a constant, u has mean zero. The displacements of an elastic body, with Dirichlet
/// boundaries, are 1, ½ and ⅓ of that in x, y and z.
///
/// The discretisation is of second order for it, with upwind differences of first order.
///
/// All throw ConfigurationError as GeneratedProblem::validate does, and where there is no such solution or the
/// discretisation does not have that order: a coefficient that varies, an elastic body with a free side, a Neumann
/// boundary with rotated anisotropy (u has a flux through it) or with a box stencil; std::invalid_argument where the
/// vector does not have as many rows as the range, cut off at the end of the grid. The same bits for any number of
/// threads and on a device.
namespace amgsolve {

/// Throws ConfigurationError as above, of a problem that is valid else.
void validate_manufactured(const GeneratedProblem& problem);

/// u at the unknowns.
/// @param rows  those of the whole vector that u is
template <class T, MemorySpace S>
void manufactured_solution(Context<S>& ctx, const GeneratedProblem& problem, MultiVectorView<T, S> u,
                           RowRange rows = all_rows);

/// The load vector in the scaling of generate_matrix: h² f(x_i), times 3 or 9 for box stencils; for q1 integrated by
/// the trapezoidal rule, which halves it on each Neumann boundary a node lies on.
/// @param rows  those of the whole vector that b is
template <class T, MemorySpace S>
void manufactured_right_hand_side(Context<S>& ctx, const GeneratedProblem& problem, MultiVectorView<T, S> b,
                                  RowRange rows = all_rows);

/// How far a computed solution is from u at the unknowns.
struct DiscretizationError {
  double l2 = 0.0;   ///< (∫ (x − u)²)^½ by the trapezoidal (fd, Neumann: midpoint) rule
  double max = 0.0;  ///< max |x_i − u_i|
};

/// The error of each column of x, after x − u has been made to have mean zero where the matrix is singular.
/// Synchronises.
template <class T, MemorySpace S>
std::vector<DiscretizationError> discretization_error(Context<S>& ctx, const GeneratedProblem& problem,
                                                      std::type_identity_t<MultiVectorView<const T, S>> x,
                                                      RowRange rows = all_rows);

/// x − u at the unknowns, less its mean where the matrix is singular: the same bits for any number of ranks.
template <class T, MemorySpace S>
MultiVector<T, S> pointwise_error(Context<S>& ctx, const GeneratedProblem& problem,
                                  std::type_identity_t<MultiVectorView<const T, S>> x, RowRange rows = all_rows);

}  // namespace amgsolve
