#include <algorithm>
#include <limits>

#include "core/errors.hpp"
#include "core/reduce_cuda.cuh"
#include "spgemm/lane_groups_cuda.hpp"
#include "spgemm/lane_products_cuda.cuh"
#include "spgemm/plan_steps.hpp"
#include "spgemm/tuning.hpp"

namespace amgsolve {
namespace {

constexpr int block_threads = 128;

/// The last of ascending columns that is not above `col`. `first_step`: a power of two of at least half of their
/// number.
__device__ int position(const Index* cols, int length, int first_step, Index col) {
  int place = 0;
  for (int step = first_step; step > 0; step /= 2) {
    if (place + step < length && cols[place + step] <= col) {
      place += step;
    }
  }
  return place;
}

/// `Lanes` lanes a row: they look for each product's place among the columns of C's row, which they keep on chip with
/// its sums where it has at most `slots` entries.
template <class T, int Lanes>
__global__ void __launch_bounds__(block_threads)
    sum_products_kernel(Index rows, CsrRef<T> A, CsrRef<T> B, int slots, const Offset* c_offsets, const Index* c_cols,
                        T* c_values) {
  extern __shared__ __align__(16) unsigned char shared[];
  constexpr int groups = block_threads / Lanes;
  const int group = static_cast<int>(threadIdx.x) / Lanes;
  const int rank = static_cast<int>(threadIdx.x) % Lanes;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * groups + group;
  const bool is_row = row < rows;
  const Offset begin = is_row ? c_offsets[row] : 0;
  const int length = is_row ? static_cast<int>(c_offsets[row + 1] - begin) : 0;
  const bool on_chip = length <= slots;
  const Index* cols = c_cols + begin;
  T* sums = c_values + begin;
  if (on_chip) {
    sums = reinterpret_cast<T*>(shared) + group * slots;
    Index* const kept = reinterpret_cast<Index*>(shared + groups * slots * sizeof(T)) + group * slots;
    for (int i = rank; i < length; i += Lanes) {
      kept[i] = cols[i];
    }
    cols = kept;
  }
  for (int i = rank; i < length; i += Lanes) {
    sums[i] = 0;
  }
  __syncwarp();
  const int longest = __reduce_max_sync(all_lanes, length);
  const int first_step = longest > 1 ? 1 << (31 - __clz(longest - 1)) : 0;
  for_each_product<Lanes>(A, B, is_row ? A.row_offsets[row] : 0, is_row ? A.row_offsets[row + 1] : 0,
                          [&](bool takes_part, Index col, T product) {
                            if (takes_part) {
                              sums[position(cols, length, first_step, col)] += product;
                            }
                          });
  if (on_chip) {
    for (int i = rank; i < length; i += Lanes) {
      c_values[begin + i] = sums[i];
    }
  }
}

template <class T, int Lanes>
void launch_sums(Context<Cuda>& ctx, const PlanSchedule<Cuda>& schedule, const CsrMatrix<T, Cuda>& A,
                 const CsrMatrix<T, Cuda>& B, CsrMatrix<T, Cuda>& C) {
  constexpr int groups = block_threads / Lanes;
  constexpr int most_slots = tuning::pass_block_bytes / (groups * (sizeof(T) + sizeof(Index)));
  // An even number, for the alignment of what follows.
  const int slots = std::min((schedule.longest_row + 1) / 2 * 2, most_slots / 2 * 2);
  const Grid grid{(std::int64_t{A.rows} + groups - 1) / groups, block_threads,
                  groups * slots * (sizeof(T) + sizeof(Index))};
  launch(ctx, sum_products_kernel<T, Lanes>, grid, A.rows, csr_ref(A), csr_ref(B), slots, C.row_offsets.data(),
         C.col_indices.data(), C.values.data());
}

}  // namespace

template <class T>
PlanSchedule<Cuda> plan_schedule(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                 Span<const Offset, Cuda> C_offsets) {
  if (B.nnz() > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError("planned product A B: B has 2^32 entries or more");
  }
  PlanSchedule<Cuda> schedule;
  schedule.products = transform_reduce(
      ctx, A.nnz(), Offset{0},
      [cols = A.col_indices.data(), offsets = B.row_offsets.data()] __device__(std::int64_t k) {
        return offsets[cols[k] + 1] - offsets[cols[k]];
      },
      [] __device__(Offset a, Offset b) { return a + b; });
  schedule.longest_row = transform_reduce(
      ctx, A.rows, Index{0},
      [offsets = C_offsets.data()] __device__(std::int64_t i) {
        return static_cast<Index>(offsets[i + 1] - offsets[i]);
      },
      [] __device__(Index a, Index b) { return a < b ? b : a; });
  schedule.lanes = lanes_for_rows(B);
  return schedule;
}

template <class T>
void sum_products(Context<Cuda>& ctx, const PlanSchedule<Cuda>& schedule, const CsrMatrix<T, Cuda>& A,
                  const CsrMatrix<T, Cuda>& B, CsrMatrix<T, Cuda>& C) {
  switch (schedule.lanes) {
    case 4:
      return launch_sums<T, 4>(ctx, schedule, A, B, C);
    case 8:
      return launch_sums<T, 8>(ctx, schedule, A, B, C);
    case 16:
      return launch_sums<T, 16>(ctx, schedule, A, B, C);
    default:
      return launch_sums<T, 32>(ctx, schedule, A, B, C);
  }
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                   \
  template PlanSchedule<Cuda> plan_schedule(Context<Cuda>&, const CsrMatrix<T, Cuda>&, const CsrMatrix<T, Cuda>&, \
                                            Span<const Offset, Cuda>);                                            \
  template void sum_products(Context<Cuda>&, const PlanSchedule<Cuda>&, const CsrMatrix<T, Cuda>&,                \
                             const CsrMatrix<T, Cuda>&, CsrMatrix<T, Cuda>&);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
