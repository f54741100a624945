#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "amg/options.hpp"
#include "amg/rigid_body_modes.hpp"
#include "core/hash.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "tests/dist/shared_matrices.hpp"
#include "tests/reference/elasticity.hpp"
#include "tests/reference/networks.hpp"

/// Problems that ranks share the levels of.
namespace amgsolve::ranks {

/// A numbered by chance, so that every rank needs rows of every other one.
inline CsrMatrix<double, Host> shuffled(Context<Host>& ctx, const CsrMatrix<double, Host>& A) {
  std::vector<Index> place(static_cast<std::size_t>(A.rows));
  std::iota(place.begin(), place.end(), 0);
  std::ranges::sort(place, {}, [](Index i) { return hash64(static_cast<std::uint64_t>(i)); });
  std::vector<reference::Entry> entries;
  for (std::size_t i = 0; i < place.size(); ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      entries.push_back({place[i], place[static_cast<std::size_t>(A.col_indices[k])], A.values[k]});
    }
  }
  return reference::matrix_from_entries<double>(ctx, A.rows, A.cols, std::move(entries));
}

/// A, numbered node by node.
struct Problem {
  std::string name;
  CsrMatrix<double, Host> A;
  Index unknowns = 1;                    ///< a node
  std::vector<double> near_nullspace{};  ///< row by row; none: constants
  MatrixKind kind = MatrixKind::definite;

  Index candidates() const {
    return near_nullspace.empty() ? unknowns : static_cast<Index>(near_nullspace.size()) / A.rows;
  }
  /// Every rank has whole nodes.
  Partition partition(Cut cut) const { return {world(), own_rows(world(), cut, A.rows / unknowns) * unknowns}; }
};

/// A generated elastic body with its rigid-body modes.
inline Problem body(Context<Host>& ctx, const std::string& name, GeneratedProblem problem) {
  problem.pde = Pde::elasticity;
  MultiVector<double, Host> coordinates(ctx, static_cast<Index>(problem.grid.unknowns()), problem.grid.dimensions);
  grid_coordinates<double, Host>(ctx, problem, coordinates);
  const MultiVector<double, Host> modes =
      rigid_body_modes<double>(ctx, std::as_const(coordinates).view(), problem.grid.dimensions);
  return {name,
          generate_matrix<double>(ctx, problem),
          problem.grid.dimensions,
          {modes.data(), modes.data() + modes.view().size()}};
}

/// Nodes of three unknowns, each coupled along a direction of its own: a row has one entry of a block.
inline CsrMatrix<double, Host> lines_of_three_unknowns(Context<Host>& ctx, Index n) {
  std::vector<reference::Entry> entries;
  const Index nodes = n * n * n;
  for (Index node = 0; node < nodes; ++node) {
    Index stride = 1;
    for (Index c = 0; c < 3; ++c, stride *= n) {
      entries.push_back({3 * node + c, 3 * node + c, 2.5});
      const Index place = node / stride % n;
      if (place > 0) {
        entries.push_back({3 * node + c, 3 * (node - stride) + c, -1.0});
      }
      if (place + 1 < n) {
        entries.push_back({3 * node + c, 3 * (node + stride) + c, -1.0});
      }
    }
  }
  return reference::matrix_from_entries<double>(ctx, 3 * nodes, 3 * nodes, std::move(entries));
}

/// Problems whose default setups take all turns of the way: a filter or none, one step or two, truncation, more of it
/// for what finer levels have.
inline std::vector<Problem> problems_of_single_unknowns(Context<Host>& ctx) {
  std::vector<Problem> all;
  const auto add = [&](const std::string& name, const GeneratedProblem& problem) {
    all.push_back({name, generate_matrix<double>(ctx, problem)});
  };
  add("poisson fd", poisson({19, 21, 23}, Discretization::fd));
  add("poisson q1", poisson({83, 71}, Discretization::q1));
  add("lines that shift pairs of unknowns", poisson({21, 16, 14}, Discretization::q1));
  all.push_back(
      {"short rows on some ranks",
       with_identity_rows(ctx, generate_matrix<double>(ctx, poisson({16, 16, 20}, Discretization::fd)), 2500)});
  GeneratedProblem rotated = poisson({90, 80}, Discretization::q1);
  rotated.pde = Pde::diffusion;
  rotated.anisotropy.epsilon = 1e-3;
  rotated.anisotropy.angle = 30.0;
  add("rotated anisotropy", rotated);
  GeneratedProblem weak = poisson({32, 30, 28}, Discretization::fd);
  weak.pde = Pde::diffusion;
  weak.anisotropy.epsilon = 0.1;
  add("two weak directions, whose second coarse matrix is made sparser", weak);
  GeneratedProblem jumps = poisson({20, 20, 20}, Discretization::fd);
  jumps.pde = Pde::diffusion;
  jumps.coefficient.type = CoefficientType::checkerboard;
  jumps.coefficient.block = 4;
  add("jumping coefficient", jumps);
  GeneratedProblem random = poisson({20, 20, 20}, Discretization::q1);
  random.pde = Pde::diffusion;
  random.coefficient.type = CoefficientType::random;
  random.coefficient.block = 1;
  add("random coefficient", random);
  GeneratedProblem neumann = poisson({60, 50}, Discretization::fd);
  neumann.boundary = Boundary::neumann;
  add("singular", neumann);
  GeneratedProblem periodic = poisson({16, 15, 14}, Discretization::q1);
  periodic.boundary = Boundary::periodic;
  add("singular and periodic", periodic);
  all.push_back({"random links", reference::random_network<double>(ctx, 6000)});
  all.push_back({"links to well-linked nodes, truncated twice", reference::grown_network<double>(ctx, 3000)});
  all.push_back({"couplings strong on one side", reference::box_with_ties<double>(ctx, 16, 0x1p-34)});
  all.push_back({"shuffled", shuffled(ctx, generate_matrix<double>(ctx, poisson({50, 51}, Discretization::fd)))});
  return all;
}

/// The same of several unknowns or candidates a node: passes of aggregation, blocks filtered and truncated, aggregates
/// by the symmetric measure, rotations that aggregates of two nodes do not span, windows with parts of nodes.
inline std::vector<Problem> problems_of_nodes(Context<Host>& ctx) {
  std::vector<Problem> all;
  GeneratedProblem cube = poisson({8, 7, 9}, Discretization::q1);
  cube.boundary = Boundary::clamped_face;
  all.push_back(body(ctx, "body", cube));
  cube.boundary = Boundary::neumann;
  all.push_back(body(ctx, "body that floats", cube));
  constexpr std::array<Index, 2> cells = {40, 20};
  constexpr double height = 0.05;
  const MultiVector<double, Host> modes = reference::rigid_body_modes(ctx, cells, height, 3);
  all.push_back({"flat elements",
                 reference::plane_strain(ctx, cells, height),
                 2,
                 {modes.data(), modes.data() + modes.view().size()}});
  GeneratedProblem tetrahedra = poisson({9, 8, 8}, Discretization::p1);
  all.push_back(body(ctx, "tetrahedra", tetrahedra));
  GeneratedProblem square = poisson({45, 40}, Discretization::q1);
  square.pde = Pde::elasticity;
  all.push_back({"translations alone", generate_matrix<double>(ctx, square), 2});
  all.push_back({"network", reference::coupled_network<double>(ctx, 900, 3, 0.2), 3});
  all.push_back({"six unknowns a node", reference::coupled_network<double>(ctx, 400, 6, 0.1), 6});
  all.push_back({"a direction for each unknown", lines_of_three_unknowns(ctx, 9), 3});
  Problem two = {"two candidates", generate_matrix<double>(ctx, poisson({40, 30}, Discretization::fd))};
  for (Index i = 0; i < two.A.rows; ++i) {
    two.near_nullspace.push_back(1.0);
    two.near_nullspace.push_back(0.01 * (i % 40));
  }
  all.push_back(std::move(two));
  return all;
}

/// Matrices that are not symmetric: stream lines, rows of other sizes and of fixed unknowns, entries without a mirror,
/// which make the windows of A and of its transpose differ, and nodes of several unknowns.
inline std::vector<Problem> problems_that_are_not_symmetric(Context<Host>& ctx) {
  std::vector<Problem> all;
  const auto add = [&](const std::string& name, CsrMatrix<double, Host> A, Index unknowns = 1) {
    all.push_back({name, std::move(A), unknowns, {}, MatrixKind::general});
  };
  GeneratedProblem convection = poisson({17, 18, 19}, Discretization::fd);
  convection.pde = Pde::convection_diffusion;
  convection.velocity = Velocity::rotating;
  convection.peclet = 1e4;
  add("rotating flow", generate_matrix<double>(ctx, convection));
  const auto fate = [](Index i, Index j) {
    return hash64(static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint64_t>(j)) % 4;
  };
  const CsrMatrix<double, Host> network = reference::random_network<double>(ctx, 6000);
  add("one-sided links", reference::changed_entries<double>(ctx, network, [&](Index i, Index j, double value) {
        return i == j ? 1.2 * value : fate(i, j) == 0 ? 0.0 : value;
      }));
  add("rows of all sizes",
      reference::changed_entries<double>(
          ctx, generate_matrix<double>(ctx, poisson({16, 17, 18}, Discretization::fd)),
          [&](Index i, Index, double value) { return value * (1.0 + static_cast<double>(fate(i, i))); }));
  add("fixed unknowns whose columns were kept",
      reference::changed_entries<double>(ctx, generate_matrix<double>(ctx, poisson({83, 71}, Discretization::q1)),
                                         [&](Index i, Index j, double value) {
                                           const bool is_fixed = i % 83 == 0 || i % 7 == 3;
                                           return !is_fixed ? value : i == j ? 1e-3 : 0.0;
                                         }));
  GeneratedProblem square = poisson({45, 40}, Discretization::q1);
  square.pde = Pde::elasticity;
  add("nodes with one-sided entries",
      reference::changed_entries<double>(ctx, generate_matrix<double>(ctx, square),
                                         [&](Index i, Index j, double value) {
                                           return i == j                              ? 1.1 * value
                                                  : i / 2 != j / 2 && fate(i, j) == 0 ? 0.0
                                                                                      : value;
                                         }),
      2);
  return all;
}

inline std::vector<Problem> problems(Context<Host>& ctx) {
  std::vector<Problem> all = problems_of_single_unknowns(ctx);
  std::ranges::move(problems_of_nodes(ctx), std::back_inserter(all));
  std::ranges::move(problems_that_are_not_symmetric(ctx), std::back_inserter(all));
  return all;
}

}  // namespace amgsolve::ranks
