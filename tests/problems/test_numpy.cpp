#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "problems/numpy.hpp"
#include "problems/vector_file.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

/// A file of this version with this header and these values.
template <class T>
std::string npy(int version, const std::string& header, const std::vector<T>& values) {
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(version), '\0'};
  const std::uint32_t size = static_cast<std::uint32_t>(header.size());
  bytes.append(reinterpret_cast<const char*>(&size), version == 1 ? 2 : 4);
  bytes += header;
  return bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

std::string header(const std::string& type, const std::string& order, const std::string& shape) {
  return "{'descr': " + type + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }   \n";
}

std::vector<double> values_of(const std::string& bytes, Index rows, Index columns) {
  Context<Host> ctx;
  const auto x = parse_numpy<double>(ctx, bytes, "x.npy");
  EXPECT_EQ(x.rows(), rows);
  EXPECT_EQ(x.columns(), columns);
  return {x.data(), x.data() + x.rows() * x.columns()};
}

std::string error_of(const std::string& bytes) {
  Context<Host> ctx;
  try {
    parse_numpy<float>(ctx, bytes, "x.npy");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::vector<double> six = {1, 2, 3, 4, 5, 6};

TEST(Numpy, ReadsBothOrdersTypesAndAllVersions) {
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(values_of(npy(version, header("'<f8'", "False", "(6,)"), six), 6, 1), six);
    EXPECT_EQ(values_of(npy(version, header("'<f8'", "False", "(3, 2)"), six), 3, 2), six);
    EXPECT_EQ(values_of(npy(version, header("'<f8'", "True", "(3, 2)"), six), 3, 2),
              (std::vector<double>{1, 4, 2, 5, 3, 6}));
    const std::vector<float> narrow(six.begin(), six.end());
    EXPECT_EQ(values_of(npy(version, header("'<f4'", "True", "(3, 2)"), narrow), 3, 2),
              (std::vector<double>{1, 4, 2, 5, 3, 6}));
  }
  EXPECT_EQ(values_of(npy(1, header("'<f8'", "False", "(3L, 2L)"), six), 3, 2), six) << "as Python 2 writes it";
  // Keys in any order, no comma at the end.
  EXPECT_EQ(values_of(npy(1, "{'shape':(6,),'fortran_order':True,'descr':'<f8'}", six), 6, 1), six);
}

template <class V>
void expect_integers(const std::string& type) {
  const std::vector<V> six_integers = {std::numeric_limits<V>::min(), 1, 2, 3, 4, 100};
  EXPECT_EQ(values_of(npy(1, header("'" + type + "'", "False", "(6,)"), six_integers), 6, 1),
            std::vector<double>(six_integers.begin(), six_integers.end()))
      << type;
  EXPECT_EQ(values_of(npy(1, header("'" + type + "'", "True", "(3, 2)"), six_integers), 3, 2),
            (std::vector<double>{static_cast<double>(six_integers[0]), 3, 1, 4, 2, 100}))
      << type;
}

TEST(Numpy, ReadsIntegersOfAnySizeAndTruths) {
  expect_integers<std::int8_t>("|i1");
  expect_integers<std::int16_t>("<i2");
  expect_integers<std::int32_t>("<i4");
  expect_integers<std::int64_t>("<i8");
  expect_integers<std::uint8_t>("|u1");
  expect_integers<std::uint16_t>("<u2");
  expect_integers<std::uint32_t>("<u4");
  expect_integers<std::uint64_t>("<u8");
  EXPECT_EQ(values_of(npy(1, header("'|b1'", "False", "(3,)"), std::vector<char>{1, 0, 1}), 3, 1),
            (std::vector<double>{1, 0, 1}));
}

TEST(Numpy, IntegersThatNoDoubleIsEqualToAreRefused) {
  constexpr std::int64_t whole = std::int64_t{1} << 53;
  const std::vector<std::int64_t> integers = {whole, -whole, whole + 2, std::numeric_limits<std::int64_t>::min()};
  EXPECT_EQ(values_of(npy(1, header("'<i8'", "False", "(4,)"), integers), 4, 1),
            std::vector<double>(integers.begin(), integers.end()));
  const std::string problem = ", counted from 1, has an integer that no number in double is equal to";
  for (const std::int64_t bad : {whole + 1, -whole - 1, std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(error_of(npy(1, header("'<i8'", "False", "(2,)"), std::vector<std::int64_t>{1, bad})),
              "x.npy: row 2" + problem)
        << bad;
  }
  EXPECT_EQ(error_of(npy(1, header("'<u8'", "False", "(1,)"), std::vector<std::uint64_t>{0xffffffffffffffff})),
            "x.npy: row 1" + problem);
}

TEST(Numpy, ReadsWhatIsEmpty) {
  EXPECT_EQ(values_of(npy<double>(1, header("'<f8'", "False", "(0,)"), {}), 0, 1), std::vector<double>());
  EXPECT_EQ(values_of(npy<double>(1, header("'<f8'", "True", "(0, 2)"), {}), 0, 2), std::vector<double>());
  EXPECT_EQ(values_of(npy<double>(1, header("'<f8'", "False", "(5, 0)"), {}), 5, 0), std::vector<double>());
}

TEST(Numpy, ReadsManyRowsWithAnyThreads) {
  std::vector<double> values(40'000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i);
  }
  const std::string bytes = npy(1, header("'<f8'", "True", "(20000, 2)"), values);
  Context<Host> ctx(3);
  const auto x = parse_numpy<double>(ctx, bytes, "x.npy");
  for (std::size_t i = 0; i < 20'000; ++i) {
    ASSERT_EQ(x.data()[2 * i + 1], static_cast<double>(20'000 + i));
  }
  values[35'000] = std::numeric_limits<double>::quiet_NaN();
  values[15'001] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of(npy(1, header("'<f8'", "True", "(20000, 2)"), values)),
            "x.npy: row 15001, counted from 1, has a value that is NaN, infinite or too large");
}

TEST(Numpy, SaysWhatIsWrong) {
  const auto with = [](const std::string& text) { return error_of(npy(1, text, six)); };
  const std::string types =
      "; they must be real, and if not of one byte, little-endian: float64, float32, int64 to int8, uint64 to uint8 or "
      "bool";
  for (const std::string type : {">f8", ">i4", "<c16", "<f2", "<M8", "|S8"}) {
    EXPECT_EQ(with(header("'" + type + "'", "False", "(6,)")), "x.npy: values of type '" + type + "'" + types);
  }
  EXPECT_EQ(with(header("[('a', '<f8')]", "False", "(6,)")), "x.npy: values of type '[(', which is a structure");
  EXPECT_EQ(with(header("'<f8'", "False", "()")), "x.npy: an array of 0 dimensions; vectors have 1 or 2");
  EXPECT_EQ(with(header("'<f8'", "False", "(1, 2, 3)")), "x.npy: an array of 3 dimensions; vectors have 1 or 2");
  EXPECT_EQ(with(header("'<f8'", "False", "(0,)")), "x.npy: 48 bytes of values, but the shape says 0");
  EXPECT_EQ(with(header("'<f8'", "False", "(5,)")), "x.npy: 48 bytes of values, but the shape says 40");
  EXPECT_EQ(with(header("'<f8'", "False", "(7,)")), "x.npy: 48 bytes of values, but the shape says 56");
  EXPECT_EQ(with(header("'<f8'", "False", "(-6,)")), "x.npy: expected a size in the header, found '-6,), }   ?'");
  EXPECT_EQ(with(header("'<f8'", "Perhaps", "(6,)")),
            "x.npy: expected True or False in the header, found 'Perhaps, 'shape': (6'");
  EXPECT_EQ(with("{'descr': '<f8'}"), "x.npy: the header lacks 'descr' or 'shape'");
  EXPECT_EQ(with("{'size': 3}"), "x.npy: expected 'descr', 'fortran_order' or 'shape' in the header, found 'size'");
  EXPECT_EQ(with(""), "x.npy: expected '{' in the header, found its end");
  EXPECT_NE(with(header("'<f8'", "False", "(99999999999999999999,)")), "no error");
  EXPECT_EQ(with(header("'<f8'", "False", "(6, 2147483648)")),
            "x.npy: 2147483648 numbers in one dimension; a process takes 0 to 2147483647");
  EXPECT_EQ(with(header("'<f8'", "False", "(2147483647, 2147483647)")),
            "x.npy: its shape says more bytes than 64 bits count");
  EXPECT_NE(error_of(npy(1, header("'<f8'", "False", "(1,)"), std::vector<double>{1e300})), "no error") << "too large";
  EXPECT_EQ(error_of(npy(9, header("'<f8'", "False", "(6,)"), six)),
            "x.npy: version 9.0 of the NumPy format; 1.0, 2.0 and 3.0 are known");
  const std::string whole = npy(1, header("'<f8'", "False", "(6,)"), six);
  for (std::size_t size = 6; size < whole.size(); ++size) {
    EXPECT_NE(error_of(whole.substr(0, size)), "no error") << size;
  }
}

TEST(Numpy, FilesAreToldByHowTheyBegin) {
  const reference::TemporaryDirectory directory;
  Context<Host> ctx;
  const auto file = directory.write("vectors", npy(1, header("'<f8'", "False", "(3, 2)"), six));
  EXPECT_EQ(read_vectors<double>(ctx, file).columns(), 2);
  EXPECT_FALSE(is_numpy("%%MatrixMarket"));
}

}  // namespace
}  // namespace amgsolve
