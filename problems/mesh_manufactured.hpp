#pragma once

#include <vector>

#include "problems/manufactured.hpp"
#include "problems/mesh_problem.hpp"

/// A smooth solution on a mesh that is known: u = Π_d sin(π x_d / L_d), with x from the first corner of the box around
/// the mesh, whose sides are L_d; the displacements of a body are 1, ½ and ⅓ of that in x, y and z. It takes the place
/// of all conditions: the whole boundary is fixed at u, and f is what belongs to it, linear on each element.
namespace amgsolve {

/// Gives a problem, whose coefficient is the same everywhere, that solution. The discretisation is then of second
/// order.
void set_manufactured(Context<Host>& ctx, MeshProblem& problem);

/// How far values at the nodes, see values_at_nodes(), are from u: max |x − u|, and (∫ (x − u)²)^½ with the volume of
/// each element shared out to its corners. The same bits for any number of threads.
std::vector<DiscretizationError> mesh_discretization_error(Context<Host>& ctx, const MeshProblem& problem,
                                                           MultiVectorView<const double, Host> values);

/// Values at the nodes less u.
MultiVector<double, Host> mesh_pointwise_error(Context<Host>& ctx, const MeshProblem& problem,
                                               MultiVectorView<const double, Host> values);

}  // namespace amgsolve
