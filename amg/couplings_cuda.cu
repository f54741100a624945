#include <algorithm>

#include "amg/couplings_rows.hpp"
#include "amg/couplings_tuning_cuda.hpp"
#include "core/search.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve {
namespace {

/// The entries of row i that a lane has on their way at a time: from `first` on every one of as many as there are
/// lanes. Behind the row's end they are (i, 0).
template <class T, int Count>
struct EntryBatch {
  Index columns[Count];
  T values[Count];
  bool are_there[Count];

  __device__ EntryBatch(const CsrRef<T>& A, std::int64_t i, Offset first, Offset end, int lanes) {
#pragma unroll
    for (int e = 0; e < Count; ++e) {
      const Offset k = first + e * lanes;
      are_there[e] = k < end;
      columns[e] = k < end ? A.col_indices[k] : static_cast<Index>(i);
      values[e] = k < end ? A.values[k] : T{0};
    }
  }
};

/// Calls visit(k, batch) for the entries of row i, of each lane those at k, k + lanes, …, until all lanes are through.
template <int Count, class Lanes, class T, class Visit>
__device__ void for_each_batch(const Lanes& lanes, const CsrRef<T>& A, std::int64_t i, const Visit& visit) {
  constexpr int width = Lanes::num_threads();
  const Offset end = A.row_offsets[i + 1];
  for (Offset first = A.row_offsets[i]; first < end; first += Count * width) {
    const Offset k = first + lanes.thread_rank();
    visit(k, EntryBatch<T, Count>(A, i, k, end, width));
  }
}

/// Sums over what a row drops, in the order of its entries.
template <class T>
struct DroppedSum {
  T sum = 0;  ///< so far, in all lanes
  T magnitude = 0;

  /// Adds the lanes' terms where they drop an entry; returns in how many.
  template <class Lanes, class Term>
  __device__ int add(const Lanes& lanes, bool is_dropped, const Term& term) {
    const unsigned all_dropped = lanes.ballot(is_dropped);
    if (all_dropped != 0) {
      const T mine = is_dropped ? term() : T{0};
      for (unsigned left = all_dropped; left != 0; left &= left - 1) {
        const T next = lanes.shfl(mine, first_lane(left));
        sum += next;
        magnitude += fabs(next);
      }
    }
    return count_lanes(all_dropped);
  }
};

/// The diagonal of a row of A_F, in the lane that meets it.
template <class T>
struct RowDiagonal {
  Offset place = -1;
  T value = 0;

  __device__ void meet(bool is_mine, Offset k, T a) {
    place = is_mine ? k : place;
    value = is_mine ? a : value;
  }
  __device__ void lump(T dropped, T* values) const {
    if (place >= 0) {
      values[place] = CouplingTest<T>::lumped(value, dropped);
    }
  }
};

/// The graph, and A_F or null; the offsets are those of rows.
template <class T>
struct KeptCouplings {
  const Offset* strong_offsets;
  Index* neighbours;
  const Offset* filtered_offsets;
  Index* filtered_columns;
  T* filtered_values;
};

/// A place behind `next` for each lane of a warp that has something; these follow one another. Moves `next`.
__device__ Offset next_place(bool has_one, Offset& next) {
  const unsigned all = __ballot_sync(all_lanes, has_one);
  const Offset place = next + __popc(all & ((1U << lane_of_warp()) - 1U));
  next += __popc(all);
  return place;
}

/// What is kept of rows that follow one another follows one another, too: a warp passes through their entries side by
/// side, and needs no row but the first.
template <class T, bool Filters>
__global__ void fill_couplings_kernel(CsrRef<T> A, Index rows, std::int64_t rows_of_warp, CouplingVerdicts<T> verdicts,
                                      KeptCouplings<T> result) {
  const std::int64_t first = thread_index() / warp_size * rows_of_warp;
  if (first >= rows) {
    return;  // the whole warp
  }
  const Offset end = A.row_offsets[min(first + rows_of_warp, static_cast<std::int64_t>(rows))];
  Offset next_strong = result.strong_offsets[first];
  Offset next_kept = Filters ? result.filtered_offsets[first] : 0;
  for (Offset batch = A.row_offsets[first]; batch < end; batch += couplings_at_once * warp_size) {
    std::uint8_t found[couplings_at_once];
    Index columns[couplings_at_once];
    T values[couplings_at_once];
#pragma unroll
    for (int e = 0; e < couplings_at_once; ++e) {
      const Offset k = batch + e * warp_size + lane_of_warp();
      found[e] = k < end ? verdicts.entries[k] : std::uint8_t{0};
      columns[e] = k < end ? A.col_indices[k] : 0;
      values[e] = Filters && k < end ? A.values[k] : T{0};
    }
#pragma unroll
    for (int e = 0; e < couplings_at_once; ++e) {
      const bool is_strong = (found[e] & strong_coupling) != 0;
      if (const Offset place = next_place(is_strong, next_strong); is_strong) {
        result.neighbours[place] = columns[e];
      }
      if (!Filters) {
        continue;
      }
      const bool is_kept = (found[e] & kept_coupling) != 0;
      if (const Offset place = next_place(is_kept, next_kept); is_kept) {
        const bool is_diagonal = (found[e] & diagonal_coupling) != 0;
        result.filtered_columns[place] = columns[e];
        result.filtered_values[place] =
            is_diagonal ? CouplingTest<T>::lumped(values[e], verdicts.dropped[columns[e]]) : values[e];
      }
    }
  }
}

}  // namespace

template <class T>
void measure_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CouplingTest<T>& test) {
  const Offset* row_offsets = A.row_offsets.data();
  const Index* col_indices = A.col_indices.data();
  const T* values = A.values.data();
  parallel_rows(ctx, A.rows, A.nnz(), [=] __device__(const auto& lanes, std::int64_t i) {
    T most_scaled = 0;
    T largest = 0;
    const auto row = test.row(i);
    for (Offset k = row_offsets[i] + lanes.thread_rank(); k < row_offsets[i + 1]; k += lanes.num_threads()) {
      const Index j = col_indices[k];
      if (j != i) {
        const RowScales<T> other = test.scales[j];
        most_scaled = max(most_scaled, test.scaled(row, other, values[k]));
        largest = max(largest, -test.pull(row, other, values[k]));
      }
    }
    most_scaled = join_lanes(lanes, most_scaled, cooperative_groups::greater<T>());
    largest = join_lanes(lanes, largest, cooperative_groups::greater<T>());
    if (lanes.thread_rank() == 0) {
      test.scales[i].root = sqrt(most_scaled);
      test.scales[i].largest = largest;
    }
  });
}

template <class T>
void judge_couplings(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const T, Cuda> diagonal, Index first,
                     const CouplingTest<T>& test, const CouplingVerdicts<T>& verdicts) {
  const T* d = diagonal.data();
  const auto rows = static_cast<std::int64_t>(diagonal.size());
  const CsrRef<T> matrix = ref_of(A);
  parallel_rows(
      ctx, A.rows, A.nnz(),
      [=] __device__<class Lanes>(const Lanes& lanes, std::int64_t i) {
        constexpr int width = Lanes::num_threads();
        constexpr int at_once = judged_at_once<width>;
        Offset strong = 0;
        Offset kept = matrix.row_offsets[i + 1] - matrix.row_offsets[i];
        DroppedSum<T> dropped;
        const auto row = test.row(i);
        for_each_batch<at_once>(lanes, matrix, i, [&](Offset k, const EntryBatch<T, at_once>& batch) {
          std::uint8_t found[at_once];
#pragma unroll
          for (int e = 0; e < at_once; ++e) {
            const Index j = batch.columns[e];
            const T a = batch.values[e];
            const RowScales<T> other = test.scales[j];
            const bool is_strong = test.is_strong(row, other, a);
            const bool is_kept = j == i || is_strong || test.is_large(row, other, a);
            found[e] = static_cast<std::uint8_t>((is_strong ? strong_coupling : 0) | (is_kept ? kept_coupling : 0) |
                                                 (j == i ? diagonal_coupling : 0));
            strong += count_lanes(lanes.ballot(is_strong));
            kept -= dropped.add(lanes, !is_kept, [&] { return test.pull(row, other, a); });
          }
#pragma unroll
          for (int e = 0; e < at_once; ++e) {  // together, so that those of a sector of memory meet in the cache
            if (batch.are_there[e]) {
              verdicts.entries[k + e * width] = found[e];
            }
          }
        });
        if (lanes.thread_rank() == 0) {
          verdicts.strong[i] = strong;
          verdicts.kept[i] = kept;
          verdicts.dropped[i] = dropped.sum;
          verdicts.weight[i] = test.weight(i >= first && i < first + rows ? d[i - first] : T{0}, dropped.magnitude);
        }
      },
      true);
}

template <class T>
void fill_couplings(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CouplingVerdicts<T>& verdicts,
                    Couplings<T, Cuda>& result) {
  const std::int64_t rows_of_warp = std::clamp<std::int64_t>(
      couplings_of_warp * A.rows / std::max<std::int64_t>(A.nnz(), 1), 1, most_coupling_rows_of_warp);
  const std::int64_t warps = (A.rows + rows_of_warp - 1) / rows_of_warp;
  const auto run = [&](auto kernel) {
    launch(ctx, kernel, Grid::of_lanes(warps, warp_size), ref_of(A), A.rows, rows_of_warp, verdicts,
           KeptCouplings<T>{result.strong.row_offsets.data(), result.strong.col_indices.data(),
                            result.filtered.row_offsets.data(), result.filtered.col_indices.data(),
                            result.filtered.values.data()});
  };
  result.is_filtered() ? run(fill_couplings_kernel<T, true>) : run(fill_couplings_kernel<T, false>);
}

template <class T>
void fill_filtered(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const T, Cuda> candidate,
                   CsrMatrix<T, Cuda>& filtered) {
  const CsrRef<T> matrix = ref_of(A);
  const T* B = candidate.data();
  const Offset* filtered_offsets = ref_of(filtered).row_offsets;
  const Index* filtered_cols = ref_of(filtered).col_indices;
  T* filtered_values = filtered.values.data();
  parallel_rows(ctx, A.rows, A.nnz(), [=] __device__(const auto& lanes, std::int64_t i) {
    const T inverse = CouplingTest<T>::inverse(B[i]);
    const Offset filtered_end = filtered_offsets[i + 1];
    RowDiagonal<T> diagonal;
    DroppedSum<T> dropped;
    for_each_batch<1>(lanes, matrix, i, [&](Offset, const EntryBatch<T, 1>& entry) {
      const bool has_entry = entry.are_there[0];
      const Index j = entry.columns[0];
      const T a = entry.values[0];
      const Offset place = find_sorted(filtered_cols, filtered_offsets[i], filtered_end, j);
      const bool is_dropped = has_entry && place < 0;
      if (has_entry && !is_dropped) {
        filtered_values[place] = a;
        diagonal.meet(j == i, place, a);
      }
      dropped.add(lanes, is_dropped, [&] { return a * (B[j] * inverse); });
    });
    diagonal.lump(dropped.sum, filtered_values);
  });
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_COUPLING_STEPS, Cuda)

}  // namespace amgsolve
