#include "problems/solution_writer.hpp"

#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "problems/amg_file.hpp"
#include "problems/binary_output.hpp"
#include "problems/matrix_market.hpp"
#include "problems/vtk_writer.hpp"

namespace amgsolve {
namespace {

template <class T>
void write_npy(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x) {
  const std::string shape = x.columns == 1 ? format_text("({},)", x.rows) : format_text("({}, {})", x.rows, x.columns);
  std::string dictionary = format_text("{{'descr': '<f{}', 'fortran_order': False, 'shape': {}, }}", sizeof(T), shape);
  // Blanks and a newline bring the data to a multiple of 64 bytes.
  constexpr std::size_t preamble = 10;
  const std::size_t data_begin = (preamble + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.resize(data_begin - preamble - 1, ' ');
  dictionary += '\n';
  const auto dictionary_size = static_cast<std::uint16_t>(dictionary.size());

  OutputFile file(path);
  file.write(std::string("\x93NUMPY\x01\x00", 8).append(bytes_of(&dictionary_size, 1)) + dictionary);
  write_bytes(ctx, file, bytes_of(x.data, x.size()));
  file.commit();
}

}  // namespace

void check_solution_path(const std::filesystem::path& path, SolutionPlaces places) {
  const std::string extension = path.extension().string();
  const auto fail = [&](std::string_view why) {
    throw ConfigurationError(format_text("a solution cannot be written to '{}': {}", path.string(), why));
  };
  if (extension != ".mtx" && extension != ".npy" && extension != ".amg" && extension != ".vti" && extension != ".vtu") {
    fail("the extension must be .mtx, .npy, .amg, .vti or .vtu");
  }
  if (extension == ".vti" && !places.has_grid) {
    fail(".vti is for generated problems, which have a grid; use .mtx, .npy or .amg");
  }
  if (extension == ".vtu" && !places.has_points) {
    fail(".vtu is for problems whose coordinates are given; use .mtx, .npy or .amg");
  }
}

template <class T>
void write_solution(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x,
                    const ImageGeometry* image, const PointGeometry& points, const PointFields<T>& fields) {
  check_solution_path(path, {.has_grid = image != nullptr, .has_points = points.points.data != nullptr});
  const std::string extension = path.extension().string();
  if (extension == ".mtx") {
    write_matrix_market(ctx, path, x);
  } else if (extension == ".npy") {
    write_npy(ctx, path, x);
  } else if (extension == ".amg") {
    write_amg_file(ctx, path, x);
  } else if (extension == ".vti") {
    write_vti(ctx, path, x, *image, fields);
  } else {
    write_vtu(ctx, path, x, points, fields);
  }
}

template void write_solution(Context<Host>&, const std::filesystem::path&, MultiVectorView<const float, Host>,
                             const ImageGeometry*, const PointGeometry&, const PointFields<float>&);
template void write_solution(Context<Host>&, const std::filesystem::path&, MultiVectorView<const double, Host>,
                             const ImageGeometry*, const PointGeometry&, const PointFields<double>&);

}  // namespace amgsolve
