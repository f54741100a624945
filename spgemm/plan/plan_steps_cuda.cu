#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/algorithms.hpp"
#include "core/instantiate.hpp"
#include "core/reduce_cuda.cuh"
#include "spgemm/plan/plan_steps.hpp"
#include "spgemm/plan/tuning.hpp"
#include "spgemm/rows/lanes_for_row_cuda.hpp"
#include "spgemm/rows/row_products.hpp"
#include "spgemm/rows/row_walk_cuda.cuh"
#include "spmv/index_bits.hpp"

namespace amgsolve {
namespace {

/// The last of ascending columns that is not above `col`. `first_step`: a power of two of at least half of their
/// number.
__device__ int find_position(const Index* cols, int length, int first_step, Index col) {
  int position = 0;
  for (int step = first_step; step > 0; step /= 2) {
    if (position + step < length && cols[position + step] <= col) {
      position += step;
    }
  }
  return position;
}

/// PackedPositions as kernels take them.
struct PositionsRef {
  const Offset* row_words;
  const std::uint32_t* words;
  int bits;
  std::uint32_t positions_per_word;
  std::uint32_t
      reciprocal;  ///< ⌊2³² / positions_per_word⌋ + 1; for one position a word that does not fit, nor is it needed

  /// The word that has the position of a row's product, and the bit it begins at. Exact below 2²⁷ products (Granlund,
  /// Montgomery 1994).
  struct WordBit {
    std::uint32_t word;
    std::uint32_t bit;
  };
  __device__ WordBit locate(std::uint32_t product) const {
    const std::uint32_t word = positions_per_word == 1 ? product : __umulhi(product, reciprocal);
    return {word, (product - word * positions_per_word) * bits};
  }
};

constexpr Offset most_row_products = Offset{1} << 27;

PositionsRef positions_ref(const PackedPositions& positions) {
  const auto positions_per_word = static_cast<std::uint32_t>(positions.bits == 0 ? 1 : 32 / positions.bits);
  return {positions.row_words.data(), positions.words.data(), positions.bits, positions_per_word,
          static_cast<std::uint32_t>((Offset{1} << 32) / positions_per_word + 1)};
}

/// Products of a row by the positions that are kept.
struct PositionKeys {
  static constexpr bool numbers_products = true;
  PositionsRef positions;
  const std::uint32_t* words;  ///< of the row

  __device__ int operator()(std::uint32_t /*entry*/, std::uint32_t product) const {
    const auto [word, bit] = positions.locate(product);
    return static_cast<int>(words[word] >> bit & ((1U << positions.bits) - 1));
  }
};

/// Products by their columns and their numbers.
struct NumberedColumn {
  Index col;
  std::uint32_t product;
};
struct NumberedColumnKeys {
  static constexpr bool numbers_products = true;
  const Index* cols;

  __device__ NumberedColumn operator()(std::uint32_t entry, std::uint32_t product) const {
    return {cols[entry], product};
  }
};

/// What a pass over a planned product does: look for the positions of the products and keep them, look for them and add
/// up the products there, or add up the products at the positions that are kept.
enum class Task { find, find_and_sum, sum };

/// What it writes: the words of positions, or the values of C.
template <class T, Task task>
using Result = std::conditional_t<task == Task::find, std::uint32_t, T>;

/// A group of lanes, or a block, a row. What they look for products in, the columns of C's row, and what they add to,
/// its sums, are on chip where the row has at most `slots` entries.
template <class T, class Group, Task task, class Position>
__global__ void __launch_bounds__(plan::block_threads)
    planned_rows_kernel(Index rows, CsrRef<T> A, CsrRef<T> B, int slots, PositionsRef positions,
                        const Offset* c_offsets, const Index* c_cols, Result<T, task>* result) {
  constexpr bool finds = task != Task::sum;
  constexpr bool sums_up = task != Task::find;
  extern __shared__ __align__(16) unsigned char shared[];
  constexpr int groups = plan::block_threads / Group::size;
  const int group = Group::index_in_block();
  const int rank = Group::rank();
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * groups + group;
  const bool is_row = row < rows;
  const Offset begin = is_row ? c_offsets[row] : 0;
  const int length = is_row ? static_cast<int>(c_offsets[row + 1] - begin) : 0;
  const Offset a_begin = is_row ? A.row_offsets[row] : 0;
  const Offset a_end = is_row ? A.row_offsets[row + 1] : 0;
  const bool on_chip = length <= slots;
  T* const shared_sums = reinterpret_cast<T*>(shared);
  T* sums = shared_sums + group * slots;
  if constexpr (sums_up) {
    sums = on_chip ? sums : result + begin;
    for (int i = rank; i < length; i += Group::size) {
      sums[i] = 0;
    }
  }
  const Index* cols = c_cols + begin;
  if (finds && on_chip) {
    Index* const kept = reinterpret_cast<Index*>(shared_sums + (sums_up ? groups * slots : 0)) + group * slots;
    for (int i = rank; i < length; i += Group::size) {
      kept[i] = cols[i];
    }
    cols = kept;
  }
  Group::sync();
  int first_step = 0;
  if constexpr (finds) {
    const int longest = Group::most(length);
    first_step = longest > 1 ? 1 << (31 - __clz(longest - 1)) : 0;
  }
  if constexpr (task == Task::find) {
    std::uint32_t* const words = result + (is_row ? positions.row_words[row] : 0);
    for_each_product<Group>(A, B, a_begin, a_end, NumberedColumnKeys{B.col_indices},
                            [&](bool is_active, const NumberedColumn& key, T) {
                              if (is_active) {
                                const auto [word, bit] = positions.locate(key.product);
                                const int position = find_position(cols, length, first_step, key.col);
                                atomicOr(words + word, static_cast<std::uint32_t>(position) << bit);
                              }
                            });
  } else if constexpr (task == Task::find_and_sum) {
    for_each_product<Group, Position>(A, B, a_begin, a_end, ColumnKeys{B.col_indices},
                                      [&](bool is_active, Index col, T product) {
                                        if (is_active) {
                                          sums[find_position(cols, length, first_step, col)] += product;
                                        }
                                      });
  } else {
    const std::uint32_t* const words = positions.words + (is_row ? positions.row_words[row] : 0);
    for_each_product<Group>(A, B, a_begin, a_end, PositionKeys{positions, words},
                            [&](bool is_active, int position, T product) {
                              if (is_active) {
                                sums[position] += product;
                              }
                            });
  }
  if constexpr (sums_up) {
    for (int i = rank; on_chip && i < length; i += Group::size) {
      result[begin + i] = sums[i];
    }
  }
}

/// Whether 32 bits count the entries of B, as they do where positions of products are kept.
template <class T>
bool has_narrow_numbers(const CsrMatrix<T, Cuda>& B) {
  return B.nnz() <= std::numeric_limits<std::uint32_t>::max();
}

template <Task task, class T>
void work_on_rows(Context<Cuda>& ctx, const PlanSchedule<Cuda>& schedule, const CsrMatrix<T, Cuda>& A,
                  const CsrMatrix<T, Cuda>& B, const CsrMatrix<T, Cuda>& C, Result<T, task>* result) {
  const auto work_with = [&]<class Group>(Group) {
    constexpr int groups = plan::block_threads / Group::size;
    constexpr std::size_t slot_bytes = (task == Task::find ? 0 : sizeof(T)) + (task == Task::sum ? 0 : sizeof(Index));
    constexpr int most_slots = plan::most_block_bytes / (groups * slot_bytes);
    // An odd number, so that groups at the same position of their rows use different banks.
    const int slots = std::min(schedule.longest_row | 1, (most_slots - 1) | 1);
    const Grid grid{(std::int64_t{A.rows} + groups - 1) / groups, plan::block_threads, groups * slots * slot_bytes};
    const auto launch_by = [&](auto* kernel) {
      launch(ctx, kernel, grid, A.rows, ref_of(A), ref_of(B), slots, positions_ref(schedule.positions),
             C.row_offsets.data(), C.col_indices.data(), result);
    };
    if constexpr (task == Task::find_and_sum) {
      if (!has_narrow_numbers(B)) {
        return launch_by(planned_rows_kernel<T, Group, task, Offset>);
      }
    }
    launch_by(planned_rows_kernel<T, Group, task, std::uint32_t>);
  };
  if constexpr (task == Task::find_and_sum) {
    if (schedule.lanes > warp_size) {
      return work_with(BlockGroup<plan::block_threads>());
    }
  }
  with_lanes<task == Task::sum ? 1 : 4, warp_size>(schedule.lanes, work_with);
}

/// Leaves the schedule without positions where these would not fit, or B has too many entries.
template <class T>
void find_positions(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                    const CsrMatrix<T, Cuda>& C, PlanSchedule<Cuda>& schedule) {
  PackedPositions positions;
  positions.bits = std::max(bits_below(schedule.longest_row), 1);
  const auto rows = static_cast<std::size_t>(C.rows);
  const std::size_t C_bytes = C.row_offsets.bytes() + C.col_indices.bytes() + C.col_indices.size() * sizeof(T);
  const std::size_t most_bytes = (A.bytes() + B.bytes() + C_bytes) / plan::matrices_per_positions;
  const auto bytes_at_least = (rows + 1) * sizeof(Offset) + static_cast<std::size_t>(schedule.products) *
                                                                static_cast<std::size_t>(positions.bits) / 8;
  if (schedule.products == 0 || bytes_at_least > most_bytes || !has_narrow_numbers(B)) {
    return;
  }
  positions.row_words = Buffer<Offset, Cuda>(ctx, rows + 1);
  Offset* const counts = positions.row_words.data() + 1;
  count_row_products(ctx, A, B, positions.row_words.span().subspan(1, rows));
  const Offset most_products = transform_reduce(
      ctx, C.rows, Offset{0}, [=] __device__(std::int64_t i) { return counts[i]; },
      [] __device__(Offset a, Offset b) { return a < b ? b : a; });
  const Offset per_word = 32 / positions.bits;
  parallel_for(ctx, C.rows, [=] __device__(std::int64_t i) { counts[i] = (counts[i] + per_word - 1) / per_word; });
  const auto words = static_cast<std::size_t>(counts_to_offsets(ctx, positions.row_words.span()));
  if (most_products >= most_row_products || positions.row_words.bytes() + words * sizeof(std::uint32_t) > most_bytes) {
    return;
  }
  positions.words = Buffer<std::uint32_t, Cuda>(ctx, words);
  set_zero(ctx, positions.words.span());
  schedule.positions = std::move(positions);
  work_on_rows<Task::find>(ctx, schedule, A, B, C, schedule.positions.words.data());
  schedule.lanes = lanes_for_planned_rows(B);
}

}  // namespace

template <class T>
PlanSchedule<Cuda> plan_schedule(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                 const CsrMatrix<T, Cuda>& C) {
  PlanSchedule<Cuda> schedule;
  schedule.products = transform_reduce(
      ctx, A.nnz(), Offset{0},
      [cols = A.col_indices.data(), offsets = B.row_offsets.data()] __device__(std::int64_t k) {
        return offsets[cols[k] + 1] - offsets[cols[k]];
      },
      [] __device__(Offset a, Offset b) { return a + b; });
  schedule.longest_row = transform_reduce(
      ctx, A.rows, Index{0},
      [offsets = C.row_offsets.data()] __device__(std::int64_t i) {
        return static_cast<Index>(offsets[i + 1] - offsets[i]);
      },
      [] __device__(Index a, Index b) { return a < b ? b : a; });
  if (schedule.products > plan::long_row_products * A.rows) {
    schedule.lanes = plan::block_threads;
  } else {
    schedule.lanes = lanes_for_rows(B);
    find_positions(ctx, A, B, C, schedule);
  }
  return schedule;
}

template <class T>
void sum_products(Context<Cuda>& ctx, const PlanSchedule<Cuda>& schedule, const CsrMatrix<T, Cuda>& A,
                  const CsrMatrix<T, Cuda>& B, CsrMatrix<T, Cuda>& C) {
  const auto work = schedule.reads_columns() ? work_on_rows<Task::find_and_sum, T> : work_on_rows<Task::sum, T>;
  work(ctx, schedule, A, B, C, C.values.data());
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                \
  template PlanSchedule<S> plan_schedule(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&,             \
                                         const CsrMatrix<T, S>&);                                                 \
  template void sum_products(Context<S>&, const PlanSchedule<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, \
                             CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
