#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "problems/matrix_market.hpp"
#include "problems/vector_file.hpp"

namespace amgsolve {
namespace {

namespace fs = std::filesystem;

struct Listed {
  std::string name;
  Index rows = 0;
  Offset nnz = 0;
  bool symmetric = false;
};

/// The rows "| name | rows | nnz | kind | ..." of the table of matrices.
std::vector<Listed> listed_matrices() {
  std::vector<Listed> matrices;
  std::ifstream readme(fs::path(AMGSOLVE_DATA_DIR) / "README.md");
  for (std::string line; std::getline(readme, line);) {
    std::istringstream fields(line);
    std::string bar;
    std::string kind;
    Listed matrix;
    if (fields >> bar >> matrix.name >> bar >> matrix.rows >> bar >> matrix.nnz >> bar >> kind && bar == "|") {
      matrix.symmetric = kind != "unsymmetric";
      matrices.push_back(matrix);
    }
  }
  return matrices;
}

class MatrixMarketData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(directory_)) {
      GTEST_SKIP() << "the real matrices are absent: " << directory_ << " does not exist";
    }
  }

  fs::path file(const std::string& name) const { return directory_ / (name + ".mtx.xz"); }

  fs::path directory_ = AMGSOLVE_DATA_DIR;
  Context<Host> ctx_;
};

bool is_symmetric(const CsrMatrix<double, Host>& A) {
  for (Index i = 0; i < A.rows; ++i) {
    for (Offset e = A.row_offsets[static_cast<std::size_t>(i)]; e < A.row_offsets[static_cast<std::size_t>(i) + 1];
         ++e) {
      const auto j = static_cast<std::size_t>(A.col_indices[static_cast<std::size_t>(e)]);
      const Index* const begin = A.col_indices.data() + A.row_offsets[j];
      const Index* const end = A.col_indices.data() + A.row_offsets[j + 1];
      const Index* const mirrored = std::lower_bound(begin, end, i);
      if (mirrored == end || *mirrored != i ||
          A.values[static_cast<std::size_t>(mirrored - A.col_indices.data())] !=
              A.values[static_cast<std::size_t>(e)]) {
        return false;
      }
    }
  }
  return true;
}

TEST_F(MatrixMarketData, HasTheListedSizes) {
  const std::vector<Listed> matrices = listed_matrices();
  ASSERT_GE(matrices.size(), 40u);
  for (const Listed& matrix : matrices) {
    if (matrix.name == "conf5_0-4x4-18") {
      continue;  // complex, see below
    }
    const auto A = read_matrix_market<double>(ctx_, file(matrix.name));
    EXPECT_EQ(A.rows, matrix.rows) << matrix.name;
    EXPECT_EQ(A.nnz(), matrix.nnz) << matrix.name;
  }
}

TEST_F(MatrixMarketData, MirrorsSymmetricFiles) {
  for (const char* name : {"1138_bus", "bcsstk16", "G2_circuit", "usroads"}) {
    EXPECT_TRUE(is_symmetric(read_matrix_market<double>(ctx_, file(name)))) << name;
  }
}

TEST_F(MatrixMarketData, ReadsVectors) {
  const auto b = read_vectors<double>(ctx_, file("hypre_beam_tet_dof2475_b"));
  EXPECT_EQ(b.rows(), 2475);
  EXPECT_EQ(b.columns(), 1);
  const auto modes = read_vectors<double>(ctx_, file("hypre_beam_tet_dof2475_rbm"));
  EXPECT_EQ(modes.rows(), 2475);
  EXPECT_GE(modes.columns(), 3);
}

TEST_F(MatrixMarketData, RefusesComplexMatrices) {
  const fs::path path = file("conf5_0-4x4-18");
  try {
    read_matrix_market<double>(ctx_, path);
    FAIL() << "a complex matrix was read";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), path.string() + ":1: complex matrices are not supported yet");
  }
}

}  // namespace
}  // namespace amgsolve
