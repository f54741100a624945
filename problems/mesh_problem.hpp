#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problems/generated_problem.hpp"
#include "problems/mesh.hpp"

namespace amgsolve {

/// Numbers given to groups of a mesh by their names: one number, for all unknowns of a node, or one for each; nothing
/// in the place of a number leaves that unknown as it is. Where groups overlap, the last one counts, but fluxes add up.
using GroupValues = std::vector<std::pair<std::string, std::vector<std::optional<double>>>>;

/// Names that every mesh knows beside those of its file: all sides that one element alone has, and all elements.
inline constexpr const char* boundary_group = "boundary";
inline constexpr const char* domain_group = "domain";

/// What holds on the groups of a mesh.
struct MeshConditions {
  GroupValues fixed;    ///< u at the nodes of groups of any dimension
  GroupValues flux;     ///< c ∂u/∂n, or the traction σ n of a body, on groups of sides; 0 elsewhere
  GroupValues source;   ///< f on groups of elements; 0 elsewhere
  GroupValues regions;  ///< c, or Young's modulus of a body, on groups of elements

  bool is_empty() const { return fixed.empty() && flux.empty() && source.empty() && regions.empty(); }

  /// Whether anything is given that the solution is not 0 of.
  bool has_load() const;
};

/// −∇·(c ∇u) = f or −∇·σ(u) = f on a mesh.
struct MeshEquation {
  Pde pde = Pde::poisson;    ///< poisson, diffusion or elasticity
  double coefficient = 1.0;  ///< c where no region says otherwise
  ElasticBody body;          ///< of elasticity; its `young` where no region says otherwise
  MeshConditions conditions;
};

/// The same with nothing but numbers. Unknowns are numbered node by node in the order of the mesh; a node all of whose
/// unknowns are fixed has none, so that a scalar problem has the unknowns of free nodes. A node of which some are fixed
/// keeps them all.
struct MeshProblem {
  Mesh mesh;
  ElementsOfNodes around;
  Index components = 1;               ///< unknowns of a node
  LameConstants lame{};               ///< of a body whose coefficient is 1
  Buffer<double, Host> coefficient;   ///< of each element
  Buffer<char, Host> is_fixed;        ///< of each component of each node
  MultiVector<double, Host> fixed;    ///< nodes × components: to which value; 0 where it is free
  MultiVector<double, Host> source;   ///< elements × components: f
  MultiVector<double, Host> load;     ///< nodes × components: ∫ g φ of whatever else acts
  Buffer<Index, Host> place_of_node;  ///< among the nodes that have unknowns; −1: has none
  Index free_nodes = 0;               ///< that have unknowns

  bool is_fixed_at(Index node, Index component) const {
    return is_fixed[static_cast<std::size_t>(node) * static_cast<std::size_t>(components) +
                    static_cast<std::size_t>(component)] != 0;
  }
  std::int64_t unknowns() const { return std::int64_t{free_nodes} * components; }

  /// The entries that the matrix has at most.
  double nonzeros() const;
};

/// Throws ConfigurationError with a line for each key below problem.generate where an equation lacks something,
/// whatever the mesh: nothing is fixed; another pde; a coefficient or a property of bodies that is not possible, or
/// that it has not.
void validate(const MeshEquation& equation);

/// Gives the groups their numbers. Throws ConfigurationError naming the key, the group and those there are where the
/// mesh has no such group, or one of the wrong dimension, or a number too many, or one that is not positive in a
/// region; where a connected part of the mesh could move although unknowns of it are fixed, a body also by turning, as
/// about a node or an edge in which alone it touches another one, so that the matrix would be singular (of more than
/// 100 bodies that touch so, whether they move together); where no node is free.
MeshProblem make_mesh_problem(Context<Host>& ctx, Mesh mesh, ElementsOfNodes around, const MeshEquation& equation);

/// Numbers the free nodes anew, after is_fixed has changed.
void number_free_nodes(MeshProblem& problem);

/// Where the nodes that have unknowns lie, a column for each dimension.
MultiVector<double, Host> free_points(Context<Host>& ctx, const MeshProblem& problem);

/// The components of all nodes, fixed ones with their values, from the unknowns x. Throws std::invalid_argument where x
/// has other rows.
MultiVector<double, Host> values_at_nodes(Context<Host>& ctx, const MeshProblem& problem,
                                          MultiVectorView<const double, Host> x);

}  // namespace amgsolve
