#include "problems/solution_writer.hpp"

#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "problems/amg_file.hpp"
#include "problems/binary_output.hpp"
#include "problems/matrix_market.hpp"
#include "problems/numpy.hpp"
#include "problems/vtk_writer.hpp"

namespace amgsolve {
namespace {

constexpr std::string_view numpy_extension = ".npy";
constexpr std::string_view own_extension = ".amg";

}  // namespace

void check_solution_path(const std::filesystem::path& path, SolutionPlaces places) {
  const std::string extension = path.extension().string();
  const auto fail = [&](std::string_view why) {
    throw ConfigurationError(format_text("a solution cannot be written to '{}': {}", path.string(), why));
  };
  if (extension != ".mtx" && !is_written_by_all(path) && extension != ".vti" && extension != ".vtu") {
    fail("the extension must be .mtx, .npy, .amg, .vti or .vtu");
  }
  if (extension == ".vti" && !places.has_grid) {
    fail(".vti is for generated problems, which have a grid; use .mtx, .npy or .amg");
  }
  if (extension == ".vtu" && !places.has_points) {
    fail(".vtu is for problems whose coordinates are given; use .mtx, .npy or .amg");
  }
}

bool is_written_by_all(const std::filesystem::path& path) {
  return path.extension() == numpy_extension || path.extension() == own_extension;
}

template <class T>
Writers write_own_rows(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x) {
  const std::int64_t rows = ctx.communicator().sum(std::int64_t{x.rows});
  const RowsFile layout = path.extension() == numpy_extension ? numpy_file(rows, x.columns, sizeof(T))
                                                              : amg_file_of_vectors(ctx, rows, x.columns, sizeof(T));
  return write_rows_file(ctx, path, layout, bytes_of(x.data, x.size()));
}

template <class T>
void write_solution(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x,
                    const ImageGeometry* image, const PointGeometry& points, const PointFields<T>& fields) {
  check_solution_path(path, {.has_grid = image != nullptr, .has_points = points.points.data != nullptr});
  const std::string extension = path.extension().string();
  if (is_written_by_all(path)) {
    write_own_rows(ctx, path, x);
  } else if (extension == ".mtx") {
    write_matrix_market(ctx, path, x);
  } else if (extension == ".vti") {
    write_vti(ctx, path, x, *image, fields);
  } else {
    write_vtu(ctx, path, x, points, fields);
  }
}

template Writers write_own_rows(Context<Host>&, const std::filesystem::path&, MultiVectorView<const float, Host>);
template Writers write_own_rows(Context<Host>&, const std::filesystem::path&, MultiVectorView<const double, Host>);
template void write_solution(Context<Host>&, const std::filesystem::path&, MultiVectorView<const float, Host>,
                             const ImageGeometry*, const PointGeometry&, const PointFields<float>&);
template void write_solution(Context<Host>&, const std::filesystem::path&, MultiVectorView<const double, Host>,
                             const ImageGeometry*, const PointGeometry&, const PointFields<double>&);

}  // namespace amgsolve
