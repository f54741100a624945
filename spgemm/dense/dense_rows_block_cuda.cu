#include <cstdint>

#include "core/instantiate.hpp"
#include "core/parallel_cuda.cuh"
#include "spgemm/dense/dense_chunk_cuda.cuh"
#include "spgemm/dense/dense_rows_cuda.hpp"
#include "spgemm/dense/tuning.hpp"

namespace amgsolve::thin {
namespace {

constexpr int block_threads = threads_of_block;
constexpr int warps = block_threads / warp_size;

constexpr std::uint32_t no_column = 0xffffffffU;

/// Adds rows of B to the chunk, one after the other, each with its entries side by side, whose columns differ: as
/// for_each_product does, which has one row under way where this has several. Returns, thread by thread, the first
/// column seen behind the chunk, or `next`. All accesses to the chunk are ordered on return.
template <class T>
__device__ std::uint32_t add_rows(const CsrRef<T>& B, const ScaledRow<T>* scaled, int rows, const Chunk<T>& chunk,
                                  std::uint32_t next) {
  const int thread = static_cast<int>(threadIdx.x);
  const auto load = [&](const ScaledRow<T>& row, Index j, std::uint32_t& col, T& value) {
    col = no_column;
    if (j < row.length) {
      col = static_cast<std::uint32_t>(B.col_indices[row.begin + j]);
      value = value_at(B, row.begin + j);
    }
  };
  const auto add = [&](std::uint32_t col, T scale, T value) {
    if (chunk.has(col)) {
      chunk.add(col, scale * value);
    } else if (chunk.is_before(col)) {
      next = min(next, col);
    }
  };
  for (int first = 0; first < rows; first += rows_ahead) {
    std::uint32_t cols[rows_ahead];
    T values[rows_ahead];
#pragma unroll
    for (int r = 0; r < rows_ahead; ++r) {
      if (first + r < rows) {
        load(scaled[first + r], thread, cols[r], values[r]);
      }
    }
#pragma unroll
    for (int r = 0; r < rows_ahead; ++r) {
      if (first + r < rows) {
        const ScaledRow<T>& row = scaled[first + r];
        add(cols[r], row.scale, values[r]);
        for (Index j = thread + block_threads; j < row.length; j += pieces_ahead * block_threads) {
          std::uint32_t piece_cols[pieces_ahead];
          T piece_values[pieces_ahead];
#pragma unroll
          for (int p = 0; p < pieces_ahead; ++p) {
            load(row, j + p * block_threads, piece_cols[p], piece_values[p]);
          }
#pragma unroll
          for (int p = 0; p < pieces_ahead; ++p) {
            add(piece_cols[p], row.scale, piece_values[p]);
          }
        }
        __syncthreads();
      }
    }
  }
  return next;
}

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
__global__ void __launch_bounds__(block_threads)
    for_rows_kernel(CsrRef<T> A, CsrRef<T> B, RowSelection selection, Index columns, Offset* counts,
                    const Offset* row_offsets, Index* col_indices, T* values) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ ScaledRow<T> scaled[block_threads];
  __shared__ std::uint32_t nearest;
  Chunk<T> chunk{0, static_cast<std::uint32_t>(columns), reinterpret_cast<T*>(shared),
                 shared + (has_values<T> ? columns * sizeof(T) : 0)};
  for (Index c = static_cast<Index>(threadIdx.x); c < columns; c += block_threads) {
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
    for (Offset first = begin; first < end; first += block_threads) {
      scaled[threadIdx.x] = load_scaled_row(A, B, first + threadIdx.x, end);
      __syncthreads();
      next = add_rows(B, scaled, static_cast<int>(min(end - first, static_cast<Offset>(block_threads))), chunk, next);
    }
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
  return {selection.count, block_threads, static_cast<std::size_t>(columns) * (has_values<T> ? sizeof(T) + 1 : 1)};
}

}  // namespace

template <class T>
void count_rows_by_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, Index columns,
                          const RowSelection& selection, Span<Offset, Cuda> counts) {
  launch(ctx, for_rows_kernel<NoValue>, make_grid<NoValue>(selection, columns), pattern_ref(A), pattern_ref(B),
         selection, columns, counts.data(), nullptr, nullptr, nullptr);
}

template <class T>
void form_rows_by_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, Index columns,
                         const RowSelection& selection, CsrMatrix<T, Cuda>& C) {
  launch(ctx, for_rows_kernel<T>, make_grid<T>(selection, columns), ref_of(A), ref_of(B), selection, columns, nullptr,
         C.row_offsets.data(), C.col_indices.data(), C.values.data());
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                       \
  template void count_rows_by_blocks(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, Index, \
                                     const RowSelection&, Span<Offset, S>);                              \
  template void form_rows_by_blocks(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, Index,  \
                                    const RowSelection&, CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve::thin
