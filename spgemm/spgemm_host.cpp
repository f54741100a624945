#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <stdexcept>

#include "core/algorithms.hpp"
#include "core/parallel_host.hpp"
#include "core/timer.hpp"
#include "spgemm/accumulator_host.hpp"
#include "spgemm/spgemm.hpp"

namespace amgsolve {
namespace {

// Some 50 us of work: enough to hide the hand-out of a block, small enough that the last ones end together.
constexpr Offset products_per_block = 32768;

// A dense map of 4 MB; past it a look-up is likely to miss the caches and a row's own small table is quicker.
constexpr Index dense_cols_limit = 1 << 20;

template <class T>
struct CsrPointers {
  const Offset* row_offsets;
  const Index* col_indices;
  const T* values;

  explicit CsrPointers(const CsrMatrix<T, Host>& A)
      : row_offsets(A.row_offsets.data()), col_indices(A.col_indices.data()), values(A.values.data()) {}

  Offset row_nnz(Index row) const { return row_offsets[row + 1] - row_offsets[row]; }
};

/// The factors and how their product's rows are dealt out.
template <class T>
struct Product {
  CsrPointers<T> A;
  CsrPointers<T> B;
  Index rows;
  Index cols;
  Offset products = 0;
  Offset longest_row = 0;  ///< bound on the entries of a row of C
  std::int64_t blocks = 0;
  Span<const Offset, Host> product_offsets;  ///< products of all rows before each row

  Product(const CsrMatrix<T, Host>& A_, const CsrMatrix<T, Host>& B_) : A(A_), B(B_), rows(A_.rows), cols(B_.cols) {}

  Index block_begin(std::int64_t block) const {
    if (block == blocks) {
      return rows;
    }
    const Offset* end = product_offsets.begin() + rows;
    return static_cast<Index>(std::lower_bound(product_offsets.begin(), end, products * block / blocks) -
                              product_offsets.begin());
  }
  Offset row_products(Index row) const {
    const auto i = static_cast<std::size_t>(row);
    return product_offsets[i + 1] - product_offsets[i];
  }
};

/// The distinct columns of row i of C, in the order in which they first occur, into `cols`.
template <class T, class Slots>
Index collect_row(const Product<T>& product, Slots& slots, Index i, Index* cols) {
  Index count = 0;
  for (Offset k = product.A.row_offsets[i]; k < product.A.row_offsets[i + 1]; ++k) {
    const Index row = product.A.col_indices[k];
    for (Offset l = product.B.row_offsets[row]; l < product.B.row_offsets[row + 1]; ++l) {
      const Index col = product.B.col_indices[l];
      const Index position = slots.find_or_insert(col, cols, count);
      cols[position] = col;
      count += position == count;
    }
  }
  return count;
}

/// As collect_row, with the entries summed in the order of A's row.
template <class T, class Slots>
Index accumulate_row(const Product<T>& product, Slots& slots, Index i, Index* cols, T* values) {
  Index count = 0;
  for (Offset k = product.A.row_offsets[i]; k < product.A.row_offsets[i + 1]; ++k) {
    const Index row = product.A.col_indices[k];
    const T a = product.A.values[k];
    for (Offset l = product.B.row_offsets[row]; l < product.B.row_offsets[row + 1]; ++l) {
      const Index col = product.B.col_indices[l];
      const Index position = slots.find_or_insert(col, cols, count);
      const T sum = position == count ? T{0} : values[position];
      cols[position] = col;
      values[position] = sum + a * product.B.values[l];
      count += position == count;
    }
  }
  return count;
}

/// Scratch of one thread.
template <class T>
struct ThreadScratch {
  std::uint64_t* keys;
  Index* cols;
  T* values;
};

template <class T>
void write_sorted(const ThreadScratch<T>& row, Index count, Index* cols, T* values) {
  for (Index i = 0; i < count; ++i) {
    row.keys[i] = static_cast<std::uint64_t>(row.cols[i]) << 32 | static_cast<std::uint64_t>(i);
  }
  std::sort(row.keys, row.keys + count);
  for (Index i = 0; i < count; ++i) {
    cols[i] = static_cast<Index>(row.keys[i] >> 32);
    values[i] = row.values[static_cast<std::uint32_t>(row.keys[i])];
  }
}

template <class T, class Slots>
CsrMatrix<T, Host> multiply_with(Context<Host>& ctx, const Product<T>& product) {
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto threads = static_cast<std::size_t>(ctx.threads());
  const auto entries = static_cast<std::size_t>(product.longest_row);
  const std::size_t slots_size = Slots::size(product.longest_row, product.cols);
  const auto slots = scope.take<Index>(threads * slots_size);
  const auto keys = scope.take<std::uint64_t>(threads * entries);
  const auto cols = scope.take<Index>(threads * entries);
  const auto values = scope.take<T>(threads * entries);
  parallel_ranges(ctx, static_cast<std::int64_t>(slots.size()), [&](std::int64_t begin, std::int64_t end) {
    std::fill(slots.data() + begin, slots.data() + end, empty_slot);
  });

  const auto for_rows = [&](auto&& body) {
    parallel_blocks(ctx, product.blocks, [&](std::int64_t block) {
      const auto thread = static_cast<std::size_t>(omp_get_thread_num());
      const ThreadScratch<T> scratch{keys.data() + thread * entries, cols.data() + thread * entries,
                                     values.data() + thread * entries};
      Slots map(slots.data() + thread * slots_size);
      const Index end = product.block_begin(block + 1);
      for (Index i = product.block_begin(block); i < end; ++i) {
        map.start_row(std::min<Offset>(product.row_products(i), product.cols));
        body(map, i, scratch);
      }
    });
  };

  CsrMatrix<T, Host> C;
  C.rows = product.rows;
  C.cols = product.cols;
  C.row_offsets = Buffer<Offset, Host>(ctx, static_cast<std::size_t>(product.rows) + 1);
  Offset* const row_offsets = C.row_offsets.data();
  {
    ScopedTimer timer(ctx, "symbolic");
    for_rows([&](Slots& map, Index i, const ThreadScratch<T>& scratch) {
      const Index count = collect_row(product, map, i, scratch.cols);
      map.clear(scratch.cols, count);
      row_offsets[i + 1] = count;
    });
    const auto nnz = static_cast<std::size_t>(counts_to_offsets(ctx, C.row_offsets));
    C.col_indices = Buffer<Index, Host>(ctx, nnz);
    C.values = Buffer<T, Host>(ctx, nnz);
  }
  ScopedTimer timer(ctx, "numeric");
  for_rows([&](Slots& map, Index i, const ThreadScratch<T>& scratch) {
    const Index count = accumulate_row(product, map, i, scratch.cols, scratch.values);
    map.clear(scratch.cols, count);
    write_sorted(scratch, count, C.col_indices.data() + row_offsets[i], C.values.data() + row_offsets[i]);
  });
  return C;
}

/// Counts the products of each row of C.
template <class T>
Product<T> analyse(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                   Span<Offset, Host> product_offsets) {
  ScopedTimer timer(ctx, "analysis");
  Product<T> product(A, B);
  Offset longest = 0;
  parallel_ranges(ctx, A.rows, [&](std::int64_t begin, std::int64_t end) {
    Offset longest_here = 0;
    for (auto i = static_cast<Index>(begin); i < end; ++i) {
      Offset products = 0;
      for (Offset k = product.A.row_offsets[i]; k < product.A.row_offsets[i + 1]; ++k) {
        products += product.B.row_nnz(product.A.col_indices[k]);
      }
      product_offsets.data()[i + 1] = products;
      longest_here = std::max(longest_here, products);
    }
#pragma omp critical
    longest = std::max(longest, longest_here);
  });
  product.products = counts_to_offsets(ctx, product_offsets);
  product.product_offsets = product_offsets;
  product.longest_row = std::min<Offset>(longest, B.cols);
  product.blocks = std::clamp<std::int64_t>(product.products / products_per_block, 1, std::max(A.rows, 1));
  return product;
}

bool prefers_dense(SpgemmAlgorithm algorithm, Index cols) {
  return algorithm == SpgemmAlgorithm::dense || (algorithm == SpgemmAlgorithm::automatic && cols <= dense_cols_limit);
}

}  // namespace

template <class T>
CsrMatrix<T, Host> multiply(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                            const SpgemmOptions& options) {
  if (A.cols != B.rows) {
    throw std::invalid_argument(
        fmt::format("sparse product A B: A is {} x {} and B is {} x {}", A.rows, A.cols, B.rows, B.cols));
  }
  WorkspaceScope<Host> scope(ctx.workspace());
  const Product<T> product = analyse(ctx, A, B, scope.take<Offset>(static_cast<std::size_t>(A.rows) + 1));
  CsrMatrix<T, Host> C = prefers_dense(options.algorithm, B.cols) ? multiply_with<T, DenseSlots>(ctx, product)
                                                                  : multiply_with<T, HashSlots>(ctx, product);
  ctx.profile().add({static_cast<std::int64_t>(A.bytes() + B.bytes() + C.bytes()), 2 * product.products});
  return C;
}

template CsrMatrix<float, Host> multiply(Context<Host>&, const CsrMatrix<float, Host>&, const CsrMatrix<float, Host>&,
                                         const SpgemmOptions&);
template CsrMatrix<double, Host> multiply(Context<Host>&, const CsrMatrix<double, Host>&,
                                          const CsrMatrix<double, Host>&, const SpgemmOptions&);

}  // namespace amgsolve
