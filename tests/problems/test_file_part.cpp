#include "problems/file_part.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "problems/amg_file.hpp"
#include "problems/amg_file_layout.hpp"
#include "problems/matrix_formats.hpp"
#include "problems/npz.hpp"
#include "problems/numpy.hpp"
#include "problems/petsc.hpp"
#include "problems/solution_writer.hpp"
#include "problems/vector_file.hpp"
#include "problems/zip_archive.hpp"
#include "tests/problems/many_rows.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/petsc_file.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

/// Of SciPy's and NumPy's, and what is wrong in them.
const std::string corpus = AMGSOLVE_SOURCE_DIR "/tests/fuzz/corpus/binary_files/";

/// What several readers of a file have, one after the other.
template <class X>
struct Parts {
  std::vector<X> rows;
  std::uint64_t difference = 0;
};

template <class I>
using Petsc = reference::PetscFile<I>;

class FilePartTest : public testing::Test {
 protected:
  /// Nothing where one reader has nothing; the last of them may have no rows.
  template <class Read>
  auto parts_of(int parts, const Read& read) {
    using X = typename std::remove_cvref_t<decltype(*read(PartReader()).rows)>;
    std::optional<Parts<X>> all(std::in_place);
    for (int part = 0; part < parts; ++part) {
      auto own = read(PartReader{part, parts, [&](std::int64_t rows) {
                                   const std::int64_t each = rows / parts + 1;
                                   return RowRange{std::min(part * each, rows), std::min((part + 1) * each, rows)};
                                 }});
      if (!own.rows) {
        return std::optional<Parts<X>>();
      }
      all->rows.push_back(std::move(*own.rows));
      all->difference += own.difference;
    }
    return all;
  }

  auto matrix_parts(const MatrixFormat& format, const std::filesystem::path& path, int parts) {
    return parts_of(parts, [&](const PartReader& reader) { return format.read_part(ctx_, path, reader); });
  }

  auto vector_parts(const std::filesystem::path& path, int parts) {
    return parts_of(parts, [&](const PartReader& reader) { return read_part_of_vectors<double>(ctx_, path, reader); });
  }

  void expect_parts_of_matrix(const MatrixFormat& format, const std::filesystem::path& path) {
    SCOPED_TRACE(path);
    std::vector<std::string> warnings;
    const CsrMatrix<double, Host> A = read_matrix(ctx_, path, warnings);
    for (const int parts : {1, 2, 3, 7}) {
      const auto read = matrix_parts(format, path, parts);
      ASSERT_TRUE(read);
      EXPECT_EQ(read->difference, 0U);
      Index row = 0;
      for (const auto& [own, cols] : read->rows) {
        ASSERT_EQ(cols, A.cols);
        for (Index i = 0; i < own.rows(); ++i, ++row) {
          const auto entries = [](const auto& M, Index of) {
            std::vector<std::pair<std::int64_t, double>> result;
            for (Offset k = M.row_offsets.data()[of]; k < M.row_offsets.data()[of + 1]; ++k) {
              result.emplace_back(M.col_indices.data()[k], M.values.data()[k]);
            }
            return result;
          };
          ASSERT_EQ(entries(own, i), entries(A, row)) << row;
        }
      }
      EXPECT_EQ(row, A.rows);
    }
  }

  void expect_parts_of_vectors(const std::filesystem::path& path) {
    SCOPED_TRACE(path);
    const MultiVector<double, Host> x = read_vectors<double>(ctx_, path);
    for (const int parts : {1, 2, 3, 7}) {
      const auto read = vector_parts(path, parts);
      ASSERT_TRUE(read);
      EXPECT_EQ(read->difference, 0U);
      std::vector<double> values;
      for (const MultiVector<double, Host>& own : read->rows) {
        ASSERT_EQ(own.columns(), x.columns());
        values.insert(values.end(), own.data(), own.data() + own.view().size());
      }
      EXPECT_EQ(values, std::vector<double>(x.data(), x.data() + x.view().size()));
    }
  }

  Context<Host> ctx_;
  reference::TemporaryDirectory directory_;
};

TEST_F(FilePartTest, RowsOfOurMatricesMakeUpTheWhole) {
  const std::filesystem::path path = directory_.path() / "A.amg";
  write_amg_file<double>(ctx_, path, reference::random_matrix<double>(ctx_, 503, 400, 20, 1));
  expect_parts_of_matrix(amg_file_format(), path);
  write_amg_file<float>(ctx_, path, reference::random_matrix<float>(ctx_, 5, 9, 3, 2));
  expect_parts_of_matrix(amg_file_format(), path);
}

TEST_F(FilePartTest, RowsOfPetscsMatricesMakeUpTheWhole) {
  const CsrMatrix<double, Host> A = reference::random_matrix<double>(ctx_, 503, 400, 20, 1);
  expect_parts_of_matrix(petsc_format(), directory_.write("A.petsc", Petsc<std::int32_t>().matrix(A).bytes()));
  const CsrMatrix<double, Host> some_empty = reference::random_matrix<double>(ctx_, 9, 5, 3, 2);
  expect_parts_of_matrix(petsc_format(),
                         directory_.write("A.petsc", Petsc<std::int64_t>().vector().matrix(some_empty).bytes()));
}

TEST_F(FilePartTest, RowsOfSciPysMatricesMakeUpTheWhole) {
  if (!ZipArchive::is_available()) {
    GTEST_SKIP() << "built without libzip";
  }
  for (const char* name : {"npz_grid", "npz_csr", "npz_csr_stored", "npz_wide_indices", "npz_integers"}) {
    expect_parts_of_matrix(npz_format(), corpus + name + ".npz");
  }
}

TEST_F(FilePartTest, WhatIsNotStoredByRowsInOrderIsReadWhole) {
  if (ZipArchive::is_available()) {
    for (const char* name : {"npz_csc", "npz_coo", "npz_column_outside", "npz_offsets_descend"}) {
      EXPECT_FALSE(matrix_parts(npz_format(), corpus + name + ".npz", 2)) << name;
    }
    for (const char* name : {"npz_short_indices", "npz_short_offsets", "npz_huge_shape", "npz_wrong_crc",
                             "npz_truncated", "npz_float_indices", "npz_complex"}) {
      EXPECT_THROW(matrix_parts(npz_format(), corpus + name + ".npz", 2), InputError) << name;
    }
  }
  CsrMatrix<double, Host> disordered = reference::random_matrix<double>(ctx_, 50, 50, 20, 4);
  std::swap(disordered.col_indices[3], disordered.col_indices[4]);
  const std::filesystem::path path = directory_.path() / "A.amg";
  write_amg_file<double>(ctx_, path, disordered);
  EXPECT_FALSE(matrix_parts(amg_file_format(), path, 2));
  const auto petsc_parts = [&](const auto& file) {
    return matrix_parts(petsc_format(), directory_.write("A.petsc", file.bytes()), 2);
  };
  EXPECT_FALSE(petsc_parts(Petsc<std::int32_t>().matrix(disordered)));
  const auto of_lengths = [](std::initializer_list<std::int64_t> lengths) {
    return Petsc<std::int64_t>().integers({1211216, 2, 2, 2}).integers(lengths).integers({0, 1}).values({1, 2});
  };
  EXPECT_TRUE(petsc_parts(of_lengths({1, 1})));
  for (const std::int64_t first : {3L, 1L, -1L, std::numeric_limits<std::int64_t>::max()}) {
    for (const std::int64_t second : {2 - first, std::int64_t{2}}) {
      EXPECT_EQ(petsc_parts(of_lengths({first, second})).has_value(), first == 1 && second == 1) << first << second;
    }
  }
  EXPECT_FALSE(petsc_parts(Petsc<std::int32_t>().integers({1211216, 1, 1, 1, 1, 1}).values({1})));
  EXPECT_THROW(petsc_parts(Petsc<std::int32_t>().integers({1211216, 1, 1, 1, 1, 0})), InputError);
  EXPECT_THROW(petsc_parts(Petsc<std::int32_t>().vector()), InputError);
  EXPECT_LE(ctx_.memory().peak_bytes(), std::size_t{2} << 20);
}

TEST_F(FilePartTest, RowsOfVectorsMakeUpTheWhole) {
  const auto npy = [&](const std::string& type, const std::string& order, const std::string& shape, auto... values) {
    const std::string header =
        "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }   \n";
    std::string bytes = "\x93NUMPY";
    bytes += {'\1', '\0', static_cast<char>(header.size()), '\0'};
    bytes += header;
    (bytes.append(reinterpret_cast<const char*>(&values), sizeof(values)), ...);
    return directory_.write("x.npy", bytes);
  };
  expect_parts_of_vectors(npy("<f8", "False", "(4,)", 1.0, 2.0, 3.0, 4.0));
  expect_parts_of_vectors(npy("<f8", "True", "(4, 1)", 1.0, 2.0, 3.0, 4.0));
  expect_parts_of_vectors(npy("<f4", "False", "(3, 2)", 1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F));
  EXPECT_FALSE(vector_parts(npy("<f8", "True", "(2, 2)", 1.0, 2.0, 3.0, 4.0), 2));
  EXPECT_FALSE(vector_parts(npy("<f8", "False", "(4,)", 1.0, 2.0, 3.0), 2));
  EXPECT_FALSE(vector_parts(npy("<f8", "False", "(2,)", 1.0, 2.0, 3.0), 2));
  EXPECT_FALSE(vector_parts(npy("<f8", "False", "(3, 9223372036854775807)", 1.0, 2.0, 3.0), 2));
  EXPECT_FALSE(vector_parts(npy("<f8", "False", "(3, 0)"), 2));
  EXPECT_FALSE(vector_parts(directory_.write("x.mtx", "%%MatrixMarket matrix array real general\n1 1\n4\n"), 1));

  expect_parts_of_vectors(directory_.write("x.petsc", Petsc<std::int32_t>().matrix().vector().bytes()));

  const std::filesystem::path path = directory_.path() / "x.amg";
  MultiVector<double, Host> x(ctx_, 100, 3);
  for (std::size_t i = 0; i < 300; ++i) {
    x.data()[i] = static_cast<double>(i);
  }
  write_solution<double>(ctx_, path, std::as_const(x).view());
  expect_parts_of_vectors(path);
}

/// Of a tridiagonal matrix, in a file of which little lies on the disk.
TEST_F(FilePartTest, MayBeOfAMatrixOfMoreRowsThan32BitsCount) {
  constexpr std::int64_t rows = 2744000000;
  AmgFileHeader header{.rows = rows, .columns = rows, .entries = 3 * rows - 2, .offset_bytes = 8};
  std::ranges::copy(amg_file_magic, header.magic.begin());
  const AmgFileLayout layout = layout_of(header);
  EXPECT_EQ(layout.col_indices.size, 8U * static_cast<std::size_t>(header.entries));
  header.file_bytes = layout.end;
  const std::filesystem::path path = directory_.path() / "A.amg";
  std::ofstream file(path, std::ios::binary);
  const auto write = [&](std::size_t place, const auto& numbers) {
    file.seekp(static_cast<std::streamoff>(place));
    file.write(reinterpret_cast<const char*>(std::data(numbers)),
               static_cast<std::streamsize>(sizeof(*std::data(numbers)) * std::size(numbers)));
  };
  write(0, std::array{header});
  constexpr std::int64_t last = rows - 1;
  const auto place = [](AmgFilePart of, std::int64_t number) {
    return of.begin + 8U * static_cast<std::size_t>(number);
  };
  write(place(layout.row_offsets, rows - 2), std::array{3 * rows - 7, 3 * rows - 4, 3 * rows - 2});
  write(place(layout.col_indices, 3 * rows - 7), std::array{last - 2, last - 1, last, last - 1, last});
  write(place(layout.values, 3 * rows - 7), std::array{-1.0, 2.0, -1.0, -1.0, 2.0});
  write(layout.end - 1, std::array{'\0'});
  file.close();

  const auto last_rows = [](std::int64_t all) { return RowRange{all - 2, all}; };
  // Of as many parts that nobody has to wait for the sum of all bytes.
  const auto read = amg_file_format().read_part(ctx_, path, {1 << 20, 1 << 21, last_rows});
  ASSERT_TRUE(read.rows);
  EXPECT_EQ(read.rows->cols, rows);
  const GlobalRows<double, Host>& A = read.rows->A;
  EXPECT_EQ(std::vector(A.row_offsets.data(), A.row_offsets.data() + 3), (std::vector<Offset>{0, 3, 5}));
  EXPECT_EQ(std::vector(A.col_indices.data(), A.col_indices.data() + 5),
            (std::vector{last - 2, last - 1, last, last - 1, last}));
  EXPECT_EQ(std::vector(A.values.data(), A.values.data() + 5), (std::vector{-1.0, 2.0, -1.0, -1.0, 2.0}));
  std::vector<std::string> warnings;
  EXPECT_THROW(read_matrix(ctx_, path, warnings), InputError);
}

/// The last ones of a file of which little lies on the disk.
TEST_F(FilePartTest, MayBeOfMoreRowsThan32BitsCount) {
  const BehindManyRows ranks;
  Context<Host> last_of_ranks(1, ranks);
  const std::array<double, 4> values{1.0, 2.0, 3.0, 4.0};
  const MultiVectorView<const double, Host> x(values.data(), 2, 2);
  const auto last_rows = [](std::int64_t all) { return RowRange{all - 3, all}; };
  const auto write = [&](const char* name, const std::vector<RowsSection>& sections) {
    const std::filesystem::path path = directory_.write(name, sections[0].before);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(
        static_cast<std::streamoff>(sections[0].before.size() + BehindManyRows::rows_before * 2 * sizeof(double)));
    file.write(reinterpret_cast<const char*>(values.data()), sizeof(values));
    file << (sections.size() > 1 ? sections.back().before : "");
    return path;
  };
  // Of as many parts that nobody has to wait for the sum of all bytes.
  const PartReader reader{1 << 20, 1 << 21, last_rows};
  for (const auto& path :
       {write("x.npy", numpy_file(last_of_ranks, x)), write("x.amg", amg_file_of_vectors(last_of_ranks, x))}) {
    SCOPED_TRACE(path);
    const auto read = read_part_of_vectors<double>(ctx_, path, reader);
    ASSERT_TRUE(read.rows);
    const double* const last = read.rows->data();
    EXPECT_EQ(std::vector<double>(last, last + 6), (std::vector<double>{0.0, 0.0, 1.0, 2.0, 3.0, 4.0}));
  }
}

TEST_F(FilePartTest, MayBeOfAVectorOfPetscsOfMoreRowsThan32BitsCount) {
  constexpr std::int64_t rows = 3000000000;
  const std::string header = Petsc<std::int64_t>().integers({1211214, rows}).bytes();
  const std::string last = Petsc<std::int64_t>().values({1, 2, 3}).bytes();
  const std::filesystem::path path = directory_.write("x.petsc", header);
  std::filesystem::resize_file(path, header.size() + rows * sizeof(double) - last.size());
  std::ofstream(path, std::ios::binary | std::ios::app) << last;
  const auto read = read_part_of_vectors<double>(ctx_, path, {1, 2, [](std::int64_t all) {
                                                                return RowRange{all - 4, all};
                                                              }});
  ASSERT_TRUE(read.rows);
  EXPECT_EQ(std::vector<double>(read.rows->data(), read.rows->data() + 4), (std::vector<double>{0.0, 1.0, 2.0, 3.0}));
}

TEST_F(FilePartTest, DifferencesOfDamagedFilesDoNotAddUpToNothing) {
  const std::filesystem::path path = directory_.path() / "x.amg";
  MultiVector<double, Host> x(ctx_, 100);
  std::fill_n(x.data(), 100, 2.0);
  write_solution<double>(ctx_, path, std::as_const(x).view());
  const std::string bytes = reference::bytes_of_file(path);
  for (const std::size_t place : {std::size_t{56}, std::size_t{64}, bytes.size() / 2}) {
    std::string damaged = bytes;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    const auto read = vector_parts(directory_.write("damaged.amg", damaged), 3);
    ASSERT_TRUE(read);
    EXPECT_NE(read->difference, 0U) << place;
  }
}

}  // namespace
}  // namespace amgsolve
