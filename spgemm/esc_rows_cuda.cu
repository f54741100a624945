#include <algorithm>

#include "core/copy.hpp"
#include "core/search_cuda.cuh"
#include "spgemm/esc_on_chip_cuda.cuh"
#include "spgemm/esc_rows_cuda.hpp"

namespace amgsolve::esc {
namespace {

// Small blocks: a row that takes long keeps few others' shared memory.
constexpr int block_threads = 128;

// Lanes of a short row: with 8 keys each, half of the sorting needs no exchange between lanes, and four rows of B are
// read at the same time.
constexpr int row_lanes = 4;
constexpr int most_keys = most_lane_products / row_lanes;

// Odd, so that the rows of a warp begin at different banks of shared memory.
constexpr int lane_capacity = most_lane_products + 1;

// Keys that a lane of a warp has in the smaller and the larger of the two kernels for warps: the smaller one takes
// less shared memory and fewer registers, and serves most rows of an AMG setup. Keys of 64 bits take the registers of
// two.
constexpr int fewest_keys = 2;
constexpr int few_keys = 4;
template <class Key>
constexpr int many_keys = 4 * most_warp_products / warp_size / static_cast<int>(sizeof(Key));
static_assert(many_keys<std::uint64_t> * warp_size == most_wide_warp_products);

/// Four lanes a row.
template <class Key, class T>
__global__ void __launch_bounds__(block_threads)
    form_rows_by_lanes_kernel(CsrRef<T> A, CsrRef<T> B, RowSelection selection, RowTarget<T> target) {
  extern __shared__ __align__(16) unsigned char shared[];
  const ProductRooms rooms{block_threads / row_lanes, lane_capacity};
  const RowProducts<T> products = rooms.template room<T>(shared, static_cast<int>(threadIdx.x) / row_lanes);
  const int rank = static_cast<int>(threadIdx.x) % row_lanes;
  const std::int64_t i = thread_index() / row_lanes;
  const bool is_row = i < selection.count;
  Index row = 0;
  Offset begin = 0;
  Offset end = 0;
  Offset place = 0;
  if (is_row) {
    row = selection.rows == nullptr ? static_cast<Index>(i) : selection.rows[i];
    begin = A.row_offsets[row];
    end = A.row_offsets[row + 1];
    place = target.offsets[row];
  }
  int n = 0;
  for (Offset first = begin; __any_sync(all_lanes, first < end); first += row_lanes) {
    const ScaledRow<T> scaled = load_scaled_row(A, B, first + rank, end);
    const auto length = static_cast<int>(scaled.length);
    int total;
    const int slot = n + sum_before<row_lanes>(length, rank, total);
    write_own_products(B, scaled.begin, length, scaled.scale, slot, products);
    n += total;
  }
  Index* const col_indices = target.col_indices + place;
  T* const values = target.values + place;
  int entries;
  if (__all_sync(all_lanes, n <= 2 * row_lanes)) {
    entries = sort_and_contract<row_lanes, 2, Key>(products, n, rank, n, col_indices, values);
  } else if (__all_sync(all_lanes, n <= 4 * row_lanes)) {
    entries = sort_and_contract<row_lanes, 4, Key>(products, n, rank, n, col_indices, values);
  } else {
    entries = sort_and_contract<row_lanes, most_keys, Key>(products, n, rank, n, col_indices, values);
  }
  if (is_row && rank == 0) {
    target.counts[row] = entries;
  }
}

/// A warp a row.
template <int LeastKeys, int MostKeys, class Key, class T>
__global__ void __launch_bounds__(block_threads)
    form_rows_by_warps_kernel(CsrRef<T> A, CsrRef<T> B, RowSelection selection, int capacity, RowTarget<T> target) {
  extern __shared__ __align__(16) unsigned char shared[];
  const std::int64_t i = thread_index() / warp_size;
  if (i >= selection.count) {
    return;
  }
  const ProductRooms rooms{block_threads / warp_size, capacity};
  const RowProducts<T> products = rooms.template room<T>(shared, static_cast<int>(threadIdx.x) / warp_size);
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const Index row = selection.rows == nullptr ? static_cast<Index>(i) : selection.rows[i];
  const Offset end = A.row_offsets[row + 1];
  const Offset place = target.offsets[row];
  int n = 0;
  for (Offset first = A.row_offsets[row]; first < end; first += warp_size) {
    const auto rows = static_cast<int>(min(end - first, static_cast<Offset>(warp_size)));
    const ScaledRow<T> scaled = load_scaled_row(A, B, first + lane, end);
    const auto length = static_cast<int>(scaled.length);
    int total;
    const int slot = n + sum_before<warp_size>(length, lane, total);
    write_products_of_warp(B, scaled.begin, length, scaled.scale, slot, rows, lanes_for(total, rows), products);
    n += total;
  }
  const int entries = sort_and_contract_warp<LeastKeys, MostKeys, Key>(products, n, n, target.col_indices + place,
                                                                       target.values + place);
  if (lane == 0) {
    target.counts[row] = entries;
  }
}

/// One thread: a binary search.
__global__ void slice_end_kernel(Index rows, const Offset* offsets, Index begin, Offset limit, Index* end) {
  const std::int64_t beyond = lower_bound(offsets, begin + 2, std::int64_t{rows} + 1, offsets[begin] + limit + 1);
  *end = static_cast<Index>(beyond - 1);
}

/// A group of lanes a row.
template <class T>
__global__ void reorder_rows_kernel(Index rows, int lanes, const Offset* from, CsrRef<T> left, const Offset* to,
                                    Index* col_indices, T* values) {
  const std::int64_t i = thread_index();
  const std::int64_t row = i / lanes;
  if (row >= rows || from[row] == from[row + 1]) {
    return;
  }
  const Offset source = from[row];
  const Offset target = to[row];
  const Offset length = to[row + 1] - target;
  for (Offset k = i % lanes; k < length; k += lanes) {
    col_indices[target + k] = left.col_indices[source + k];
    values[target + k] = left.values[source + k];
  }
}

template <class Key, class T>
void launch_by_warps(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                     const RowSelection& selection, int most_products, const RowTarget<T>& target) {
  Grid grid = Grid::of_lanes(selection.count, warp_size, block_threads);
  grid.shared_bytes = ProductRooms{block_threads / warp_size, most_products}.bytes<T>();
  launch(ctx,
         most_products <= few_keys * warp_size ? form_rows_by_warps_kernel<fewest_keys, few_keys, Key, T>
                                               : form_rows_by_warps_kernel<few_keys, many_keys<Key>, Key, T>,
         grid, csr_ref(A), csr_ref(B), selection, most_products, target);
}

}  // namespace

template <class T>
void form_rows_by_lanes(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                        const RowSelection& selection, const RowTarget<T>& target) {
  Grid grid = Grid::of_lanes(selection.count, row_lanes, block_threads);
  grid.shared_bytes = ProductRooms{block_threads / row_lanes, lane_capacity}.bytes<T>();
  launch(ctx,
         has_narrow_keys(B.cols, most_lane_products) ? form_rows_by_lanes_kernel<std::uint32_t, T>
                                                     : form_rows_by_lanes_kernel<std::uint64_t, T>,
         grid, csr_ref(A), csr_ref(B), selection, target);
}

template <class T>
void form_rows_by_warps(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                        const RowSelection& selection, int most_products, const RowTarget<T>& target) {
  const bool is_small = most_products <= few_keys * warp_size;
  if (has_narrow_keys(B.cols, is_small ? few_keys * warp_size : most_warp_products)) {
    launch_by_warps<std::uint32_t>(ctx, A, B, selection, most_products, target);
  } else {
    launch_by_warps<std::uint64_t>(ctx, A, B, selection, most_products, target);
  }
}

int most_warp_products_of(Index cols) {
  return has_narrow_keys(cols, most_warp_products) ? most_warp_products : most_wide_warp_products;
}

void clear_sizes(Context<Cuda>& ctx, Span<const Index, Cuda> rows, Span<Offset, Cuda> sizes) {
  parallel_for(ctx, static_cast<std::int64_t>(rows.size()),
               [rows = rows.data(), sizes = sizes.data()] __device__(std::int64_t i) { sizes[rows[i]] = 0; });
}

Index slice_end(Context<Cuda>& ctx, Span<const Offset, Cuda> offsets, Index begin, Offset limit) {
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const auto end = scope.take<Index>(1);
  launch(ctx, slice_end_kernel, Grid{1, 1}, static_cast<Index>(offsets.size()) - 1, offsets.data(), begin, limit,
         end.data());
  return element(ctx, end, 0);
}

template <class T>
void reorder_rows(Context<Cuda>& ctx, Span<const Offset, Cuda> from, Span<const Index, Cuda> col_indices,
                  Span<const T, Cuda> values, CsrMatrix<T, Cuda>& C) {
  const Offset mean = C.nnz() / std::max<Offset>(C.rows, 1);
  int lanes = 2;
  while (lanes < warp_size && lanes < mean) {
    lanes *= 2;
  }
  launch(ctx, reorder_rows_kernel<T>, Grid::of_lanes(C.rows, lanes), C.rows, lanes, from.data(),
         CsrRef<T>{nullptr, col_indices.data(), values.data()}, C.row_offsets.data(), C.col_indices.data(),
         C.values.data());
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                      \
  template void form_rows_by_lanes(Context<Cuda>&, const CsrMatrix<T, Cuda>&, const CsrMatrix<T, Cuda>&,             \
                                   const RowSelection&, const RowTarget<T>&);                                        \
  template void form_rows_by_warps(Context<Cuda>&, const CsrMatrix<T, Cuda>&, const CsrMatrix<T, Cuda>&,             \
                                   const RowSelection&, int, const RowTarget<T>&);                                   \
  template void reorder_rows(Context<Cuda>&, Span<const Offset, Cuda>, Span<const Index, Cuda>, Span<const T, Cuda>, \
                             CsrMatrix<T, Cuda>&);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve::esc
