#include "problems/solution_writer.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "core/errors.hpp"
#include "core/parallel_host.hpp"
#include "problems/amg_file.hpp"
#include "problems/binary_output.hpp"
#include "problems/matrix_market.hpp"

namespace amgsolve {
namespace {

template <class T>
void write_npy(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x) {
  const std::string shape = x.columns == 1 ? fmt::format("({},)", x.rows) : fmt::format("({}, {})", x.rows, x.columns);
  std::string dictionary = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': {}, }}", sizeof(T), shape);
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

/// The XML part: an array of point data a column, each at its offset in the appended raw bytes, where a 64-bit byte
/// count stands before it.
template <class T>
std::string vti_header(const ImageGeometry& image, Index columns, std::uint64_t bytes_a_column) {
  const auto& [nx, ny, nz] = image.grid.size;
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", nx - 1, ny - 1, nz - 1);
  const auto name = [&](Index column) { return columns == 1 ? std::string("u") : fmt::format("u{}", column); };
  std::string header = fmt::format(
      R"(<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <ImageData WholeExtent="{0}" Origin="{1}" Spacing="{2}">
    <Piece Extent="{0}">
      <PointData {3}="{4}">
)",
      extent, fmt::join(image.origin, " "), fmt::join(image.spacing, " "),
      image.components == 1 ? "Scalars" : "Vectors", name(0));
  for (Index column = 0; column < columns; ++column) {
    header += fmt::format("        <DataArray type=\"Float{}\" Name=\"{}\"{} format=\"appended\" offset=\"{}\"/>\n",
                          8 * sizeof(T), name(column), image.components == 1 ? "" : " NumberOfComponents=\"3\"",
                          static_cast<std::uint64_t>(column) * (bytes_a_column + sizeof(std::uint64_t)));
  }
  header += "      </PointData>\n    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">\n_";
  return header;
}

template <class T>
void write_vti(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x,
               const ImageGeometry& image) {
  const std::int64_t components = image.components;
  const std::int64_t points = image.grid.unknowns();
  if (x.rows % components != 0 || points != x.rows / components) {
    throw std::invalid_argument(
        fmt::format("write_solution: x has {} rows, the grid {} points of {} unknowns", x.rows, points, components));
  }
  // Vectors have three components in VTK.
  const std::int64_t written = components == 1 ? 1 : 3;
  const auto count = static_cast<std::size_t>(points * written);
  const std::uint64_t bytes_a_column = count * sizeof(T);
  WorkspaceScope<Host> scope(ctx.workspace());
  const Span<T, Host> values = scope.take<T>(count);

  OutputFile file(path);
  file.write(vti_header<T>(image, x.columns, bytes_a_column));
  for (Index column = 0; column < x.columns; ++column) {
    parallel_for(ctx, points * written, [&](std::int64_t i) {
      const std::int64_t component = i % written;
      const std::int64_t row = i / written * components + component;
      values[static_cast<std::size_t>(i)] = component < components ? x.data[row * x.columns + column] : T{0};
    });
    file.write(bytes_of(&bytes_a_column, 1));
    write_bytes(ctx, file, bytes_of(values.data(), count));
  }
  file.write("\n  </AppendedData>\n</VTKFile>\n");
  file.commit();
}

}  // namespace

void check_solution_path(const std::filesystem::path& path, bool has_grid) {
  const std::string extension = path.extension().string();
  if (extension != ".mtx" && extension != ".npy" && extension != ".amg" && extension != ".vti") {
    throw ConfigurationError(fmt::format(
        "a solution cannot be written to '{}': the extension must be .mtx, .npy, .amg or .vti", path.string()));
  }
  if (extension == ".vti" && !has_grid) {
    throw ConfigurationError(
        fmt::format("a solution cannot be written to '{}': .vti is for generated problems, which have a grid; use "
                    ".mtx, .npy or .amg",
                    path.string()));
  }
}

template <class T>
void write_solution(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x,
                    const ImageGeometry* image) {
  check_solution_path(path, image != nullptr);
  const std::string extension = path.extension().string();
  if (extension == ".mtx") {
    write_matrix_market(ctx, path, x);
  } else if (extension == ".npy") {
    write_npy(ctx, path, x);
  } else if (extension == ".amg") {
    write_amg_file(ctx, path, x);
  } else {
    write_vti(ctx, path, x, *image);
  }
}

template void write_solution(Context<Host>&, const std::filesystem::path&, MultiVectorView<const float, Host>,
                             const ImageGeometry*);
template void write_solution(Context<Host>&, const std::filesystem::path&, MultiVectorView<const double, Host>,
                             const ImageGeometry*);

}  // namespace amgsolve
