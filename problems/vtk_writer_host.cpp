#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/collectively.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "problems/binary_output.hpp"
#include "problems/vtk_writer.hpp"

namespace amgsolve {
namespace {

constexpr std::int64_t space = 3;  // components of a vector or a point in VTK

constexpr std::string_view end_of_xml = "  <AppendedData encoding=\"raw\">\n_";
constexpr std::string_view end_of_file = "\n  </AppendedData>\n</VTKFile>\n";

/// The arrays of a file: declared in the XML one after the other, and written behind it in the same order, each behind
/// its number of bytes.
class Arrays {
 public:
  /// The element of an array, which VTK calls "Float64" and so on.
  /// @param attributes  besides, each behind a blank
  /// @param numbers     of all ranks
  /// @param own         of them the ones of this rank
  std::string declare(std::string_view type, std::string_view attributes, std::int64_t numbers, RowsSection own) {
    std::string element = format_text("        <DataArray type=\"{}\"{} format=\"appended\" offset=\"{}\"/>\n", type,
                                      attributes, offset_);
    const std::uint64_t bytes = static_cast<std::uint64_t>(numbers) * own.row_bytes;
    own.before = bytes_of(&bytes, 1);
    offset_ += sizeof(bytes) + bytes;
    sections_.push_back(std::move(own));
    return element;
  }

  std::vector<RowsSection> file(std::string xml) && {
    sections_.insert(sections_.begin(), {.before = xml.append(end_of_xml)});
    sections_.push_back({.before = std::string(end_of_file)});
    return std::move(sections_);
  }

 private:
  std::uint64_t offset_ = 0;
  std::vector<RowsSection> sections_;
};

constexpr std::string_view in_space = " NumberOfComponents=\"3\"";

std::string begin_of_file(std::string_view kind) {
  return format_text(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n",
      kind);
}

/// number(i) for all i in the range.
template <class U, class Number>
RowsSection numbers(RowRange range, Number number) {
  return {.rows = range.count(),
          .row_bytes = sizeof(U),
          .bytes = [first = range.first, number](std::int64_t begin, std::int64_t end, char* room) {
            U* const out = reinterpret_cast<U*>(room);
            for (std::int64_t i = begin; i < end; ++i) {
              out[i - begin] = static_cast<U>(number(first + i));
            }
            return bytes_of(out, static_cast<std::size_t>(end - begin));
          }};
}

/// The same for rows in the range, those of points one after the other, with zeros behind them for the directions of
/// space that a point has none for.
template <class U, class Entry>
RowsSection vectors(RowRange rows, std::int64_t components, Entry entry) {
  const auto place = [&](std::int64_t row) { return row / components * space + row % components; };
  return numbers<U>({place(rows.first), place(rows.last)}, [components, entry](std::int64_t i) {
    const std::int64_t component = i % space;
    return component < components ? entry(i / space * components + component) : U{0};
  });
}

/// The rows of x as the unknowns of points, and what stands beside them.
template <class T>
struct PointData {
  MultiVectorView<const T, Host> x;
  PointFields<T> fields;
  std::int64_t points = 0;      ///< of all ranks
  std::int64_t components = 1;  ///< unknowns of a point
  RanksRows rows{};

  /// Collective.
  PointData(const Communicator& ranks, MultiVectorView<const T, Host> x_, const PointFields<T>& fields_,
            std::int64_t points_, std::int64_t components_)
      : x(x_), fields(fields_), points(points_), components(components_), rows(rows_of_ranks(ranks, x.rows)) {
    if (components < 1 || components > space || rows.all != points * components) {
      throw std::invalid_argument(format_text("write_solution: x has {} rows, and there are {} points of {} unknowns",
                                              rows.all, points, components));
    }
    collectively(ranks, [&] { check_fields(); });
  }

  bool is_scalar() const { return components == 1; }
  std::int64_t numbers_a_column() const { return is_scalar() ? points : space * points; }

  std::string declare(Arrays& arrays) const {
    std::string xml =
        format_text("      <PointData {}=\"{}\">\n", is_scalar() ? "Scalars" : "Vectors", name("u", x.columns, 0));
    xml += declare_columns(arrays, "u", x);
    if (fields.error) {
      xml += declare_columns(arrays, "error", *fields.error);
    }
    for (std::size_t level = 0; level < fields.aggregates.size(); ++level) {
      const std::vector<Index>& of_point = fields.aggregates[level];
      xml += arrays.declare("Int32", format_text(" Name=\"aggregate{}\"", level), points,
                            numbers<std::int32_t>({0, std::ssize(of_point)}, [&of_point](std::int64_t i) {
                              return of_point[static_cast<std::size_t>(i)];
                            }));
    }
    return xml + "      </PointData>\n";
  }

 private:
  void check_fields() const {
    if (fields.error && fields.error->rows != x.rows) {
      throw std::invalid_argument(
          format_text("write_solution: x has {} rows, its error {}", x.rows, fields.error->rows));
    }
    const std::int64_t own_points = points_in_rows(rows.own, components).count();
    if (!std::ranges::all_of(fields.aggregates,
                             [&](const std::vector<Index>& of) { return std::ssize(of) == own_points; })) {
      throw std::invalid_argument(format_text("write_solution: the aggregates are not those of {} points", own_points));
    }
  }

  static std::string name(const char* of, Index columns, Index column) {
    return columns == 1 ? std::string(of) : format_text("{}{}", of, column);
  }

  std::string declare_columns(Arrays& arrays, const char* of, MultiVectorView<const T, Host> values) const {
    std::string xml;
    for (Index column = 0; column < values.columns; ++column) {
      const auto entry = [values, column, first = rows.own.first](std::int64_t row) {
        return values.data[(row - first) * values.columns + column];
      };
      xml += arrays.declare(
          format_text("Float{}", 8 * sizeof(T)),
          format_text(" Name=\"{}\"{}", name(of, values.columns, column), is_scalar() ? "" : in_space),
          numbers_a_column(), is_scalar() ? numbers<T>(rows.own, entry) : vectors<T>(rows.own, components, entry));
    }
    return xml;
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

}  // namespace

RowRange points_in_rows(RowRange rows, std::int64_t components) {
  return {(rows.first + components - 1) / components, (rows.last + components - 1) / components};
}

template <class T>
std::vector<RowsSection> vti_file(Context<Host>& ctx, MultiVectorView<const T, Host> x, const ImageGeometry& image,
                                  const PointFields<T>& fields) {
  const PointData<T> data(ctx.communicator(), x, fields, image.grid.unknowns(), image.components);
  const auto& [nx, ny, nz] = image.grid.size;
  const std::string extent = format_text("0 {} 0 {} 0 {}", nx - 1, ny - 1, nz - 1);
  Arrays arrays;
  std::string xml = begin_of_file("ImageData");
  xml += format_text("  <ImageData WholeExtent=\"{0}\" Origin=\"{1}\" Spacing=\"{2}\">\n    <Piece Extent=\"{0}\">\n",
                     extent, fmt::join(image.origin, " "), fmt::join(image.spacing, " "));
  xml += data.declare(arrays);
  xml += "    </Piece>\n  </ImageData>\n";
  return std::move(arrays).file(std::move(xml));
}

template <class T>
std::vector<RowsSection> vtu_file(Context<Host>& ctx, MultiVectorView<const T, Host> x, const PointGeometry& geometry,
                                  const PointFields<T>& fields) {
  const Communicator& ranks = ctx.communicator();
  const MultiVectorView<const double, Host> points = geometry.points;
  const std::int64_t n = points.rows;
  const std::int64_t directions = points.columns;
  const Cells cells(geometry);
  const PointData<T> data(ranks, x, fields, n, n > 0 ? rows_of_ranks(ranks, x.rows).all / n : 1);
  const RowRange own_points = part_of(ranks, n);
  const RowRange own_cells = part_of(ranks, cells.count);
  Arrays arrays;
  std::string xml = begin_of_file("UnstructuredGrid");
  xml += format_text("  <UnstructuredGrid>\n    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n", n, cells.count);
  xml += data.declare(arrays);
  xml += "      <Points>\n";
  xml += arrays.declare("Float64", in_space, space * n,
                        vectors<double>({own_points.first * directions, own_points.last * directions}, directions,
                                        [points](std::int64_t i) { return points.data[i]; }));
  xml += "      </Points>\n      <Cells>\n";
  xml += arrays.declare("Int32", " Name=\"connectivity\"", cells.corners * cells.count,
                        numbers<std::int32_t>({cells.corners * own_cells.first, cells.corners * own_cells.last},
                                              [cells](std::int64_t i) { return cells.node(i); }));
  xml += arrays.declare("Int64", " Name=\"offsets\"", cells.count,
                        numbers<std::int64_t>(own_cells, [cells](std::int64_t i) { return cells.corners * (i + 1); }));
  xml += arrays.declare("UInt8", " Name=\"types\"", cells.count,
                        numbers<std::uint8_t>(own_cells, [cells](std::int64_t) { return cells.type; }));
  xml += "      </Cells>\n";
  xml += "    </Piece>\n  </UnstructuredGrid>\n";
  return std::move(arrays).file(std::move(xml));
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                           \
  template std::vector<RowsSection> vti_file(Context<S>&, MultiVectorView<const T, S>, const ImageGeometry&, \
                                             const PointFields<T>&);                                         \
  template std::vector<RowsSection> vtu_file(Context<S>&, MultiVectorView<const T, S>, const PointGeometry&, \
                                             const PointFields<T>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
