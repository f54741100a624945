#include "amg/colouring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/hash.hpp"
#include "problems/generate.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class I>
class ColouringOfRows : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(ColouringOfRows, reference::DoubleInstances, reference::InstanceNames);

/// The colour of each row.
template <MemorySpace S>
std::vector<int> colours_of(Context<S>& ctx, const CsrMatrix<double, Host>& A) {
  const Colouring<S> colouring = colour_rows(ctx, reference::upload(ctx, borrow(A)));
  const std::vector<Index> rows = reference::download(ctx, colouring.rows.span());
  EXPECT_EQ(rows.size(), static_cast<std::size_t>(A.rows));
  EXPECT_EQ(colouring.starts.front(), 0);
  EXPECT_EQ(colouring.starts.back(), A.rows);
  std::vector<int> colours(rows.size(), -1);
  for (int colour = 0; colour < colouring.colours(); ++colour) {
    const auto first = colouring.starts[static_cast<std::size_t>(colour)];
    const auto last = colouring.starts[static_cast<std::size_t>(colour) + 1];
    EXPECT_LT(first, last) << "no colour is empty";
    EXPECT_TRUE(std::is_sorted(rows.begin() + first, rows.begin() + last));
    for (Offset i = first; i < last; ++i) {
      colours.at(static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])) = colour;
    }
  }
  EXPECT_EQ(std::count(colours.begin(), colours.end(), -1), 0);
  return colours;
}

template <class Visit>
void for_couplings(const CsrMatrix<double, Host>& A, std::size_t row, const Visit& visit) {
  for (auto k = static_cast<std::size_t>(A.row_offsets[row]); k < static_cast<std::size_t>(A.row_offsets[row + 1]);
       ++k) {
    if (static_cast<std::size_t>(A.col_indices[k]) != row) {
      visit(static_cast<std::size_t>(A.col_indices[k]));
    }
  }
}

/// Row by row in the order of falling hashes, each the lowest colour that its neighbours do not have yet.
std::vector<int> greedy_colours(const CsrMatrix<double, Host>& A) {
  std::vector<std::size_t> order(static_cast<std::size_t>(A.rows));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [](std::size_t i, std::size_t j) { return hash64(i) > hash64(j); });
  std::vector<int> colours(order.size(), -1);
  for (const std::size_t row : order) {
    std::vector<bool> is_taken(order.size() + 1);
    for_couplings(A, row, [&](std::size_t other) {
      if (colours[other] >= 0) {
        is_taken[static_cast<std::size_t>(colours[other])] = true;
      }
    });
    colours[row] = static_cast<int>(std::find(is_taken.begin(), is_taken.end(), false) - is_taken.begin());
  }
  return colours;
}

std::vector<CsrMatrix<double, Host>> symmetric_patterns(Context<Host>& host) {
  std::vector<CsrMatrix<double, Host>> all;
  for (const Discretization discretization : {Discretization::fd, Discretization::q1}) {
    all.push_back(generate_matrix<double>(host, reference::poisson(reference::grid({61, 47}), discretization)));
    all.push_back(generate_matrix<double>(host, reference::poisson(reference::grid({13, 14, 15}), discretization)));
  }
  all.push_back(reference::random_spd_matrix<double>(host, 2000, 12, 3));
  all.push_back(reference::matrix_from_entries<double>(host, 5, 5, {}));
  std::vector<reference::Entry> complete;
  for (Index i = 0; i < 150; ++i) {
    for (Index j = 0; j < 150; ++j) {
      complete.push_back({i, j, 1.0});
    }
  }
  all.push_back(reference::matrix_from_entries<double>(host, 150, 150, complete));
  return all;
}

TYPED_TEST(ColouringOfRows, IsThatOfAGreedyColouringInTheOrderOfHashes) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const auto& A : symmetric_patterns(host)) {
    SCOPED_TRACE(::testing::Message() << A.rows << " rows, " << A.nnz() << " entries");
    const std::vector<int> expected = greedy_colours(A);
    EXPECT_EQ(colours_of(ctx, A), expected);
    for (std::size_t row = 0; row < expected.size(); ++row) {
      for_couplings(A, row, [&](std::size_t other) { ASSERT_NE(expected[row], expected[other]); });
    }
  }
}

// Large enough that the threads share it.
TYPED_TEST(ColouringOfRows, IsTheSameForAnyNumberOfThreads) {
  Context<Host> host;
  const auto A = generate_matrix<double>(host, reference::poisson(reference::grid({200, 150}), Discretization::q1));
  const std::vector<int> expected = greedy_colours(A);
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) { EXPECT_EQ(colours_of(ctx, A), expected); });
  EXPECT_LE(*std::max_element(expected.begin(), expected.end()), 7);
}

TYPED_TEST(ColouringOfRows, SeesCouplingsThatAreStoredInOneDirectionAlone) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::random_matrix<double>(host, 3000, 3000, 40, 5);
  const std::vector<int> colours = colours_of(ctx, A);
  for (std::size_t row = 0; row < colours.size(); ++row) {
    for_couplings(A, row, [&](std::size_t other) { ASSERT_NE(colours[row], colours[other]); });
  }
}

TYPED_TEST(ColouringOfRows, OfNothingIsNothing) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::upload(ctx, reference::matrix_from_entries<double>(host, 0, 0, {}));
  EXPECT_EQ(colour_rows(ctx, A).colours(), 0);
  const auto wide = reference::upload(ctx, reference::matrix_from_entries<double>(host, 2, 3, {}));
  EXPECT_THROW(colour_rows(ctx, wide), std::invalid_argument);
}

}  // namespace
}  // namespace amgsolve
