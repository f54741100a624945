#include <algorithm>

#include "core/copy.hpp"
#include "core/cub_cuda.cuh"
#include "core/instantiate.hpp"
#include "core/parallel_cuda.cuh"
#include "core/search.hpp"
#include "core/slice_search_cuda.cuh"
#include "spgemm/sort/esc_steps_cuda.hpp"
#include "spgemm/sort/tuning.hpp"
#include "spmv/csr_ref.hpp"

namespace amgsolve::esc {
namespace {

/// The last i in [first, last] with x[i] ≤ value, for ascending x with x[first] ≤ value.
__device__ std::int64_t last_not_above(const Offset* x, std::int64_t first, std::int64_t last, Offset value) {
  return lower_bound(x, first + 1, last + 1, value + 1) - 1;
}

/// One thread: a binary search.
__global__ void next_slice_kernel(Index rows, const Offset* row_offsets, const Offset* product_offsets, Index begin,
                                  Offset limit, Slice* slice) {
  const auto products_before = [=](Index row) { return product_offsets[row_offsets[row]]; };
  const Index end = find_slice_end(begin, rows, limit, products_before);
  *slice = {begin, end, products_before(begin), products_before(end)};
}

constexpr int expansion_tile = default_block * products_per_thread;

/// A block forms a tile of consecutive products, whatever rows they belong to: it looks for the entries and rows of the
/// first and the last of them in the whole slice, and for those of the others between these. Keys and values are
/// written coalesced.
template <class T>
__global__ void expand_kernel(CsrRef<T> A, CsrRef<T> B, const Offset* product_offsets, Slice slice, int col_bits,
                              std::uint64_t* keys, T* values) {
  __shared__ std::int64_t entries[2];
  __shared__ std::int64_t rows[2];
  const Offset tile_begin = slice.first_product + static_cast<Offset>(blockIdx.x) * expansion_tile;
  const Offset tile_end = min(tile_begin + expansion_tile, slice.end_product);
  if (threadIdx.x < 2) {
    const Offset product = threadIdx.x == 0 ? tile_begin : tile_end - 1;
    const std::int64_t entry =
        last_not_above(product_offsets, A.row_offsets[slice.begin], A.row_offsets[slice.end] - 1, product);
    entries[threadIdx.x] = entry;
    rows[threadIdx.x] = last_not_above(A.row_offsets, slice.begin, slice.end - 1, entry);
  }
  __syncthreads();
  for (Offset product = tile_begin + threadIdx.x; product < tile_end; product += default_block) {
    const std::int64_t entry = last_not_above(product_offsets, entries[0], entries[1], product);
    const std::int64_t row = last_not_above(A.row_offsets, rows[0], rows[1], entry);
    const Offset k = B.row_offsets[A.col_indices[entry]] + (product - product_offsets[entry]);
    const Offset target = product - slice.first_product;
    keys[target] =
        static_cast<std::uint64_t>(row - slice.begin) << col_bits | static_cast<std::uint64_t>(B.col_indices[k]);
    values[target] = A.values[entry] * B.values[k];
  }
}

/// A thread an entry: sums its products one after the other.
template <class T>
__global__ void contract_kernel(Offset products, const std::uint64_t* keys, const T* product_values, Offset entries,
                                const Offset* starts, int col_bits, Index* col_indices, T* values) {
  const std::int64_t i = thread_index();
  if (i >= entries) {
    return;
  }
  const Offset begin = starts[i];
  const Offset end = i + 1 < entries ? starts[i + 1] : products;
  T sum{0};
  for (Offset k = begin; k < end; ++k) {
    sum += product_values[k];
  }
  col_indices[i] = static_cast<Index>(keys[begin] & ((std::uint64_t{1} << col_bits) - 1));
  values[i] = sum;
}

/// A thread a row: looks for its first entry, so that a long gap of empty rows is no thread's work alone.
__global__ void row_offsets_kernel(Index rows, const std::uint64_t* keys, Offset entries, const Offset* starts,
                                   int col_bits, Offset* row_offsets) {
  const std::int64_t row = thread_index();
  if (row > rows) {
    return;
  }
  const std::uint64_t first_key = static_cast<std::uint64_t>(row) << col_bits;
  Offset low = 0;
  for (Offset high = entries; low < high;) {
    const Offset middle = low + (high - low) / 2;
    if (keys[starts[middle]] < first_key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  row_offsets[row] = low;
}

}  // namespace

template <class T>
void count_products(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                    Span<Offset, Cuda> counts) {
  parallel_for(ctx, A.nnz(),
               [cols = A.col_indices.data(), b_offsets = B.row_offsets.data(), counts = counts.data()] __device__(
                   std::int64_t k) { counts[k] = b_offsets[cols[k] + 1] - b_offsets[cols[k]]; });
}

template <class T>
Slice next_slice(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const Offset, Cuda> product_offsets, Index begin,
                 Offset limit) {
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const auto slice = scope.take<Slice>(1);
  launch(ctx, next_slice_kernel, Grid{1, 1}, A.rows, A.row_offsets.data(), product_offsets.data(), begin,
         std::min(limit, most_cub_count()), slice.data());
  return element(ctx, slice, 0);
}

template <class T>
void expand(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
            Span<const Offset, Cuda> product_offsets, const Slice& slice, int col_bits, Products<T>& products) {
  const std::int64_t tiles = (slice.products() + expansion_tile - 1) / expansion_tile;
  launch(ctx, expand_kernel<T>, Grid{tiles, default_block}, ref_of(A), ref_of(B), product_offsets.data(), slice,
         col_bits, products.keys.data(), products.values.data());
}

template <class T>
void contract(Context<Cuda>& ctx, const Products<T>& products, Span<const Offset, Cuda> starts, int col_bits,
              CsrMatrix<T, Cuda>& C) {
  const auto entries = static_cast<Offset>(starts.size());
  launch(ctx, contract_kernel<T>, Grid::of_threads(entries), static_cast<Offset>(products.keys.size()),
         products.keys.data(), products.values.data(), entries, starts.data(), col_bits, C.col_indices.data(),
         C.values.data());
  launch(ctx, row_offsets_kernel, Grid::of_threads(std::int64_t{C.rows} + 1), C.rows, products.keys.data(), entries,
         starts.data(), col_bits, C.row_offsets.data());
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                            \
  template void count_products(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, Span<Offset, S>); \
  template Slice next_slice(Context<S>&, const CsrMatrix<T, S>&, Span<const Offset, S>, Index, Offset);       \
  template void expand(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, Span<const Offset, S>,    \
                       const Slice&, int, Products<T>&);                                                      \
  template void contract(Context<S>&, const Products<T>&, Span<const Offset, S>, int, CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve::esc
