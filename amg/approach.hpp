#pragma once

#include "amg/check_matrix.hpp"
#include "amg/options.hpp"
#include "core/context.hpp"
#include "dist/layout.hpp"
#include "spmv/csr_matrix.hpp"

/// What the options that are left to AmgSolver are for a matrix.
namespace amgsolve {

/// How a matrix is solved.
struct Approach {
  Method method = Method::cg;  ///< never automatic
  MatrixKind kind = MatrixKind::definite;
  bool is_negated = false;  ///< what is set up is −A

  bool operator==(const Approach&) const = default;
};

/// The approach to A; what is not the usual one is noted in ctx.profile(). Throws InputError naming an entry where the
/// method that was asked for is not for the matrix, and BreakdownError where a diagonal that is not of one sign is to
/// be smoothed by: neither minres was asked for, nor a method that takes any matrix, where that is factored.
/// @param stored  A, which is not read on a device where that is light
template <class T, MemorySpace S>
Approach find_approach(Context<S>& ctx, const CsrMatrix<T, S>& A, const Operator<T, S>& stored,
                       const MatrixFindings& findings, const AmgOptions& amg, Method wanted);

/// The approach to a matrix with a positive diagonal that the method is for.
Approach approach_to(bool is_symmetric, const AmgOptions& amg, Method wanted);

/// For a report to tell: that −A x = −b is solved.
void note_negated(Profile& profile);

/// Whether the method is for symmetric matrices alone.
bool needs_symmetry(Method method);

/// The method where `wanted` may be automatic.
Method method_for(Method wanted, const AmgOptions& amg, bool is_symmetric);

/// The cycle where `wanted` may be automatic, which stays as it is where Cycle knows.
CycleType cycle_for(CycleType wanted, MatrixKind kind, Method method);

/// The precision of the hierarchy where `wanted` may be automatic, which stays as it is where the matrix decides: the
/// one of A under gmres, which takes M⁻¹ to be linear as far as its own precision tells.
Precision precision_for(Precision wanted, Method method);

/// The options of the hierarchy, with those that depend on the approach and on the number of a node's unknowns.
AmgOptions options_for(const Approach& approach, AmgOptions amg, Index block_size);

/// Where eliminating the others of its node leaves less of an unknown's diagonal entry (least_part_left()), a
/// polynomial of D⁻¹A does not smooth what the node's unknowns do together, and the blocks are inverted: 0.41 and more
/// for elastic bodies up to a Poisson's ratio of 0.49, however flat and turned; less than this where stiff springs,
/// inclined supports by penalty or an exchange between species couple the unknowns of a node, be it of one node alone.
inline constexpr double least_part_for_points = 0.2;

/// The options of the hierarchy of A, with those that depend on its nodes, too: the smoother, which is noted where they
/// decide it, by the diagonal blocks, which are inverted for that. Synchronises.
/// @param A       of that many unknowns a node
/// @param window  of its columns where A is a strip of a matrix that ranks share. Then collective
template <class T, MemorySpace S>
AmgOptions options_for_nodes(Context<S>& ctx, const CsrMatrix<T, S>& A, const Approach& approach, const AmgOptions& amg,
                             Index block_size, std::type_identity_t<const Layout<S>*> window = nullptr);

}  // namespace amgsolve
