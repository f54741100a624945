#pragma once

#include "problems/mesh_problem.hpp"
#include "spmv/csr_matrix.hpp"

/// Linear finite elements (P1) on a mesh, assembled row by row from the elements around a node in their order, by all
/// threads: the same bits for any number of them, and a matrix that is symmetric to the last bit. Unknowns that are
/// fixed are eliminated on both sides; of one that stays, as its node has others, all but the diagonal entry are 0.
namespace amgsolve {

/// ∫ c ∇φ_i·∇φ_j, of a body ∫ λ (∇·u)(∇·v) + μ (∇u + ∇uᵀ) : ∇v. Throws InputError where there are more unknowns than a
/// matrix has rows. O(elements); 4 bytes of scratch for each element around each node and dimension.
CsrMatrix<double, Host> mesh_matrix(Context<Host>& ctx, const MeshProblem& problem);

/// ∫ f φ_i + ∫ g φ_i less the matrix times the values that are fixed, the same in all columns. Throws
/// std::invalid_argument where b does not have the rows of the matrix.
void mesh_load(Context<Host>& ctx, const MeshProblem& problem, MultiVectorView<double, Host> b);

/// b_i = 0 where unknown i is fixed and stays, so that the solution is 0 there. Throws as mesh_load() does.
void clear_fixed(Context<Host>& ctx, const MeshProblem& problem, MultiVectorView<double, Host> b);

}  // namespace amgsolve
