#include <cstdint>

#include "core/instantiate.hpp"
#include "core/parallel_cuda.cuh"
#include "spgemm/dense/dense_chunk_cuda.cuh"
#include "spgemm/dense/dense_rows_cuda.hpp"
#include "spgemm/dense/tuning.hpp"
#include "spgemm/rows/lanes_of_rows_cuda.cuh"
#include "spgemm/rows/row_walk_cuda.cuh"

namespace amgsolve::thin {
namespace {

constexpr int warps_apart = threads_of_warps / warp_size;

/// The shared memory of a block: the sums of all warps, then their marks.
struct Layout {
  Index columns;

  template <class T>
  std::size_t bytes() const {
    return static_cast<std::size_t>(columns) * warps_apart * (has_values<T> ? sizeof(T) + 1 : 1);
  }
  template <class T>
  __device__ Chunk<T> chunk(unsigned char* shared) const {
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    T* const sums = reinterpret_cast<T*>(shared);
    std::uint8_t* const marks = has_values<T> ? reinterpret_cast<std::uint8_t*>(sums + warps_apart * columns) : shared;
    return {0, static_cast<std::uint32_t>(columns), sums + warp * columns, marks + warp * columns};
  }
};

/// Adds the first `rows` lanes' rows of B, of at most `lanes` entries, to the chunk: several at a time, each by that
/// many lanes, so that the reads of all of them are under way together. Lanes with the same column take turns; those of
/// the earlier row come first. Returns, lane by lane, the first column seen behind the chunk, or `next`.
template <class T>
__device__ std::uint32_t add_together(const CsrRef<T>& B, const ScaledRow<T>& mine, int rows, int lanes,
                                      const Chunk<T>& chunk, std::uint32_t next) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int rank = lane & (lanes - 1);
  const LaneGroup<warp_size>::Shared<ScaledRow<T>> scaled(mine);
  for (int first = 0; first < rows; first += warp_size / lanes) {
    const int source = first + lane / lanes;
    const Offset k = scaled.at(source, &ScaledRow<T>::begin) + rank;
    bool has_work = rank < scaled.at(source, &ScaledRow<T>::length);
    const T scale = scaled.at(source, &ScaledRow<T>::scale);
    std::uint32_t col = 0x80000000U + static_cast<std::uint32_t>(lane);  // no column, and no other lane's
    T product{};
    if (has_work) {
      const auto found = static_cast<std::uint32_t>(B.col_indices[k]);
      next = chunk.is_before(found) ? min(next, found) : next;
      has_work = chunk.has(found);
      if (has_work) {
        col = found;
        product = scale * value_at(B, k);
      }
    }
    if constexpr (has_values<T>) {
      const int turn = __popc(__match_any_sync(all_lanes, col) & ((1U << lane) - 1));
      for (int t = 0; __any_sync(all_lanes, has_work && turn >= t); ++t) {
        if (has_work && turn == t) {
          chunk.add(col, product);
        }
        __syncwarp();
      }
    } else {
      if (has_work) {
        chunk.add(col, product);
      }
      __syncwarp();
    }
  }
  return next;
}

/// Passes over a row of A, chunk by chunk; returns its entries. Writes them where there are values. All marks are clear
/// before and after.
template <class T>
__device__ Index for_row(const CsrRef<T>& A, const CsrRef<T>& B, Index row, Chunk<T> chunk, Index* col_indices,
                         T* values) {
  constexpr std::uint32_t none = 0xffffffffU;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const Offset begin = A.row_offsets[row];
  const Offset end = A.row_offsets[row + 1];
  Index entries = 0;
  for (;;) {
    std::uint32_t next = none;
    for (Offset first = begin; first < end; first += warp_size) {
      const auto rows = static_cast<int>(min(end - first, static_cast<Offset>(warp_size)));
      const ScaledRow<T> scaled = load_scaled_row(A, B, first + lane, end);
      const int lanes = lanes_for(sum_lanes(scaled.length), rows, warp_size);
      if (__any_sync(all_lanes, scaled.length > lanes)) {
        for_each_product<LaneGroup<warp_size>, Offset>(A, B, first, first + rows, ColumnKeys{B.col_indices},
                                                       [&](bool is_active, Index col, T product) {
                                                         if (is_active) {
                                                           next = chunk.add_or_pass(col, product, next);
                                                         }
                                                       });
      } else {
        next = add_together(B, scaled, rows, lanes, chunk, next);
      }
    }
    __syncwarp();
    entries = chunk.take(0, chunk.columns, entries, col_indices, values);
    __syncwarp();
#pragma unroll
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
      next = min(next, __shfl_xor_sync(all_lanes, next, distance));
    }
    if (next == none) {
      return entries;
    }
    chunk.first = next;
  }
}

/// A warp a row: `counts` receives the entries of NoValue's pass; the others write theirs from `row_offsets` on.
template <class T>
__global__ void __launch_bounds__(threads_of_warps)
    rows_by_warps_kernel(CsrRef<T> A, CsrRef<T> B, RowSelection selection, Layout layout, Offset* counts,
                         const Offset* row_offsets, Index* col_indices, T* values) {
  extern __shared__ __align__(16) unsigned char shared[];
  const std::int64_t i = thread_index() / warp_size;
  if (i >= selection.count) {
    return;
  }
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const Chunk<T> chunk = layout.template chunk<T>(shared);
  for (std::uint32_t c = lane; c < chunk.columns; c += warp_size) {
    chunk.marks[c] = 0;
  }
  __syncwarp();
  const Index row = selection.rows == nullptr ? static_cast<Index>(i) : selection.rows[i];
  if constexpr (has_values<T>) {
    for_row(A, B, row, chunk, col_indices + row_offsets[row], values + row_offsets[row]);
  } else {
    const Index entries = for_row(A, B, row, chunk, col_indices, values);
    if (lane == 0) {
      counts[row] = entries;
    }
  }
}

template <class T>
Grid make_grid(const RowSelection& selection, const Layout& layout) {
  Grid grid = Grid::of_lanes(selection.count, warp_size, threads_of_warps);
  grid.shared_bytes = layout.bytes<T>();
  return grid;
}

}  // namespace

template <class T>
void count_rows_by_warps(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, Index columns,
                         const RowSelection& selection, Span<Offset, Cuda> counts) {
  const Layout layout{columns};
  launch(ctx, rows_by_warps_kernel<NoValue>, make_grid<NoValue>(selection, layout), pattern_ref(A), pattern_ref(B),
         selection, layout, counts.data(), nullptr, nullptr, nullptr);
}

template <class T>
void form_rows_by_warps(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, Index columns,
                        const RowSelection& selection, CsrMatrix<T, Cuda>& C) {
  const Layout layout{columns};
  launch(ctx, rows_by_warps_kernel<T>, make_grid<T>(selection, layout), ref_of(A), ref_of(B), selection, layout,
         nullptr, C.row_offsets.data(), C.col_indices.data(), C.values.data());
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                      \
  template void count_rows_by_warps(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, Index, \
                                    const RowSelection&, Span<Offset, S>);                              \
  template void form_rows_by_warps(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, Index,  \
                                   const RowSelection&, CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve::thin
