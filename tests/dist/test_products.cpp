#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "amg/conjugate_gradients.hpp"
#include "core/errors.hpp"
#include "dist/halo.hpp"
#include "dist/local_matrix_steps.hpp"
#include "dist/rank_ranges.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/random.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/dist/shared_matrices.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using ranks::Cut;
using ranks::world;

TEST(Partition, TellsTheOwnerOfEveryRow) {
  for (const Cut cut : ranks::all_cuts()) {
    SCOPED_TRACE(to_string(cut));
    const Partition partition(world(), ranks::own_rows(world(), cut, 5000));
    ASSERT_EQ(partition.rows(), 5000);
    for (std::int64_t row = 0; row < 5000; ++row) {
      const int owner = partition.owner(row);
      ASSERT_TRUE(partition.first(owner) <= row && row < partition.end(owner)) << row;
    }
  }
}

/// Of lines that a rank has many of its first and last rows show all ghosts, of planes that it has few of they do not.
TEST(LocalMatrix, HasTheColumnsOfItsRowsInTheirOrder) {
  Context<Host> ctx(1, world());
  Context<Host> whole(1);
  const CsrMatrix<double, Host> matrices[] = {
      reference::random_matrix<double>(whole, 3001, 3001, 200, 1),
      generate_matrix<double>(whole, ranks::poisson({100, 800}, Discretization::fd)),
      generate_matrix<double>(whole, ranks::poisson({64, 64, 24}, Discretization::fd)),
  };
  for (const auto& A : matrices) {
    for (const Cut cut : ranks::all_cuts()) {
      SCOPED_TRACE(testing::Message() << A.rows << " rows, " << to_string(cut));
      const Partition partition(world(), ranks::own_rows(world(), cut, A.rows));
      const LocalMatrix<double, Host> local = to_local(ctx, partition, ranks::rows_of(ctx, A, partition));
      EXPECT_TRUE(reference::identical(to_local(ctx, partition, ranks::narrow_rows_of(ctx, A, partition)).A, local.A));
      const Layout<Host>& layout = *local.layout;
      std::set<std::int64_t> ghosts;
      const GlobalRows<double, Host> expected = ranks::rows_of(ctx, A, partition);
      for (const std::int64_t column : std::span(expected.col_indices.data(), expected.col_indices.size())) {
        if (partition.owner(column) != world().rank()) {
          ghosts.insert(column);
        }
      }
      EXPECT_EQ(reference::download(ctx, layout.ghosts()), std::vector<std::int64_t>(ghosts.begin(), ghosts.end()));
      for (Index column = 1; column < layout.columns(); ++column) {
        ASSERT_LT(layout.window().row_of(column - 1), layout.window().row_of(column));
      }
      std::vector<Index> all_rows(static_cast<std::size_t>(local.A.rows));
      std::iota(all_rows.begin(), all_rows.end(), 0);
      const GlobalRows<double, Host> back =
          gather_rows<double, Host>(ctx, local, Span<const Index, Host>(all_rows.data(), all_rows.size()));
      EXPECT_TRUE(ranks::same_bits<Offset>({back.row_offsets.data(), back.row_offsets.size()},
                                           {expected.row_offsets.data(), expected.row_offsets.size()}));
      EXPECT_TRUE(ranks::same_bits<std::int64_t>({back.col_indices.data(), back.col_indices.size()},
                                                 {expected.col_indices.data(), expected.col_indices.size()}));
      EXPECT_TRUE(ranks::same_bits<double>({back.values.data(), back.values.size()},
                                           {expected.values.data(), expected.values.size()}));
    }
  }
}

TEST(LocalMatrix, AllRanksRefuseAColumnOutsideTheMatrix) {
  Context<Host> ctx(1, world());
  Context<Host> whole(1);
  const auto A = reference::random_spd_matrix<double>(whole, 400, 3, 1);
  const Partition partition(world(), ranks::own_rows(world(), Cut::even, A.rows));
  for (int rank = 0; rank < world().size(); ++rank) {
    const std::pair<std::int64_t, const char*> columns[] = {
        {-1, "0"},
        {std::numeric_limits<std::int64_t>::min(), "-9223372036854775807"},
        {400, "401"},
        {std::numeric_limits<std::int64_t>::max(), "9223372036854775808"}};
    for (const auto& [column, counted_from_1] : columns) {
      GlobalRows<double, Host> rows = ranks::rows_of(ctx, A, partition);
      if (rank == world().rank()) {
        rows.col_indices[0] = column;
      }
      try {
        to_local(ctx, partition, std::move(rows));
        ADD_FAILURE() << "nothing thrown";
      } catch (const InputError& error) {
        EXPECT_EQ(error.what(), (world().size() > 1 ? "rank " + std::to_string(rank) + ": " : "") +
                                    "row 1 of the rank's rows has an entry in column " + counted_from_1 +
                                    " of a matrix with 400 columns");
      }
    }
  }
}

TEST(LocalMatrix, NamesAColumnOutsideInTheMiddleOfManyRows) {
  Context<Host> ctx(1, world());
  Context<Host> whole(1);
  const auto A = generate_matrix<double>(whole, ranks::poisson({100, 800}, Discretization::fd));
  const Partition partition(world(), ranks::own_rows(world(), Cut::even, A.rows));
  for (const bool is_narrow : {false, true}) {
    RankRows<double, Host> rows = ranks::rows_of(ctx, A, partition);
    if (is_narrow) {
      rows = ranks::narrow_rows_of(ctx, A, partition);
    }
    const Index middle = rows.rows() / 2;
    const auto entry = static_cast<std::size_t>(rows.row_offsets[static_cast<std::size_t>(middle)]);
    std::visit([&](auto& columns) { columns[entry] = 80000; }, rows.col_indices);
    try {
      to_local(ctx, partition, std::move(rows));
      ADD_FAILURE() << "nothing thrown";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("row " + std::to_string(middle + 1) + " of the rank's rows"));
      EXPECT_THAT(error.what(), testing::HasSubstr("column 80001 of a matrix with 80000 columns"));
    }
  }
}

TEST(Halo, FillsEveryGhost) {
  Context<Host> ctx(1, world());
  Context<Host> whole(1);
  const auto A = reference::random_matrix<double>(whole, 2003, 2003, 100, 2);
  for (const Cut cut : ranks::all_cuts()) {
    for (const Index k : {1, 3}) {
      const Partition partition(world(), ranks::own_rows(world(), cut, A.rows));
      const auto local = to_local(ctx, partition, ranks::rows_of(ctx, A, partition));
      MultiVector<Index, Host> window(ctx, local.layout->columns(), k);
      std::fill_n(window.data(), window.size(), -1);
      const auto value = [&](std::int64_t row, Index j) { return static_cast<Index>(row * k + j); };
      for (Index i = 0; i < local.layout->own_rows(); ++i) {
        for (Index j = 0; j < k; ++j) {
          window.data()[(local.layout->first_own() + i) * k + j] = value(local.layout->first_row() + i, j);
        }
      }
      exchange_ghosts<Index, Host>(ctx, *local.layout, window);
      for (Index column = 0; column < local.layout->columns(); ++column) {
        for (Index j = 0; j < k; ++j) {
          ASSERT_EQ(window.data()[column * k + j], value(local.layout->window().row_of(column), j)) << to_string(cut);
        }
      }
    }
  }
}

TEST(Halo, CompletesInPlaceWhatHasTheMargins) {
  Context<Host> ctx(1, world());
  Context<Host> whole(1);
  const auto A = reference::random_matrix<double>(whole, 2003, 2003, 100, 2);
  for (const Cut cut : ranks::all_cuts()) {
    SCOPED_TRACE(to_string(cut));
    const Partition partition(world(), ranks::own_rows(world(), cut, A.rows));
    const auto local = to_local(ctx, partition, ranks::rows_of(ctx, A, partition));
    const Layout<Host>& layout = *local.layout;
    Halo<double, Host> halo(local.layout);
    const Margins exact = halo.margins();
    const auto complete = [&](Margins margins, Index k) {
      MultiVector<double, Host> own(ctx, layout.own_rows(), k, margins);
      std::iota(own.data(), own.data() + own.size(), static_cast<double>(layout.first_row() * k));
      const MultiVectorView<const double, Host> window = halo.complete(ctx, std::as_const(own).view());
      EXPECT_EQ(window.rows, layout.columns());
      for (Index column = 0; column < layout.columns(); ++column) {
        for (Index j = 0; j < k; ++j) {
          EXPECT_EQ(window.data[column * k + j], static_cast<double>(layout.window().row_of(column) * k + j));
        }
      }
      return window.data + std::ptrdiff_t{layout.first_own()} * k == own.data();
    };
    for (const Index k : {1, 3}) {
      EXPECT_TRUE(complete(exact, k));
      EXPECT_TRUE(complete({exact.below + 5, exact.above + 1}, k));
      EXPECT_EQ(complete({}, k), Margins{}.hold(exact));
      EXPECT_EQ(complete({exact.below + 1, 0}, k), exact.above == 0);
    }
  }
}

/// Products, sums and conjugate gradients, whatever the cut and the number of columns.
template <class I>
class OnRanks : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(OnRanks, reference::Instances, reference::InstanceNames);

template <class T, MemorySpace S>
class Identity : public Preconditioner<T, S> {
 public:
  MultiVectorView<const T, S> apply(Context<S>& ctx, MultiVectorView<const T, S> r) override {
    z_ = MultiVector<T, S>(ctx, r.rows, r.columns);
    copy<T, T>(ctx, r, z_);
    return z_;
  }

 private:
  MultiVector<T, S> z_;
};

template <class T>
struct Outcome {
  std::vector<T> products;
  std::vector<T> residuals;
  std::vector<T> smoothed;
  std::vector<double> sums;
  std::vector<T> x;
  std::vector<double> history;
};

/// Of the rows of this context: everything that rows are summed and reduced for.
template <class T, MemorySpace S>
Outcome<T> compute(Context<S>& ctx, const Operator<T, S>& A, const std::vector<T>& d_values,
                   const std::vector<T>& b_values, const std::vector<T>& x_values, Index columns) {
  Outcome<T> result;
  const Buffer<T, S> d = reference::upload_buffer(ctx, d_values);
  const MultiVector<T, S> b = reference::upload(ctx, b_values, columns);
  const MultiVector<T, S> x = reference::upload(ctx, x_values, columns);
  MultiVector<T, S> y(ctx, b.rows(), columns);
  A.apply(ctx, T{2}, x, T{0}, y);
  result.products = reference::download(ctx, y);
  A.residual(ctx, b, x, y);
  result.residuals = reference::download(ctx, y);
  A.smoothing_step(ctx, d.span(), T(0.7), T(1.1), T{0}, b, x, y);
  result.smoothed = reference::download(ctx, y);
  Buffer<double, S> sums(ctx, static_cast<std::size_t>(columns));
  dot<T>(ctx, b, std::as_const(y), sums.span());
  result.sums = reference::download(ctx, sums.span());
  const std::vector<double> lengths = norms<T>(ctx, std::as_const(y));
  result.sums.insert(result.sums.end(), lengths.begin(), lengths.end());
  Identity<T, S> identity;
  ConjugateGradients<T, S> cg(ctx, A, identity, columns, false);
  copy<T, T>(ctx, x, y);
  SolverOptions options;
  options.tolerance = 1e-4;
  const SolveResult solved = iterate<T, S>(ctx, A, cg, b.view(), y, options);
  result.x = reference::download(ctx, y);
  result.history = solved.residual_history;
  return result;
}

/// Ranges of more ranks than a kernel takes along: every third number; from 2000 on every one, up to 2300.
TYPED_TEST(OnRanks, FindTheRangesOfManyRanks) {
  using S = typename TypeParam::Space;
  Context<S> ctx = ranks::own_context<S>();
  std::vector<std::int64_t> numbers;
  for (std::int64_t x = 1; x < 2300; x += x < 2000 ? 3 : 1) {
    numbers.push_back(x);
  }
  std::vector<std::int64_t> bounds;
  for (std::int64_t x = 0; x < 3200; x += 16) {
    bounds.push_back(x);
  }
  std::vector<std::int64_t> places;
  std::vector<std::int64_t> first;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const auto begin = std::ranges::lower_bound(numbers, bounds[i]);
    places.push_back(begin - numbers.begin());
    if (i + 1 < bounds.size()) {
      const auto end = std::ranges::lower_bound(numbers, bounds[i + 1]);
      first.push_back(begin < end && end[-1] - *begin == end - begin - 1 ? *begin : -1);
    }
  }
  // From a list of each, from the first of a longer list, and from a list that has each twice.
  const Buffer<std::int64_t, S> ascending = reference::upload_buffer(ctx, numbers);
  std::vector<Index> longer(numbers.begin(), numbers.end());
  longer.insert(longer.end(), 100, 0);
  const Buffer<Index, S> of_longer = reference::upload_buffer(ctx, longer);
  const Buffer<Offset, S> count = reference::upload_buffer(ctx, std::vector<Offset>{std::ssize(numbers)});
  std::vector<std::uint64_t> twice;
  for (const std::int64_t x : numbers) {
    twice.insert(twice.end(), 2, static_cast<std::uint64_t>(x));
  }
  const Buffer<std::uint64_t, S> sorted = reference::upload_buffer(ctx, twice);
  Buffer<Offset, S> once(ctx, twice.size() + 1);
  detail::place_once<S>(ctx, sorted.span(), once.span());
  const auto expect_found = [&](const auto& find) {
    const FoundRanges<S> there(ctx, bounds, bounds.size() - 1);
    find(there);
    const RankPlaces found = there.download(ctx);
    EXPECT_EQ(found.places, places);
    EXPECT_EQ(found.first_rows, first);
  };
  expect_found([&](const FoundRanges<S>& there) {
    detail::find_ranges<S>(ctx, ascending.span(), there.bounds(), there.places(), there.first());
  });
  expect_found([&](const FoundRanges<S>& there) {
    detail::find_ranges<S>(ctx, of_longer.span(), count.span(), there.bounds(), there.places(), there.first());
  });
  expect_found([&](const FoundRanges<S>& there) {
    detail::find_ranges<S>(ctx, sorted.span(), std::as_const(once).span(), there.bounds(), there.places(),
                           there.first());
  });
}

/// Of few rows and of more than are told by flags, beside borders, far from each other, and none.
TYPED_TEST(OnRanks, FindTheRowsOfOthersAmongAnyNumber) {
  using S = typename TypeParam::Space;
  Context<S> ctx = ranks::shared_context<S>();
  for (const std::int64_t own : {std::int64_t{1000}, std::int64_t{1} << 24, std::int64_t{1} << 33}) {
    const Partition partition(world(), own);
    const std::int64_t first = partition.first(world().rank());
    const std::int64_t last = partition.rows() - 1;
    std::vector<std::int64_t> own_rows;
    std::vector<std::int64_t> beside;
    for (std::int64_t i = 0; i < 500; ++i) {
      own_rows.push_back(first + i * 7 % 500);
      beside.insert(beside.end(), {first + i, first - 1 - i % 40, first + own + i % 60});
    }
    std::erase_if(beside, [&](std::int64_t row) { return row < 0 || row > last; });
    std::vector<std::int64_t> far = beside;
    far.insert(far.end(), {last, 0, last, last / 2, 0});
    for (const std::vector<std::int64_t>& list : {std::vector<std::int64_t>{}, own_rows, beside, far}) {
      std::set<std::int64_t> expected(list.begin(), list.end());
      std::erase_if(expected, [&](std::int64_t row) { return row >= first && row < first + own; });
      const Buffer<std::int64_t, S> there = reference::upload_buffer(ctx, list);
      const GhostRows<S> found = foreign_rows<std::int64_t, S>(ctx, there.span(), partition);
      EXPECT_EQ(reference::download(ctx, std::as_const(found.rows).span()),
                std::vector<std::int64_t>(expected.begin(), expected.end()));
      const RankPlaces places = places_of_ranks(ctx, partition, std::as_const(found.rows).span());
      EXPECT_EQ(found.of_ranks->places, places.places);
      EXPECT_EQ(found.of_ranks->first_rows, places.first_rows);
    }
  }
}

/// Rows of 0 to 504 entries, in windows that have all of their columns or all but one, in order and out of it.
TYPED_TEST(OnRanks, FindColumnsThatAscendWhereAWindowHasAllOfThem) {
  using S = typename TypeParam::Space;
  Context<S> ctx = ranks::own_context<S>();
  const std::vector<std::int64_t> ghosts{2, 7, 900, 950};
  const Buffer<std::int64_t, S> ghosts_there = reference::upload_buffer(ctx, ghosts);
  const WindowColumns window{10, 2, 500, ghosts_there.data(), 4};  // ghosts 2 and 7, rows 10 to 509, ghosts 900 and 950
  const auto row_of = [&](Index column) {
    return column < 2     ? ghosts[static_cast<std::size_t>(column)]
           : column < 502 ? std::int64_t{column} + 8
                          : ghosts[static_cast<std::size_t>(column - 500)];
  };
  std::vector<Offset> offsets{0};
  std::vector<std::int64_t> entries;
  std::vector<Index> expected;
  for (const Index step : {1, 7, 100, 503, 60, 600, 2, 80, 31}) {
    for (Index first = step == 600 ? 504 : 0; first < std::min(step, Index{40}); ++first) {
      for (Index column = first; column < 504; column += step) {
        entries.push_back(row_of(column));
        expected.push_back(column);
      }
      offsets.push_back(std::ssize(entries));
    }
    offsets.push_back(std::ssize(entries));  // an empty row
  }
  const Buffer<Offset, S> offsets_there = reference::upload_buffer(ctx, offsets);
  const auto find = [&] {
    Buffer<Index, S> columns(ctx, entries.size());
    const Buffer<std::int64_t, S> there = reference::upload_buffer(ctx, entries);
    const bool has_all =
        detail::find_ascending_columns<std::int64_t>(ctx, window, offsets_there.span(), there.span(), columns.span());
    return std::pair(has_all, reference::download(ctx, std::as_const(columns).span()));
  };
  EXPECT_EQ(find(), std::pair(true, expected));
  const auto expect_wrong = [&](std::size_t k, std::int64_t other) {
    const std::int64_t before = std::exchange(entries[k], other);
    EXPECT_FALSE(find().first) << other << " at " << k;
    entries[k] = before;
  };
  for (const std::int64_t other :
       {std::int64_t{-1}, std::int64_t{0}, std::int64_t{9}, std::int64_t{510}, std::int64_t{901}, std::int64_t{951},
        std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    expect_wrong(entries.size() / 2, other);
  }
  // Twice the same, wherever in a row: at the ends of what threads look at together, too.
  for (std::size_t k = 1; k < entries.size(); k += k < 300 ? 1 : 37) {
    if (!std::ranges::binary_search(offsets, static_cast<Offset>(k))) {
      expect_wrong(k, entries[k - 1]);
    }
  }
}

TYPED_TEST(OnRanks, HaveTheBitsOfOneRank) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  Context<S> whole = ranks::own_context<S>();
  const auto grid = reference::poisson(reference::grid({23, 29, 31}), Discretization::fd);
  std::vector<CsrMatrix<T, Host>> matrices;
  matrices.push_back(generate_matrix<T>(host, grid));
  matrices.push_back(reference::random_spd_matrix<T>(host, 9001, 7, 3));
  for (const CsrMatrix<T, Host>& A : matrices) {
    for (const Index k : {1, 3}) {
      const auto n = static_cast<std::size_t>(A.rows);
      const auto columns = static_cast<std::size_t>(k);
      const auto b = reference::random_values<T>(n * columns, 1);
      const auto x = reference::random_values<T>(n * columns, 2);
      const auto d = reference::random_values<T>(n, 3);
      for (const Storage storage : {Storage::csr, Storage::sell}) {
        const Operator<T, S> all(whole, amgsolve::upload(whole, A), storage);
        const Outcome<T> expected = compute<T, S>(whole, all, d, b, x, k);
        for (const Cut cut : ranks::all_cuts()) {
          SCOPED_TRACE(testing::Message() << to_string(cut) << ", " << n << " rows, k = " << k);
          Context<S> ctx = ranks::shared_context<S>();
          const Partition partition(world(), ranks::own_rows(world(), cut, A.rows));
          LocalMatrix<T, S> local = to_local(ctx, partition, ranks::upload_rows(ctx, A, partition));
          const auto halo = std::make_shared<Halo<T, S>>(local.layout);
          const Operator<T, S> strip(ctx, std::move(local.A), storage, halo);
          const auto own = [&](const std::vector<T>& v, std::size_t c) {
            return ranks::rows_of(v, partition, world().rank(), c);
          };
          const Outcome<T> result = compute<T, S>(ctx, strip, own(d, 1), own(b, columns), own(x, columns), k);
          EXPECT_TRUE(ranks::same_bits<T>(result.products, own(expected.products, columns)));
          EXPECT_TRUE(ranks::same_bits<T>(result.residuals, own(expected.residuals, columns)));
          EXPECT_TRUE(ranks::same_bits<T>(result.smoothed, own(expected.smoothed, columns)));
          EXPECT_TRUE(ranks::same_bits<double>(result.sums, expected.sums));
          EXPECT_EQ(result.history, expected.history);
          EXPECT_TRUE(ranks::same_bits<T>(result.x, own(expected.x, columns)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace amgsolve
