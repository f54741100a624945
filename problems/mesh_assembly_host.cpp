#include "problems/mesh_assembly.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/algorithms.hpp"
#include "core/format.hpp"
#include "core/parallel_host.hpp"
#include "problems/simplex.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {
namespace {

/// The integral of an element between corners a and b, for the components p and q.
template <std::size_t D>
double stiffness(const MeshProblem& problem, const Simplex<D>& simplex, Index element, std::size_t a, std::size_t b,
                 Index p, Index q) {
  const auto& ga = simplex.gradients[a];
  const auto& gb = simplex.gradients[b];
  double product = ga[0] * gb[0];
  for (std::size_t d = 1; d < D; ++d) {
    product += ga[d] * gb[d];
  }
  const double scale = problem.coefficient[static_cast<std::size_t>(element)] * simplex.volume;
  if (problem.components == 1) {
    return scale * product;
  }
  const auto row = static_cast<std::size_t>(p);
  const auto col = static_cast<std::size_t>(q);
  const auto& [lambda, mu] = problem.lame;
  return scale * (lambda * (ga[row] * gb[col]) + mu * (ga[col] * gb[row] + (p == q ? product : 0.0)));
}

template <std::size_t D>
std::size_t corner_of(const Mesh& mesh, Index element, Index node) {
  const Span<const Index, Host> corners = mesh.element(element);
  return static_cast<std::size_t>(std::find(corners.begin(), corners.end(), node) - corners.begin());
}

/// The places of the nodes with unknowns that each such node shares an element with, itself among them: ascending.
struct Neighbours {
  Buffer<Offset, Host> room;  ///< where those of a node begin
  Buffer<Offset, Host> offsets;
  Buffer<Index, Host> places;

  Span<const Index, Host> of(Index node, Index place) const {
    const auto count = offsets[static_cast<std::size_t>(place) + 1] - offsets[static_cast<std::size_t>(place)];
    return places.span().subspan(static_cast<std::size_t>(room[static_cast<std::size_t>(node)]),
                                 static_cast<std::size_t>(count));
  }
};

/// Calls body(node, place) for every node that has unknowns, by all threads.
template <class Body>
void for_free_nodes(Context<Host>& ctx, const MeshProblem& problem, const Body& body) {
  parallel_for(
      ctx, problem.mesh.nodes(),
      [&](std::int64_t i) {
        if (const Index place = problem.place_of_node[static_cast<std::size_t>(i)]; place >= 0) {
          body(static_cast<Index>(i), place);
        }
      },
      work_of_node);
}

Neighbours find_neighbours(Context<Host>& ctx, const MeshProblem& problem) {
  const Mesh& mesh = problem.mesh;
  Neighbours result;
  result.room = Buffer<Offset, Host>(ctx, static_cast<std::size_t>(mesh.nodes()) + 1);
  parallel_for(ctx, mesh.nodes(), [&](std::int64_t i) {
    const bool has_unknowns = problem.place_of_node[static_cast<std::size_t>(i)] >= 0;
    const std::size_t elements = problem.around.of(static_cast<Index>(i)).size();
    const std::size_t most = 1 + elements * static_cast<std::size_t>(mesh.dimensions());
    result.room[static_cast<std::size_t>(i) + 1] = has_unknowns ? static_cast<Offset>(most) : 0;
  });
  result.places = Buffer<Index, Host>(ctx, static_cast<std::size_t>(counts_to_offsets(ctx, result.room)));
  result.offsets = Buffer<Offset, Host>(ctx, static_cast<std::size_t>(problem.free_nodes) + 1);
  for_free_nodes(ctx, problem, [&](Index node, Index place) {
    Index* const first = result.places.data() + result.room[static_cast<std::size_t>(node)];
    Index* next = first;
    *next++ = place;
    for (const Index element : problem.around.of(node)) {
      for (const Index corner : mesh.element(element)) {
        const Index other = problem.place_of_node[static_cast<std::size_t>(corner)];
        if (other >= 0 && other != place) {
          *next++ = other;
        }
      }
    }
    std::sort(first, next);
    result.offsets[static_cast<std::size_t>(place) + 1] = std::unique(first, next) - first;
  });
  counts_to_offsets(ctx, result.offsets);
  return result;
}

/// The rows of a node: `values` of each follow one another.
template <std::size_t D>
void add_elements(const MeshProblem& problem, Index node, Span<const Index, Host> neighbours, double* values) {
  const Index components = problem.components;
  const auto row_length = static_cast<std::int64_t>(neighbours.size()) * components;
  for (const Index element : problem.around.of(node)) {
    const Simplex<D> simplex(problem.mesh, element);
    const Span<const Index, Host> corners = problem.mesh.element(element);
    const std::size_t a = corner_of<D>(problem.mesh, element, node);
    for (std::size_t b = 0; b < Simplex<D>::corners; ++b) {
      const Index place = problem.place_of_node[static_cast<std::size_t>(corners[b])];
      if (place < 0) {
        continue;
      }
      const std::int64_t k = std::lower_bound(neighbours.begin(), neighbours.end(), place) - neighbours.begin();
      for (Index p = 0; p < components; ++p) {
        for (Index q = 0; q < components; ++q) {
          const bool is_diagonal = a == b && p == q;
          const bool is_free = !problem.is_fixed_at(node, p) && !problem.is_fixed_at(corners[b], q);
          if (is_diagonal || is_free) {
            values[p * row_length + k * components + q] += stiffness<D>(problem, simplex, element, a, b, p, q);
          }
        }
      }
    }
  }
}

template <std::size_t D>
void fill_rows(Context<Host>& ctx, const MeshProblem& problem, const Neighbours& neighbours,
               CsrMatrix<double, Host>& A) {
  const Index components = problem.components;
  for_free_nodes(ctx, problem, [&](Index node, Index place) {
    const Span<const Index, Host> places = neighbours.of(node, place);
    const auto row_length = static_cast<Offset>(places.size()) * components;
    const Offset first = neighbours.offsets[static_cast<std::size_t>(place)] * components * components;
    for (Index p = 0; p < components; ++p) {
      const Offset begin = first + p * row_length;
      A.row_offsets[static_cast<std::size_t>(place * std::int64_t{components} + p) + 1] = begin + row_length;
      Index* columns = A.col_indices.data() + begin;
      for (const Index other : places) {
        for (Index q = 0; q < components; ++q) {
          *columns++ = other * components + q;
        }
      }
    }
    double* const values = A.values.data() + first;
    std::fill_n(values, row_length * components, 0.0);
    add_elements<D>(problem, node, places, values);
  });
}

/// What acts on a component of a node, and what fixed values take to the other side.
template <std::size_t D>
double load_on(const MeshProblem& problem, Index node, Index p) {
  const Index components = problem.components;
  const auto at = [components](const MultiVector<double, Host>& x, Index i, Index q) {
    return x.data()[std::int64_t{i} * components + q];
  };
  double load = at(problem.load, node, p);
  double diagonal = 0.0;
  for (const Index element : problem.around.of(node)) {
    const Simplex<D> simplex(problem.mesh, element);
    const Span<const Index, Host> corners = problem.mesh.element(element);
    const std::size_t a = corner_of<D>(problem.mesh, element, node);
    load += simplex.volume / (D + 1) * at(problem.source, element, p);
    diagonal += stiffness<D>(problem, simplex, element, a, a, p, p);
    for (std::size_t b = 0; b < Simplex<D>::corners; ++b) {
      for (Index q = 0; q < components; ++q) {
        if (problem.is_fixed_at(corners[b], q)) {
          load -= stiffness<D>(problem, simplex, element, a, b, p, q) * at(problem.fixed, corners[b], q);
        }
      }
    }
  }
  return problem.is_fixed_at(node, p) ? diagonal * at(problem.fixed, node, p) : load;
}

/// visit(node, component, its row of b) for all unknowns.
template <class Visit>
void for_rows(Context<Host>& ctx, const MeshProblem& problem, MultiVectorView<double, Host> b, const Visit& visit) {
  if (b.rows != problem.unknowns()) {
    throw std::invalid_argument(
        format_text("a right-hand side has {} rows, the mesh {} unknowns", b.rows, problem.unknowns()));
  }
  const auto columns = static_cast<std::size_t>(b.columns);
  for_free_nodes(ctx, problem, [&](Index node, Index place) {
    for (Index p = 0; p < problem.components; ++p) {
      visit(node, p, Span<double, Host>(b.data + (std::int64_t{place} * problem.components + p) * b.columns, columns));
    }
  });
}

}  // namespace

CsrMatrix<double, Host> mesh_matrix(Context<Host>& ctx, const MeshProblem& problem) {
  const Index rows = checked_index(problem.unknowns(), "unknowns of the mesh");
  const Neighbours neighbours = find_neighbours(ctx, problem);
  const Offset blocks = neighbours.offsets[static_cast<std::size_t>(problem.free_nodes)];
  CsrMatrix<double, Host> A(ctx, rows, rows, blocks * problem.components * problem.components);
  A.row_offsets[0] = 0;
  with_dimensions(problem.mesh, [&](auto dimensions) { fill_rows<dimensions>(ctx, problem, neighbours, A); });
  return A;
}

void mesh_load(Context<Host>& ctx, const MeshProblem& problem, MultiVectorView<double, Host> b) {
  for_rows(ctx, problem, b, [&](Index node, Index p, Span<double, Host> row) {
    const double load =
        with_dimensions(problem.mesh, [&](auto dimensions) { return load_on<dimensions>(problem, node, p); });
    std::ranges::fill(row, load);
  });
}

void clear_fixed(Context<Host>& ctx, const MeshProblem& problem, MultiVectorView<double, Host> b) {
  for_rows(ctx, problem, b, [&](Index node, Index p, Span<double, Host> row) {
    if (problem.is_fixed_at(node, p)) {
      std::ranges::fill(row, 0.0);
    }
  });
}

}  // namespace amgsolve
