#pragma once

#include <cstdint>
#include <filesystem>

#include "problems/generated_problem.hpp"
#include "problems/mesh_gmsh.hpp"
#include "problems/mesh_problem.hpp"
#include "src/library/configuration.hpp"
#include "src/library/schema.hpp"

namespace amgsolve {

enum class RightHandSide {
  automatic,  ///< load on a mesh, else ones
  ones,
  random,        ///< uniform in [-1, 1), by problem.seed
  manufactured,  ///< of a known solution, whose discretisation error is reported; generated problems only
  load           ///< of an elastic body, see ElasticBody, or of what acts on a mesh; generated problems only
};

enum class InitialGuess { zero, random };

enum class NearNullspace {
  automatic,   ///< rigid_body where nodes of several unknowns have coordinates, else constant
  constant,    ///< of each unknown of a node
  rigid_body,  ///< the rigid-body modes of the nodes
};

/// One of the words E, or a file in its place.
template <class E>
struct WordOrFile {
  E word{};
  std::filesystem::path file{};  ///< empty: the word counts
};

/// What to solve: a generated matrix, on a mesh or a grid, where `matrix` is empty, else that file's.
struct ProblemConfiguration {
  GeneratedProblem generate;  ///< with 0 dimensions until a grid is given
  std::filesystem::path mesh;
  MeshDomain domain = MeshDomain::none;  ///< that Gmsh makes a mesh of
  double h = 0.05;                       ///< the length of its edges
  MeshConditions conditions;             ///< on its groups
  std::filesystem::path matrix;
  WordOrFile<RightHandSide> rhs;
  WordOrFile<InitialGuess> initial_guess;
  WordOrFile<NearNullspace> near_nullspace;
  std::filesystem::path coordinates;  ///< empty: those of a generated body's nodes, or none
  std::optional<int> columns;         ///< right-hand sides, solved together; else those of the file, or one
  std::int64_t seed = 0;              ///< of random vectors

  ProblemConfiguration() { generate.grid.dimensions = 0; }

  /// Whether it says where the matrix comes from.
  bool is_given() const { return generate.grid.dimensions != 0 || !is_generated(); }
  bool has_mesh() const { return !mesh.empty() || domain != MeshDomain::none; }
  /// Whether the matrix is made on a grid.
  bool is_generated() const { return matrix.empty() && !has_mesh(); }
  MeshEquation mesh_equation() const;

  /// Of `rhs`, where that is no file.
  RightHandSide right_hand_side() const {
    return rhs.word != RightHandSide::automatic ? rhs.word : has_mesh() ? RightHandSide::load : RightHandSide::ones;
  }

  /// Whether coordinates of nodes are known.
  bool has_coordinates() const { return !coordinates.empty() || (matrix.empty() && generate.pde == Pde::elasticity); }

  /// Whether the near-nullspace is rigid-body modes of the coordinates.
  bool has_rigid_body_modes() const {
    return near_nullspace.file.empty() && near_nullspace.word != NearNullspace::constant && has_coordinates();
  }
};

/// Files to write; empty: none.
struct OutputConfiguration {
  std::filesystem::path report;
  std::filesystem::path html{};  ///< the report as a page
  std::filesystem::path solution;
  std::filesystem::path hierarchy{};  ///< a directory: A0.mtx, P0.mtx, R0.mtx, A1.mtx, ...
};

/// Everything problem.yaml can say. Paths are relative to the working directory or absolute.
struct JobConfiguration : Configuration {
  ProblemConfiguration problem;
  OutputConfiguration output;
};

/// What a table of keys cannot tell: that there is a problem, values that only go together with others, what needs a
/// generated problem. Throws ConfigurationError naming the keys, a line for each mistake.
void validate(const JobConfiguration& configuration);

enum class Verbosity { quiet, normal, verbose };

}  // namespace amgsolve
