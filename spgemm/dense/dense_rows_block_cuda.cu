#include <cstdint>

#include "core/instantiate.hpp"
#include "core/parallel_cuda.cuh"
#include "spgemm/dense/dense_chunk_cuda.cuh"
#include "spgemm/dense/dense_rows_cuda.hpp"
#include "spgemm/dense/tuning.hpp"
#include "spgemm/rows/row_walk_cuda.cuh"

namespace amgsolve::thin {
namespace {

constexpr int warps = threads_of_block / warp_size;

constexpr std::uint32_t no_column = 0xffffffffU;

/// Clears the marks of the chunk and returns the entries marked. Where there are values, writes the entries in order,
/// beginning at `position`.
template <class T>
__device__ Index take_entries(const Chunk<T>& chunk, Offset position, Index* col_indices, T* values) {
  __shared__ Index of_warp[warps];
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  // A warp has neighbouring columns, in steps of 32.
  const std::uint32_t steps = chunk.columns / warp_size;
  const std::uint32_t begin = steps * warp / warps * warp_size;
  const std::uint32_t end = steps * (warp + 1) / warps * warp_size;
  Index entries = 0;
  for (std::uint32_t c = begin + lane; c < end; c += warp_size) {
    entries += __popc(__ballot_sync(all_lanes, chunk.marks[c] != 0));
  }
  if (lane == 0) {
    of_warp[warp] = entries;
  }
  __syncthreads();
  Index all = 0;
  for (int w = 0; w < warps; ++w) {
    position += w < warp ? of_warp[w] : 0;
    all += of_warp[w];
  }
  chunk.take(begin, end, position, col_indices, values);
  __syncthreads();
  return all;
}

/// A block a row: `counts` receives the entries of NoValue's pass; the others write theirs from `row_offsets` on.
template <class T>
__global__ void __launch_bounds__(threads_of_block)
    rows_by_blocks_kernel(CsrRef<T> A, CsrRef<T> B, RowSelection selection, Index columns, Offset* counts,
                          const Offset* row_offsets, Index* col_indices, T* values) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ std::uint32_t nearest;
  Chunk<T> chunk{0, static_cast<std::uint32_t>(columns), reinterpret_cast<T*>(shared),
                 shared + (has_values<T> ? columns * sizeof(T) : 0)};
  for (Index c = static_cast<Index>(threadIdx.x); c < columns; c += threads_of_block) {
    chunk.marks[c] = 0;
  }
  __syncthreads();
  const Index row = selection.rows == nullptr ? static_cast<Index>(blockIdx.x) : selection.rows[blockIdx.x];
  const Offset begin = A.row_offsets[row];
  const Offset end = A.row_offsets[row + 1];
  Offset position = has_values<T> ? row_offsets[row] : 0;
  for (;;) {
    if (threadIdx.x == 0) {
      nearest = no_column;
    }
    std::uint32_t next = no_column;
    for_each_product<BlockGroup<threads_of_block>, Offset>(A, B, begin, end, ColumnKeys{B.col_indices},
                                                           [&](bool is_active, Index col, T product) {
                                                             if (is_active) {
                                                               next = chunk.add_or_pass(col, product, next);
                                                             }
                                                           });
    position += take_entries(chunk, position, col_indices, values);
    if (next != no_column) {
      atomicMin(&nearest, next);
    }
    __syncthreads();
    chunk.first = nearest;
    __syncthreads();
    if (chunk.first == no_column) {
      break;
    }
  }
  if constexpr (!has_values<T>) {
    if (threadIdx.x == 0) {
      counts[row] = position;
    }
  }
}

template <class T>
Grid make_grid(const RowSelection& selection, Index columns) {
  return {selection.count, threads_of_block, static_cast<std::size_t>(columns) * (has_values<T> ? sizeof(T) + 1 : 1)};
}

}  // namespace

template <class T>
void count_rows_by_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, Index columns,
                          const RowSelection& selection, Span<Offset, Cuda> counts) {
  launch(ctx, rows_by_blocks_kernel<NoValue>, make_grid<NoValue>(selection, columns), pattern_ref(A), pattern_ref(B),
         selection, columns, counts.data(), nullptr, nullptr, nullptr);
}

template <class T>
void form_rows_by_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, Index columns,
                         const RowSelection& selection, CsrMatrix<T, Cuda>& C) {
  launch(ctx, rows_by_blocks_kernel<T>, make_grid<T>(selection, columns), ref_of(A), ref_of(B), selection, columns,
         nullptr, C.row_offsets.data(), C.col_indices.data(), C.values.data());
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                       \
  template void count_rows_by_blocks(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, Index, \
                                     const RowSelection&, Span<Offset, S>);                              \
  template void form_rows_by_blocks(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, Index,  \
                                    const RowSelection&, CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve::thin
