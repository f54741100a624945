#include "src/application/solution_file.hpp"

#include <concepts>
#include <optional>
#include <utility>

#include "amg/unknown_order.hpp"
#include "core/collectively.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "dist/partition.hpp"
#include "problems/manufactured.hpp"
#include "problems/mesh_manufactured.hpp"
#include "problems/vector_file.hpp"
#include "spmv/transfer.hpp"
#include "src/application/linear_system.hpp"
#include "src/application/point_aggregates.hpp"

namespace amgsolve {
namespace {

/// Refuses nodes to which the rows of a matrix cannot belong.
void require_points(const std::filesystem::path& file, const MultiVector<double, Host>& points, std::int64_t rows) {
  constexpr Index most_components = 3;
  const std::int64_t nodes = points.rows();
  if (points.columns() < 2 || points.columns() > 3) {
    throw InputError(format_text("{}: {} of coordinates; there must be 2 or 3", file.string(),
                                 format_count(points.columns(), "column")));
  }
  if (nodes == 0 || rows % nodes != 0 || rows / nodes > most_components) {
    throw InputError(format_text("{}: {} of coordinates for a matrix of {}; there must be 1, 2 or 3 unknowns a node",
                                 file.string(), format_count(nodes, "row"), format_count(rows, "row")));
  }
}

}  // namespace

bool SolutionFile::has_picture() const {
  const std::filesystem::path extension = path().extension();
  return extension == ".vti" || extension == ".vtu";
}

bool SolutionFile::is_reordered(const MeshProblem* mesh) const {
  const bool has_grid = image_of(configuration_->problem).has_value();
  return mesh != nullptr || (has_picture() && !has_grid && configuration_->amg.unknowns == Numbering::by_field);
}

template <MemorySpace S>
void SolutionFile::read_points(Context<S>& ctx, Context<Host>& host, std::int64_t rows,
                               const MultiVector<double, S>& coordinates) {
  const ProblemConfiguration& problem = configuration_->problem;
  if (path().extension() != ".vtu" || problem.has_mesh()) {
    return;
  }
  collectively(*ranks_, [&] {
    const Context<Host>::Alone alone(host);
    points_ =
        coordinates.rows() > 0 ? download(ctx, host, coordinates) : read_vectors<double>(host, problem.coordinates);
    require_points(problem.coordinates, points_, rows);
  });
}

template <MemorySpace S>
Writers SolutionFile::write(Context<S>& ctx, Context<Host>& host, const MultiVector<double, S>& x, RowRange rows,
                            const MeshProblem* mesh, const std::vector<std::vector<Index>>& aggregates) const {
  if constexpr (std::same_as<S, Host>) {
    return write_from_host(host, x, rows, mesh, aggregates);
  } else {
    MultiVector<double, Host> on_host;
    collectively(*ranks_, [&] { on_host = download(ctx, host, x); });
    return write_from_host(host, on_host, rows, mesh, aggregates);
  }
}

Writers SolutionFile::write_from_host(Context<Host>& host, const MultiVector<double, Host>& x, RowRange rows,
                                      const MeshProblem* mesh,
                                      const std::vector<std::vector<Index>>& aggregates) const {
  const ProblemConfiguration& problem = configuration_->problem;
  const bool has_error = has_picture() && has_known_solution(problem);
  const std::int64_t rows_of_all = rows_of_ranks(*ranks_, rows.count()).all;
  const std::optional<ImageGeometry> image = image_of(problem);
  const PointGeometry places = mesh != nullptr ? PointGeometry{mesh->mesh.points.view(), mesh->mesh.corners.span()}
                                               : PointGeometry{points_.view(), {}};
  const std::int64_t components = mesh != nullptr      ? mesh->components
                                  : points_.rows() > 0 ? rows_of_all / points_.rows()
                                  : image              ? image->components
                                                       : 1;
  const bool is_whole = is_reordered(mesh);
  const RowRange own_points = is_whole ? part_of(*ranks_, places.points.rows) : points_in_rows(rows, components);
  const auto own_part = [&](const MultiVector<double, Host>& all) {
    return MultiVectorView<const double, Host>(all.data() + own_points.first * components * all.columns(),
                                               static_cast<Index>(own_points.count() * components), all.columns());
  };
  MultiVector<double, Host> reordered;
  MultiVector<double, Host> error;
  std::vector<std::vector<Index>> of_points;
  collectively(*ranks_, [&] {
    if (mesh != nullptr) {
      reordered = values_at_nodes(host, *mesh, x.view());
    } else if (is_whole) {
      reordered = by_node<double, Host>(host, x.view(), static_cast<Index>(components));
    }
    if (mesh != nullptr && has_error) {
      error = mesh_pointwise_error(host, *mesh, reordered.view());
    }
    of_points = aggregates_of_points(host, aggregates, rows_of_all, components, own_points, mesh);
  });
  PointFields<double> fields{.aggregates = of_points};
  if (has_error && mesh == nullptr) {
    error = pointwise_error<double>(host, problem.generate, x, rows);
  }
  if (has_error) {
    fields.error = is_whole ? own_part(error) : std::as_const(error).view();
  }
  return write_solution<double>(host, path(), is_whole ? own_part(reordered) : x.view(), image ? &*image : nullptr,
                                places, fields);
}

#define AMGSOLVE_INSTANTIATE(S)                                                                                      \
  template void SolutionFile::read_points(Context<S>&, Context<Host>&, std::int64_t, const MultiVector<double, S>&); \
  template Writers SolutionFile::write(Context<S>&, Context<Host>&, const MultiVector<double, S>&, RowRange,         \
                                       const MeshProblem*, const std::vector<std::vector<Index>>&) const;
AMGSOLVE_INSTANTIATE(Host)
#if AMGSOLVE_HAVE_CUDA
AMGSOLVE_INSTANTIATE(Cuda)
#endif

}  // namespace amgsolve
