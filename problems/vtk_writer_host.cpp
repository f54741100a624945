#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/output_file.hpp"
#include "core/parallel_host.hpp"
#include "problems/binary_output.hpp"
#include "problems/vtk_writer.hpp"

namespace amgsolve {
namespace {

constexpr std::int64_t space = 3;  // components of a vector or a point in VTK

/// The arrays of a file: declared in the XML one after the other, and written behind it in the same order, each behind
/// its number of bytes.
class Arrays {
 public:
  /// The element of an array of numbers of that type, which VTK calls "Float64" and so on.
  /// @param attributes  besides, each behind a blank
  std::string declare(std::string_view type, std::string_view attributes, std::uint64_t bytes) {
    std::string element = format_text("        <DataArray type=\"{}\"{} format=\"appended\" offset=\"{}\"/>\n", type,
                                      attributes, offset_);
    offset_ += sizeof(std::uint64_t) + bytes;
    return element;
  }

 private:
  std::uint64_t offset_ = 0;
};

constexpr std::string_view in_space = " NumberOfComponents=\"3\"";
constexpr std::string_view end_of_xml = "  <AppendedData encoding=\"raw\">\n_";
constexpr std::string_view end_of_file = "\n  </AppendedData>\n</VTKFile>\n";

std::string begin_of_file(std::string_view kind) {
  return format_text(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n",
      kind);
}

/// The rows of x as the unknowns of points, and what stands beside them.
template <class T>
struct PointData {
  MultiVectorView<const T, Host> x;
  PointFields<T> fields;
  std::int64_t points = 0;
  std::int64_t components = 1;  ///< unknowns of a point

  PointData(MultiVectorView<const T, Host> x_, const PointFields<T>& fields_, std::int64_t points_,
            std::int64_t components_)
      : x(x_), fields(fields_), points(points_), components(components_) {
    if (components < 1 || components > space || x.rows != points * components) {
      throw std::invalid_argument(format_text("write_solution: x has {} rows, and there are {} points of {} unknowns",
                                              x.rows, points, components));
    }
    const bool has_aggregates =
        std::ranges::all_of(fields.aggregates, [&](const std::vector<Index>& of) { return std::ssize(of) == points; });
    if (fields.error.rows == 0) {
      fields.error.columns = 0;
    } else if (fields.error.rows != x.rows) {
      throw std::invalid_argument(
          format_text("write_solution: x has {} rows, its error {}", x.rows, fields.error.rows));
    }
    if (!has_aggregates) {
      throw std::invalid_argument(format_text("write_solution: the aggregates are not those of {} points", points));
    }
  }

  bool is_scalar() const { return components == 1; }
  std::int64_t numbers_a_column() const { return is_scalar() ? points : space * points; }

  static std::string name(const char* of, MultiVectorView<const T, Host> values, Index column) {
    return values.columns == 1 ? std::string(of) : format_text("{}{}", of, column);
  }

  std::string declare(Arrays& arrays) const {
    std::string xml =
        format_text("      <PointData {}=\"{}\">\n", is_scalar() ? "Scalars" : "Vectors", name("u", x, 0));
    for (const auto& [of, values] : {std::pair("u", x), std::pair("error", fields.error)}) {
      for (Index column = 0; column < values.columns; ++column) {
        xml += arrays.declare(format_text("Float{}", 8 * sizeof(T)),
                              format_text(" Name=\"{}\"{}", name(of, values, column), is_scalar() ? "" : in_space),
                              static_cast<std::uint64_t>(numbers_a_column()) * sizeof(T));
      }
    }
    for (std::size_t level = 0; level < fields.aggregates.size(); ++level) {
      xml += arrays.declare("Int32", format_text(" Name=\"aggregate{}\"", level),
                            static_cast<std::uint64_t>(points) * sizeof(std::int32_t));
    }
    return xml + "      </PointData>\n";
  }
};

/// The elements between points, or a cell for each point.
struct Cells {
  Span<const Index, Host> nodes;
  std::int64_t corners = 1;
  std::int64_t count = 0;
  int type = 1;  ///< what VTK calls a vertex; 5 a triangle, 10 a tetrahedron

  explicit Cells(const PointGeometry& geometry) : nodes(geometry.elements), count(geometry.points.rows) {
    if (!nodes.empty()) {
      corners = geometry.points.columns + 1;
      count = static_cast<std::int64_t>(nodes.size()) / corners;
      type = corners == 3 ? 5 : 10;
    }
  }

  std::int64_t node(std::int64_t i) const { return nodes.empty() ? i : nodes[static_cast<std::size_t>(i)]; }
};

/// An array of count numbers(i).
template <class U, class Number>
void write_array(Context<Host>& ctx, OutputFile& file, std::int64_t count, const Number& number) {
  WorkspaceScope<Host> scope(ctx.workspace());
  const Span<U, Host> numbers = scope.take<U>(static_cast<std::size_t>(count));
  parallel_for(ctx, count, [&](std::int64_t i) { numbers[static_cast<std::size_t>(i)] = static_cast<U>(number(i)); });
  const std::uint64_t bytes = numbers.size() * sizeof(U);
  file.write(bytes_of(&bytes, 1));
  write_bytes(ctx, file, bytes_of(numbers.data(), numbers.size()));
}

/// With zeros for the directions that v does not have; entry(p, d) is that of v at point p.
template <class U, class Entry>
void write_vectors(Context<Host>& ctx, OutputFile& file, std::int64_t points, std::int64_t components,
                   const Entry& entry) {
  write_array<U>(ctx, file, space * points, [&](std::int64_t i) {
    const std::int64_t component = i % space;
    return component < components ? entry(i / space, component) : U{0};
  });
}

template <class T>
void write_columns(Context<Host>& ctx, OutputFile& file, const PointData<T>& data, MultiVectorView<const T, Host> x) {
  for (Index column = 0; column < x.columns; ++column) {
    const auto entry = [&](std::int64_t point, std::int64_t component) {
      return x.data[(point * data.components + component) * x.columns + column];
    };
    if (data.is_scalar()) {
      write_array<T>(ctx, file, data.points, [&](std::int64_t i) { return entry(i, 0); });
    } else {
      write_vectors<T>(ctx, file, data.points, data.components, entry);
    }
  }
}

template <class T>
void write_point_data(Context<Host>& ctx, OutputFile& file, const PointData<T>& data) {
  write_columns(ctx, file, data, data.x);
  write_columns(ctx, file, data, data.fields.error);
  for (const std::vector<Index>& aggregates : data.fields.aggregates) {
    write_array<std::int32_t>(ctx, file, data.points,
                              [&](std::int64_t i) { return aggregates[static_cast<std::size_t>(i)]; });
  }
}

}  // namespace

template <class T>
void write_vti(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x,
               const ImageGeometry& image, const PointFields<T>& fields) {
  const PointData<T> data(x, fields, image.grid.unknowns(), image.components);
  const auto& [nx, ny, nz] = image.grid.size;
  const std::string extent = format_text("0 {} 0 {} 0 {}", nx - 1, ny - 1, nz - 1);
  Arrays arrays;
  std::string xml = begin_of_file("ImageData");
  xml += format_text("  <ImageData WholeExtent=\"{0}\" Origin=\"{1}\" Spacing=\"{2}\">\n    <Piece Extent=\"{0}\">\n",
                     extent, fmt::join(image.origin, " "), fmt::join(image.spacing, " "));
  xml += data.declare(arrays);
  xml += "    </Piece>\n  </ImageData>\n";

  OutputFile file(path);
  file.write(xml.append(end_of_xml));
  write_point_data(ctx, file, data);
  file.write(end_of_file);
  file.commit();
}

template <class T>
void write_vtu(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x,
               const PointGeometry& geometry, const PointFields<T>& fields) {
  const MultiVectorView<const double, Host> points = geometry.points;
  const std::int64_t n = points.rows;
  const Cells cells(geometry);
  const PointData<T> data(x, fields, n, n > 0 ? x.rows / n : 1);
  const auto count = static_cast<std::uint64_t>(cells.count);
  Arrays arrays;
  std::string xml = begin_of_file("UnstructuredGrid");
  xml += format_text("  <UnstructuredGrid>\n    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n", n, cells.count);
  xml += data.declare(arrays);
  xml += "      <Points>\n";
  xml += arrays.declare("Float64", in_space, static_cast<std::uint64_t>(space * n) * sizeof(double));
  xml += "      </Points>\n      <Cells>\n";
  xml += arrays.declare("Int32", " Name=\"connectivity\"",
                        static_cast<std::uint64_t>(cells.corners) * count * sizeof(std::int32_t));
  xml += arrays.declare("Int64", " Name=\"offsets\"", count * sizeof(std::int64_t));
  xml += arrays.declare("UInt8", " Name=\"types\"", count);
  xml += "      </Cells>\n";
  xml += "    </Piece>\n  </UnstructuredGrid>\n";

  OutputFile file(path);
  file.write(xml.append(end_of_xml));
  write_point_data(ctx, file, data);
  write_vectors<double>(ctx, file, n, points.columns, [&](std::int64_t point, std::int64_t direction) {
    return points.data[point * points.columns + direction];
  });
  write_array<std::int32_t>(ctx, file, cells.corners * cells.count, [&](std::int64_t i) { return cells.node(i); });
  write_array<std::int64_t>(ctx, file, cells.count, [&](std::int64_t i) { return cells.corners * (i + 1); });
  write_array<std::uint8_t>(ctx, file, cells.count, [&](std::int64_t) { return cells.type; });
  file.write(end_of_file);
  file.commit();
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                \
  template void write_vti(Context<S>&, const std::filesystem::path&, MultiVectorView<const T, S>, \
                          const ImageGeometry&, const PointFields<T>&);                           \
  template void write_vtu(Context<S>&, const std::filesystem::path&, MultiVectorView<const T, S>, \
                          const PointGeometry&, const PointFields<T>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
