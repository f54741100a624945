#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "problems/amg_file.hpp"
#include "problems/matrix_market.hpp"
#include "problems/numpy.hpp"
#include "problems/solution_writer.hpp"
#include "problems/vector_file.hpp"
#include "problems/vtk_writer.hpp"
#include "tests/problems/many_rows.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/temporary_directory.hpp"
#include "tests/reference/vtk_file.hpp"

namespace amgsolve {
namespace {

namespace fs = std::filesystem;
using reference::bytes_of_file;
using reference::TemporaryDirectory;

/// A Python interpreter that has the module, "" where there is none. Distributions put their packages beside
/// /usr/bin/python3, which need not be the first on the PATH.
std::string python_with(const std::string& module) {
  for (const std::string python : {"python3", "/usr/bin/python3"}) {
    if (std::system((python + " -c 'import " + module + "' 2>/dev/null").c_str()) == 0) {
      return python;
    }
  }
  return "";
}

/// Runs a script whose assertions are the test; sys.argv[1] is the file.
::testing::AssertionResult passes(const std::string& python, const TemporaryDirectory& directory,
                                  const std::string& script, const fs::path& file) {
  const fs::path script_file = directory.write("check.py", script);
  const std::string command = python + " '" + script_file.string() + "' '" + file.string() + "'";
  return std::system(command.c_str()) == 0 ? ::testing::AssertionSuccess()
                                           : ::testing::AssertionFailure() << "the script failed on " << file;
}

template <class T>
class SolutionWriter : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, const std::vector<T>& x, Index columns,
                 const ImageGeometry* image = nullptr) {
    const fs::path path = directory_.path() / name;
    const Index rows = static_cast<Index>(x.size()) / columns;
    write_solution<T>(ctx_, path, MultiVectorView<const T, Host>(x.data(), rows, columns), image);
    return path;
  }
  /// At points with so many coordinates each.
  fs::path write_vtu(const std::vector<T>& x, Index columns, const std::vector<double>& points, Index directions,
                     const std::vector<Index>& elements = {}) {
    const fs::path path = directory_.path() / "x.vtu";
    const MultiVectorView<const double, Host> places(points.data(), static_cast<Index>(points.size()) / directions,
                                                     directions);
    const Index rows = static_cast<Index>(x.size()) / columns;
    write_solution<T>(ctx_, path, MultiVectorView<const T, Host>(x.data(), rows, columns), nullptr,
                      {places, {elements.data(), elements.size()}});
    return path;
  }

  Context<Host> ctx_;
  TemporaryDirectory directory_;
};
using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolutionWriter, Values);

/// x_i = i + 1/3, which needs all digits.
template <class T>
std::vector<T> thirds(std::size_t n) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<T>(i) + T(1) / T(3);
  }
  return x;
}

template <class T>
std::vector<T> values_at(const std::string& bytes, std::size_t offset, std::size_t count) {
  std::vector<T> values(count);
  EXPECT_LE(offset + count * sizeof(T), bytes.size());
  std::memcpy(values.data(), bytes.data() + offset, count * sizeof(T));
  return values;
}

TYPED_TEST(SolutionWriter, MatrixMarketReadsBack) {
  const auto x = thirds<TypeParam>(6);
  const auto read = read_vectors<TypeParam>(this->ctx_, this->write("x.mtx", x, 2));
  EXPECT_EQ(read.rows(), 3);
  EXPECT_EQ(std::vector<TypeParam>(read.data(), read.data() + 6), x);
}

TYPED_TEST(SolutionWriter, NumpyBytes) {
  const auto x = thirds<TypeParam>(6);
  const std::string descr = sizeof(TypeParam) == 4 ? "'<f4'" : "'<f8'";
  for (const Index columns : {1, 2}) {
    const std::string bytes = bytes_of_file(this->write("x.npy", x, columns));
    ASSERT_EQ(bytes.size(), 128 + 6 * sizeof(TypeParam));
    EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
    const std::string dictionary =
        "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + (columns == 1 ? "(6,)" : "(3, 2)") + ", }";
    EXPECT_EQ(bytes.substr(10, dictionary.size()), dictionary);
    EXPECT_EQ(bytes.find_first_not_of(' ', 10 + dictionary.size()), 127u);
    EXPECT_EQ(bytes[127], '\n');
    EXPECT_EQ(values_at<TypeParam>(bytes, 128, 6), x);
  }
}

/// Which no test can write: only the last of its rows are there.
TEST(RowsFile, HoldsMoreRowsThan32BitsCount) {
  const BehindManyRows ranks;
  Context<Host> ctx(1, ranks);
  constexpr std::int64_t rows = BehindManyRows::rows_before + 3;
  const std::vector<double> x{1, 2, 3, 4, 5, 6};
  const MultiVectorView<const double, Host> own(x.data(), 3, 2);

  EXPECT_NE(numpy_file(ctx, own)[0].before.find("'shape': (2744000003, 2)"), std::string::npos);
  EXPECT_NE(matrix_market_file(ctx, own)[0].before.find("\n2744000003 2\n"), std::string::npos);
  const std::string header = amg_file_of_vectors(ctx, own)[0].before;
  EXPECT_EQ(values_at<std::int64_t>(header, 16, 4)[0], rows);
  EXPECT_EQ(values_at<std::int64_t>(header, 32, 3)[0], 2 * rows);
  EXPECT_EQ(values_at<std::int64_t>(header, 48, 1)[0], (64 + 16 * rows + 63) / 64 * 64);

  const ImageGeometry image{.grid = {.dimensions = 2, .size = {rows, 1, 1}}};
  const std::vector<RowsSection> vti = vti_file(ctx, own, image);
  ASSERT_EQ(vti.size(), 4U);
  EXPECT_NE(vti[0].before.find("Name=\"u1\" format=\"appended\" offset=\"21952000032\""), std::string::npos);
  EXPECT_EQ(values_at<std::uint64_t>(vti[2].before, 0, 1)[0], 8 * rows);
  std::vector<double> room(3);
  const std::string_view bytes = vti[2].bytes(0, 3, reinterpret_cast<char*>(room.data()));
  EXPECT_EQ(values_at<double>(std::string(bytes), 0, 3), (std::vector<double>{2, 4, 6}));
}

TYPED_TEST(SolutionWriter, NumpyReadsBack) {
  const auto x = thirds<TypeParam>(6);
  for (const Index columns : {1, 2, 3}) {
    const auto read = read_vectors<TypeParam>(this->ctx_, this->write("x.npy", x, columns));
    EXPECT_EQ(read.columns(), columns);
    EXPECT_EQ(std::vector<TypeParam>(read.data(), read.data() + 6), x);
  }
}

TYPED_TEST(SolutionWriter, NumpyLoadsIt) {
  const std::string python = python_with("numpy");
  if (python.empty()) {
    GTEST_SKIP() << "no Python with numpy";
  }
  const std::string type = sizeof(TypeParam) == 4 ? "numpy.float32" : "numpy.float64";
  const std::string head = "import numpy, sys\nx = numpy.load(sys.argv[1])\nt = " + type + "\nassert x.dtype == t\n";
  const auto x = thirds<TypeParam>(6);
  EXPECT_TRUE(passes(python, this->directory_, head + "assert (x == numpy.arange(6, dtype=t) + t(1) / t(3)).all()\n",
                     this->write("x.npy", x, 1)));
  EXPECT_TRUE(
      passes(python, this->directory_,
             head + "assert x.shape == (3, 2) and (x.ravel() == numpy.arange(6, dtype=t) + t(1) / t(3)).all()\n",
             this->write("y.npy", x, 2)));
}

TYPED_TEST(SolutionWriter, VtkBytes) {
  const ImageGeometry image{
      .grid = {.dimensions = 2, .size = {3, 2, 1}}, .origin = {0.25, 0, 0}, .spacing = {0.5, 0.1, 1}};
  const auto x = thirds<TypeParam>(12);
  const std::string bytes = bytes_of_file(this->write("x.vti", x, 2, &image));
  const std::string type = sizeof(TypeParam) == 4 ? "Float32" : "Float64";
  const std::uint64_t size = 6 * sizeof(TypeParam);
  const std::string xml =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "  <ImageData WholeExtent=\"0 2 0 1 0 0\" Origin=\"0.25 0 0\" Spacing=\"0.5 0.1 1\">\n"
      "    <Piece Extent=\"0 2 0 1 0 0\">\n"
      "      <PointData Scalars=\"u0\">\n"
      "        <DataArray type=\"" +
      type +
      "\" Name=\"u0\" format=\"appended\" offset=\"0\"/>\n"
      "        <DataArray type=\"" +
      type + "\" Name=\"u1\" format=\"appended\" offset=\"" + std::to_string(size + 8) +
      "\"/>\n"
      "      </PointData>\n"
      "    </Piece>\n"
      "  </ImageData>\n"
      "  <AppendedData encoding=\"raw\">\n"
      "_";
  ASSERT_EQ(bytes.substr(0, xml.size()), xml);
  for (std::size_t column = 0; column < 2; ++column) {
    const std::size_t begin = xml.size() + column * (8 + size);
    EXPECT_EQ(values_at<std::uint64_t>(bytes, begin, 1)[0], size);
    const auto values = values_at<TypeParam>(bytes, begin + 8, 6);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(values[i], x[2 * i + column]);
    }
  }
  EXPECT_EQ(bytes.substr(xml.size() + 2 * (8 + size)), "\n  </AppendedData>\n</VTKFile>\n");
}

TYPED_TEST(SolutionWriter, WritesTheUnknownsOfAPointAsAVectorOfThree) {
  const ImageGeometry image{.grid = {.dimensions = 2, .size = {3, 2, 1}}, .components = 2};
  const auto x = thirds<TypeParam>(12);
  const std::string bytes = bytes_of_file(this->write("x.vti", x, 1, &image));
  EXPECT_NE(bytes.find("<PointData Vectors=\"u\">"), std::string::npos);
  EXPECT_NE(bytes.find("Name=\"u\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>"), std::string::npos);
  const std::size_t begin = bytes.find("raw\">\n_") + 7;
  EXPECT_EQ(values_at<std::uint64_t>(bytes, begin, 1)[0], 18 * sizeof(TypeParam));
  const auto values = values_at<TypeParam>(bytes, begin + 8, 18);
  for (std::size_t point = 0; point < 6; ++point) {
    EXPECT_EQ(values[3 * point], x[2 * point]);
    EXPECT_EQ(values[3 * point + 1], x[2 * point + 1]);
    EXPECT_EQ(values[3 * point + 2], TypeParam{0});
  }
}

TYPED_TEST(SolutionWriter, VtkReadsIt) {
  const std::string python = python_with("vtk");
  if (python.empty()) {
    GTEST_SKIP() << "no Python with vtk";
  }
  const std::string head =
      "import vtk, sys\n"
      "reader = vtk.vtkXMLImageDataReader()\n"
      "reader.SetFileName(sys.argv[1])\n"
      "reader.Update()\n"
      "image = reader.GetOutput()\n"
      "data = image.GetPointData()\n"
      "value = lambda array, i: int(data.GetArray(array).GetTuple1(i))\n";
  const ImageGeometry cube{
      .grid = {.dimensions = 3, .size = {4, 3, 2}}, .origin = {1, 2, 3}, .spacing = {0.1, 0.2, 0.3}};
  EXPECT_TRUE(passes(python, this->directory_,
                     head + "assert image.GetDimensions() == (4, 3, 2)\n"
                            "assert image.GetOrigin() == (1, 2, 3) and image.GetSpacing() == (0.1, 0.2, 0.3)\n"
                            "assert data.GetScalars().GetName() == 'u'\n"
                            "point = image.ComputePointId((3, 1, 1))\n"
                            "assert value('u', point) == 3 + 4 * (1 + 3 * 1)\n",
                     this->write("cube.vti", thirds<TypeParam>(24), 1, &cube)));
  const ImageGeometry body{.grid = {.dimensions = 2, .size = {4, 3, 1}}, .components = 2};
  EXPECT_TRUE(passes(python, this->directory_,
                     head + "assert data.GetVectors().GetName() == 'u'\n"
                            "assert [int(v) for v in data.GetVectors().GetTuple3(5)] == [10, 11, 0]\n",
                     this->write("body.vti", thirds<TypeParam>(24), 1, &body)));
  const ImageGeometry square{.grid = {.dimensions = 2, .size = {4, 3, 1}}};
  EXPECT_TRUE(passes(python, this->directory_,
                     head + "assert image.GetDimensions() == (4, 3, 1) and data.GetNumberOfArrays() == 2\n"
                            "assert all(value('u0', i) == 2 * i and value('u1', i) == 2 * i + 1 for i in range(12))\n",
                     this->write("square.vti", thirds<TypeParam>(24), 2, &square)));
}

/// Array after array behind its number of bytes.
TYPED_TEST(SolutionWriter, VtkBytesOfPoints) {
  const auto x = thirds<TypeParam>(6);
  const std::string bytes = bytes_of_file(this->write_vtu(x, 2, {0, 0.5, 1, 0.25, 2, -1}, 2));
  const std::string type = sizeof(TypeParam) == 4 ? "Float32" : "Float64";
  const std::size_t size = 3 * sizeof(TypeParam);
  std::size_t offset = 0;
  const auto array = [&](const std::string& what, std::size_t array_bytes) {
    const std::string element =
        "        <DataArray type=\"" + what + " format=\"appended\" offset=\"" + std::to_string(offset) + "\"/>\n";
    offset += 8 + array_bytes;
    return element;
  };
  std::string xml =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "  <UnstructuredGrid>\n"
      "    <Piece NumberOfPoints=\"3\" NumberOfCells=\"3\">\n"
      "      <PointData Scalars=\"u0\">\n";
  xml += array(type + "\" Name=\"u0\"", size);
  xml += array(type + "\" Name=\"u1\"", size);
  xml += "      </PointData>\n      <Points>\n";
  xml += array("Float64\" NumberOfComponents=\"3\"", 72);
  xml += "      </Points>\n      <Cells>\n";
  xml += array("Int32\" Name=\"connectivity\"", 12);
  xml += array("Int64\" Name=\"offsets\"", 24);
  xml += array("UInt8\" Name=\"types\"", 3);
  xml += "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_";
  ASSERT_EQ(bytes.substr(0, xml.size()), xml);
  std::size_t at = xml.size();
  const auto expect = [&](const auto& numbers) {
    using U = typename std::decay_t<decltype(numbers)>::value_type;
    EXPECT_EQ(values_at<std::uint64_t>(bytes, at, 1)[0], numbers.size() * sizeof(U));
    EXPECT_EQ(values_at<U>(bytes, at + 8, numbers.size()), numbers);
    at += 8 + numbers.size() * sizeof(U);
  };
  expect(std::vector<TypeParam>{x[0], x[2], x[4]});
  expect(std::vector<TypeParam>{x[1], x[3], x[5]});
  expect(std::vector<double>{0, 0.5, 0, 1, 0.25, 0, 2, -1, 0});
  expect(std::vector<std::int32_t>{0, 1, 2});
  expect(std::vector<std::int64_t>{1, 2, 3});
  expect(std::vector<std::uint8_t>{1, 1, 1});
  EXPECT_EQ(bytes.substr(at), "\n  </AppendedData>\n</VTKFile>\n");
}

TYPED_TEST(SolutionWriter, VtkBytesOfElements) {
  struct Elements {
    std::vector<double> points;
    Index directions;
    std::vector<Index> nodes;
    std::vector<std::int64_t> ends;
    std::vector<std::uint8_t> types;
  };
  const std::vector<Elements> all{
      {{0, 0, 1, 0, 1, 1, 0, 1}, 2, {0, 1, 2, 0, 2, 3}, {3, 6}, {5, 5}},
      {{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, {0, 1, 2, 3}, {4}, {10}},
  };
  for (const auto& [points, directions, nodes, ends, types] : all) {
    const std::string bytes = bytes_of_file(this->write_vtu(thirds<TypeParam>(4), 1, points, directions, nodes));
    EXPECT_NE(bytes.find("NumberOfPoints=\"4\" NumberOfCells=\"" + std::to_string(types.size()) + "\""),
              std::string::npos);
    std::size_t at = bytes.find("encoding=\"raw\">\n_") + 17;
    at += 8 + 4 * sizeof(TypeParam) + 8 + 12 * sizeof(double);
    const auto expect = [&](const auto& numbers) {
      using U = typename std::decay_t<decltype(numbers)>::value_type;
      EXPECT_EQ(values_at<std::uint64_t>(bytes, at, 1)[0], numbers.size() * sizeof(U));
      EXPECT_EQ(values_at<U>(bytes, at + 8, numbers.size()), numbers);
      at += 8 + numbers.size() * sizeof(U);
    };
    expect(nodes);
    expect(ends);
    expect(types);
    EXPECT_EQ(bytes.substr(at), "\n  </AppendedData>\n</VTKFile>\n");
  }
}

TYPED_TEST(SolutionWriter, VtkHasFieldsBesideTheSolution) {
  using T = TypeParam;
  const auto x = thirds<T>(24);
  std::vector<T> errors = x;
  std::ranges::reverse(errors);
  const auto view = [](const std::vector<T>& of) { return MultiVectorView<const T, Host>(of.data(), 12, 2); };
  const std::vector<std::vector<Index>> aggregates{{0, 1, 2, -1, 0, 1}, {0, 0, 0, -1, 0, 0}};
  const PointFields<T> fields{view(errors), aggregates};
  const std::vector<double> points(12, 0.5);
  const ImageGeometry image{.grid = {.dimensions = 2, .size = {3, 2, 1}}, .components = 2};
  const fs::path path = this->directory_.path() / "x";
  for (const char* kind : {".vti", ".vtu"}) {
    const fs::path file = path.string() + kind;
    write_solution<T>(this->ctx_, file, view(x), &image, {{points.data(), 6, 2}, {}}, fields);
    const std::string bytes = bytes_of_file(file);
    for (std::size_t column = 0; column < 2; ++column) {
      const auto u = reference::vtk_array<T>(bytes, "u" + std::to_string(column));
      const auto error = reference::vtk_array<T>(bytes, "error" + std::to_string(column));
      ASSERT_EQ(u.size(), 18U);
      ASSERT_EQ(error.size(), 18U);
      for (std::size_t i = 0; i < 18; ++i) {
        const std::size_t entry = 2 * (2 * (i / 3) + i % 3) + column;
        EXPECT_EQ(u[i], i % 3 < 2 ? x[entry] : T{0});
        EXPECT_EQ(error[i], i % 3 < 2 ? errors[entry] : T{0});
      }
    }
    EXPECT_EQ(reference::vtk_array<Index>(bytes, "aggregate0"), aggregates[0]);
    EXPECT_EQ(reference::vtk_array<Index>(bytes, "aggregate1"), aggregates[1]);
    EXPECT_THAT(reference::vtk_array<Index>(bytes, "aggregate2"), ::testing::IsEmpty());
  }
  const PointFields<T> short_error{MultiVectorView<const T, Host>(errors.data(), 6, 2), {}};
  EXPECT_THROW(write_solution<T>(this->ctx_, path.string() + ".vti", view(x), &image, {}, short_error),
               std::invalid_argument);
  const std::vector<std::vector<Index>> few{{0, 1}};
  EXPECT_THROW(write_solution<T>(this->ctx_, path.string() + ".vti", view(x), &image, {}, {{}, few}),
               std::invalid_argument);
}

TYPED_TEST(SolutionWriter, VtkReadsPoints) {
  const std::string python = python_with("vtk");
  if (python.empty()) {
    GTEST_SKIP() << "no Python with vtk";
  }
  EXPECT_TRUE(passes(python, this->directory_,
                     "import vtk, sys\n"
                     "reader = vtk.vtkXMLUnstructuredGridReader()\n"
                     "reader.SetFileName(sys.argv[1])\n"
                     "reader.Update()\n"
                     "grid = reader.GetOutput()\n"
                     "assert grid.GetNumberOfPoints() == 2 and grid.GetNumberOfCells() == 2\n"
                     "assert grid.GetPoint(1) == (3, 4, 5)\n"
                     "u = grid.GetPointData().GetVectors()\n"
                     "assert u.GetName() == 'u' and [int(v) for v in u.GetTuple3(1)] == [3, 4, 5]\n",
                     this->write_vtu(thirds<TypeParam>(6), 1, {0, 1, 2, 3, 4, 5}, 3)));
}

TYPED_TEST(SolutionWriter, ChecksTheNumberOfPoints) {
  EXPECT_THROW(this->write_vtu(thirds<TypeParam>(5), 1, {0, 0, 1, 1}, 2), std::invalid_argument);
  EXPECT_THROW(this->write_vtu(thirds<TypeParam>(8), 1, {0, 0, 1, 1}, 2), std::invalid_argument);
  EXPECT_EQ(this->directory_.entries(), 0u);
}

TYPED_TEST(SolutionWriter, ChecksTheSizeOfTheGrid) {
  const ImageGeometry image{.grid = {.dimensions = 2, .size = {4, 3, 1}}};
  EXPECT_THROW(this->write("x.vti", thirds<TypeParam>(11), 1, &image), std::invalid_argument);
  const ImageGeometry body{.grid = image.grid, .components = 2};
  EXPECT_THROW(this->write("x.vti", thirds<TypeParam>(12), 1, &body), std::invalid_argument);
  EXPECT_THROW(this->write("x.vti", thirds<TypeParam>(25), 1, &body), std::invalid_argument);
  EXPECT_EQ(this->directory_.entries(), 0u);
}

TEST(SolutionPath, TellsTheFormat) {
  Context<Host> ctx;
  const std::vector<double> x{1, 2};
  for (const char* const name : {"u.vtk", "u", "u.vti", "u.vtu"}) {
    EXPECT_THROW(write_solution<double>(ctx, name, MultiVectorView<const double, Host>(x.data(), 2)),
                 std::invalid_argument)
        << name;
  }
}

TEST(SolutionPath, MustBeWritable) {
  Context<Host> ctx;
  const std::vector<double> x{1, 2};
  EXPECT_THROW(write_solution<double>(ctx, "/nowhere/u.npy", MultiVectorView<const double, Host>(x.data(), 2)),
               OutputError);
}

}  // namespace
}  // namespace amgsolve
