#include <limits>

#include "spgemm/merge/row_merge_rows_cuda.hpp"
#include "spgemm/merge/tuning.hpp"
#include "spmv/one_pass_tile_cuda.cuh"

namespace amgsolve {
namespace {

constexpr Index no_column = std::numeric_limits<Index>::max();

/// if (condition) { x = *address; }, without a branch: where lanes seldom agree, branches around loads make each wait
/// for the others'. The memory may not change while the kernel runs.
__device__ void load_if(bool condition, Index& x, const Index* address) {
  asm("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc.s32 %0, [%1]; }"
      : "+r"(x)
      : "l"(address), "r"(static_cast<int>(condition)));
}
__device__ void load_if(bool condition, float& x, const float* address) {
  asm("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc.f32 %0, [%1]; }"
      : "+f"(x)
      : "l"(address), "r"(static_cast<int>(condition)));
}
__device__ void load_if(bool condition, double& x, const double* address) {
  asm("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc.f64 %0, [%1]; }"
      : "+d"(x)
      : "l"(address), "r"(static_cast<int>(condition)));
}

/// The rows of B that the entries of a row of A name, each at its lowest entry not yet merged. All in registers: their
/// number decides how many rows are merged at a time. The column behind the current one is loaded ahead, so that a
/// step seldom waits for memory.
template <class T, int Sources>
struct MergeSources {
  Index col[Sources];
  Index next_col[Sources];
  T value[Sources];
  T scale[Sources];
  std::uint32_t position[Sources];  ///< of the current entry
  std::uint32_t last[Sources];

  /// Returns the number of products.
  __device__ Offset start(const CsrRef<T>& A, const CsrRef<T>& B, Offset begin, int length) {
    Offset products = 0;
#pragma unroll
    for (int s = 0; s < Sources; ++s) {
      const Index row = s < length ? A.col_indices[begin + s] : 0;
      scale[s] = s < length ? A.values[begin + s] : T{0};
      position[s] = s < length ? static_cast<std::uint32_t>(B.row_offsets[row]) : 1;
      last[s] = s < length ? static_cast<std::uint32_t>(B.row_offsets[row + 1]) - 1 : 0;
      products += last[s] + 1 - position[s];
    }
#pragma unroll
    for (int s = 0; s < Sources; ++s) {
      const bool some = position[s] != last[s] + 1;
      col[s] = some ? B.col_indices[position[s]] : no_column;
      value[s] = some ? B.values[position[s]] : T{0};
      next_col[s] = some && position[s] != last[s] ? B.col_indices[position[s] + 1] : no_column;
    }
    return products;
  }

  __device__ Index lowest() const {
    Index low = col[0];
#pragma unroll
    for (int s = 1; s < Sources; ++s) {
      low = min(low, col[s]);
    }
    return low;
  }

  /// The sum of the products in column `low`, in the order of A's row; moves on behind it.
  __device__ T take(const CsrRef<T>& B, Index low) {
    T sum = 0;
#pragma unroll
    for (int s = 0; s < Sources; ++s) {
      const bool is_taken = col[s] == low;
      const T product = scale[s] * value[s];
      sum = is_taken ? sum + product : sum;
      col[s] = is_taken ? next_col[s] : col[s];
      next_col[s] = is_taken ? no_column : next_col[s];
      const bool has_more = is_taken && position[s] != last[s];
      position[s] += has_more ? 1 : 0;
      load_if(has_more && position[s] != last[s], next_col[s], B.col_indices + position[s] + 1);
      load_if(has_more, value[s], B.values + position[s]);
    }
    return sum;
  }
};

/// Entries of a block's rows in shared memory: those of a row a stride apart, so that threads at the same entry of
/// their rows, and groups of writing_lanes that read a row each, use different banks.
template <class T>
struct Staging {
  static constexpr int col_stride = merge::tile + 4;
  static constexpr int value_stride = merge::tile + (sizeof(T) == 8 ? 2 : 4);

  T* values;
  Index* cols;

  static std::size_t bytes(int staged) {
    return static_cast<std::size_t>(staged) * (value_stride * sizeof(T) + col_stride * sizeof(Index));
  }
  __device__ Staging(unsigned char* shared, int staged)
      : values(reinterpret_cast<T*>(shared)), cols(reinterpret_cast<Index*>(values + staged * value_stride)) {}

  __device__ Index& col(int row, int entry) const { return cols[entry * col_stride + row]; }
  __device__ T& value(int row, int entry) const { return values[entry * value_stride + row]; }
};

/// A thread a row. Neighbouring rows of A name neighbouring rows of B, which the cache serves.
template <class T, int Sources, int Blocks>
__global__ void __launch_bounds__(merge::tile, Blocks)
    merge_rows_kernel(Index rows, CsrRef<T> A, CsrRef<T> B, int staged, OnePassTarget<T> target) {
  extern __shared__ __align__(16) unsigned char shared[];
  const Staging<T> staging(shared, staged);
  static_assert(warp_size * merge::most_products <= 1 << 16);
  __shared__ Tile<T, merge::tile> block;
  const std::int64_t tile = block.start(target);
  const int local = static_cast<int>(threadIdx.x);
  const std::int64_t row = tile * merge::tile + local;

  const Offset a_begin = row < rows ? A.row_offsets[row] : 0;
  const int a_length = row < rows ? static_cast<int>(A.row_offsets[row + 1] - a_begin) : 0;
  MergeSources<T, Sources> sources;
  const Offset products = sources.start(A, B, a_begin, a_length);
  Index count = 0;
  for (Index low = sources.lowest(); low != no_column; low = sources.lowest()) {
    const T sum = sources.take(B, low);
    if (count < staged) {
      staging.col(local, count) = low;
      staging.value(local, count) = sum;
    }
    ++count;
  }

  block.announce(target, tile, count);
  const TilePlace place = block.place(target, tile, (tile + 1) * merge::tile >= rows, count, products, false);
  const Offset begin = place.begin;
  if (row < rows) {
    target.row_offsets[row + 1] = begin + count;
  }
  if (!place.fits) {
    return;
  }

  // A few lanes a row write what was staged of the warp's 32 rows. These have at most most_products entries each.
  constexpr int lanes = merge::writing_lanes;
  const int lane = local % warp_size;
  const Offset warp_begin = __shfl_sync(all_lanes, begin, 0);
  const auto begin_and_count = static_cast<std::uint32_t>(begin - warp_begin) << 16 | static_cast<std::uint32_t>(count);
  Index* const col_indices = target.col_indices + warp_begin;
  T* const values = target.values + warp_begin;
  for (int r = 0; r < warp_size; r += warp_size / lanes) {
    const int source = r + lane / lanes;
    const std::uint32_t of_source = __shfl_sync(all_lanes, begin_and_count, source);
    const int source_begin = static_cast<int>(of_source >> 16);
    const int source_count = static_cast<int>(of_source & 0xffffU);
    if (source_count <= staged) {
      for (int entry = lane % lanes; entry < source_count; entry += lanes) {
        col_indices[source_begin + entry] = staging.col(local - lane + source, entry);
        values[source_begin + entry] = staging.value(local - lane + source, entry);
      }
    }
  }
  if (count > staged) {
    sources.start(A, B, a_begin, a_length);
    for (Index entry = 0; entry < count; ++entry) {
      const Index low = sources.lowest();
      target.col_indices[begin + entry] = low;
      target.values[begin + entry] = sources.take(B, low);
    }
  }
}

}  // namespace

template <class T>
void merge_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, Index longest_row,
                int staged, const OnePassTarget<T>& target) {
  const Grid grid{(std::int64_t{A.rows} + merge::tile - 1) / merge::tile, merge::tile, Staging<T>::bytes(staged)};
  auto* kernel = merge_rows_kernel<T, merge::width, merge::blocks_of_eight_rows>;
  if (longest_row <= 5) {
    kernel = merge_rows_kernel<T, 5, merge::blocks_of_five_rows>;
  } else if (staged > merge::long_row_of_C) {
    kernel = merge_rows_kernel<T, merge::width, merge::blocks_of_long_rows>;
  }
  launch(ctx, kernel, grid, A.rows, ref_of(A), ref_of(B), staged, target);
}

template void merge_rows(Context<Cuda>&, const CsrMatrix<float, Cuda>&, const CsrMatrix<float, Cuda>&, Index, int,
                         const OnePassTarget<float>&);
template void merge_rows(Context<Cuda>&, const CsrMatrix<double, Cuda>&, const CsrMatrix<double, Cuda>&, Index, int,
                         const OnePassTarget<double>&);

}  // namespace amgsolve
