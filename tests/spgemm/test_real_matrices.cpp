#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>

#include "problems/matrix_market.hpp"
#include "spgemm/galerkin.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/eigen_spgemm.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/naive_spgemm.hpp"

namespace amgsolve {
namespace {

namespace fs = std::filesystem;

class SquareOfRealMatrix : public ::testing::TestWithParam<const char*> {};

TEST_P(SquareOfRealMatrix, AgreesWithEigen) {
  const fs::path path = fs::path(AMGSOLVE_DATA_DIR) / (std::string(GetParam()) + ".mtx.xz");
  if (!fs::exists(path)) {
    GTEST_SKIP() << path << " is not there";
  }
  Context<Host> ctx;
  const auto A = read_matrix_market<double>(ctx, path);
  const auto expected = reference::eigen_spgemm(ctx, A, A);
  const double bound = 2.0 * reference::product_error_bound(ctx, A, A);
  for (const auto algorithm : {spgemm_algorithm("dense"), spgemm_algorithm("hash")}) {
    EXPECT_TRUE(reference::close(multiply(ctx, A, A, {algorithm}), expected, bound));
  }
}

// Finite elements, circuits, power networks, graphs with power-law rows and with long thin ones, unsymmetric patterns.
INSTANTIATE_TEST_SUITE_P(SharedData, SquareOfRealMatrix,
                         ::testing::Values("1138_bus", "bcsstk16", "cage10", "crystm02", "gridgena", "G2_circuit",
                                           "memplus", "usroads", "wiki-Vote", "west2021"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

/// Two levels of a hierarchy that RAPtor built: A and P of the finer one, A of the coarser one.
struct RaptorLevel {
  const char* A;
  const char* P;
  const char* coarse;
};

class RaptorProduct : public ::testing::TestWithParam<RaptorLevel> {};

TEST_P(RaptorProduct, IsTheCoarseMatrix) {
  const fs::path folder = AMGSOLVE_RAPTOR_DIR;
  if (!fs::exists(folder)) {
    GTEST_SKIP() << "raptor_reference.tar.xz was not in " << AMGSOLVE_DATA_DIR << " when the build was configured";
  }
  Context<Host> ctx;
  const auto read = [&](const char* name) {
    return read_matrix_market<double>(ctx, folder / (std::string(name) + ".mtx"));
  };
  const auto A = read(GetParam().A);
  const auto P = read(GetParam().P);
  const auto expected = read(GetParam().coarse);
  const double largest = *std::max_element(expected.values.data(), expected.values.data() + expected.nnz());
  // The entries were rounded to 16 digits in A, P and the product.
  EXPECT_TRUE(reference::close(galerkin_product(ctx, transpose(ctx, P), A, P), expected, 1e-14 * largest));
}

INSTANTIATE_TEST_SUITE_P(SharedData, RaptorProduct,
                         ::testing::Values(RaptorLevel{"rss_aniso_A0", "rss_aniso_P0", "rss_aniso_A1"},
                                           RaptorLevel{"rss_aniso_A1", "rss_aniso_P1", "rss_aniso_A2"},
                                           RaptorLevel{"rss_aniso_A2", "rss_aniso_P2", "rss_aniso_A3"},
                                           RaptorLevel{"rss_aniso_A3", "rss_aniso_P3", "rss_aniso_A4"},
                                           RaptorLevel{"rss_laplace_A5", "rss_laplace_P5", "rss_laplace_A6"},
                                           RaptorLevel{"rss_laplace_A6", "rss_laplace_P6", "rss_laplace_A7"},
                                           RaptorLevel{"rss_laplace_A7", "rss_laplace_P7", "rss_laplace_A8"},
                                           RaptorLevel{"sas_A0", "sas_P0", "sas_A1"}),
                         [](const auto& test) { return std::string(test.param.coarse); });

}  // namespace
}  // namespace amgsolve
