#include "spgemm/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/timer.hpp"
#include "spgemm/plan.hpp"
#include "spgemm/spgemm.hpp"
#include "src/library/schema.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/naive_spgemm.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

using ::testing::HasSubstr;

/// The toy: the naive reference as an algorithm, which counts a product for each entry of A.
template <class T>
SpgemmProduct<T, Host> multiply_toy(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                    const SpgemmOptions& /*options*/) {
  return {reference::naive_spgemm(ctx, A, B), A.nnz()};
}

constexpr SpgemmAlgorithm toy{"toy", "rows added up one by one", true, {multiply_toy, multiply_toy}};

TEST(SpgemmRegistry, TakesAnAlgorithmFromAnywhere) {
  Context<Host> ctx;
  const auto A = reference::random_matrix<double>(ctx, 40, 30, 5, 1);
  const auto B = reference::random_matrix<double>(ctx, 30, 20, 4, 2);
  const auto expected = reference::naive_spgemm(ctx, A, B);
  ctx.profile().clear();
  {
    const ScopedTimer timer(ctx, "product");
    EXPECT_TRUE(reference::identical(multiply(ctx, A, B, {.algorithm = &toy}), expected));
  }
  EXPECT_EQ(ctx.profile().nodes().front().work.flops, 2 * A.nnz()) << "another algorithm was taken";
  const SpgemmPlan<double, Host> plan(ctx, A, B, {.algorithm = &toy});
  EXPECT_TRUE(reference::identical(plan.multiply(ctx, A, B), expected));
}

TEST(SpgemmRegistry, RefusesAnAlgorithmThatAMemorySpaceHasNot) {
  constexpr SpgemmAlgorithm nowhere{"nowhere", "", true};
  Context<Host> ctx;
  const auto A = reference::random_matrix<float>(ctx, 10, 10, 2, 1);
  try {
    multiply(ctx, A, A, {.algorithm = &nowhere});
    FAIL() << "expected std::invalid_argument";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "sparse product by 'nowhere': on the host the algorithm must be auto, dense or hash");
  }
}

TEST(SpgemmRegistry, FindsAlgorithmsByName) {
  for (const SpgemmAlgorithm& algorithm : spgemm_algorithms()) {
    EXPECT_EQ(spgemm_algorithm(algorithm.name), &algorithm);
  }
  try {
    spgemm_algorithm("esk");
    FAIL() << "expected std::invalid_argument";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("sparse product by 'esk': the algorithm must be auto, "));
  }
}

/// What knows of algorithms besides: the configuration, and the table of docs/sparse-products.md.
TEST(SpgemmRegistry, IsWhatTheConfigurationAndTheDocumentationTell) {
  Configuration configuration;
  const std::vector<SchemaEntry> entries = library_entries(configuration);
  const auto entry = std::ranges::find(entries, "spgemm.algorithm", &SchemaEntry::key);
  ASSERT_NE(entry, entries.end());
  const std::string page = reference::bytes_of_file(AMGSOLVE_SOURCE_DIR "/docs/sparse-products.md");
  std::vector<std::string_view> names;
  for (const SpgemmAlgorithm& algorithm : spgemm_algorithms()) {
    names.push_back(algorithm.name);
    EXPECT_THAT(entry->help, HasSubstr(algorithm.help));
    EXPECT_THAT(page, HasSubstr("\n| `" + std::string(algorithm.name) + "` |"));
  }
  EXPECT_EQ(entry->choices, names);
}

}  // namespace
}  // namespace amgsolve
