#include "amg/couplings_rows.hpp"
#include "core/search.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve {
namespace {

/// Calls visit(k, has_entry, j, a) for the entries of row i, each lane with one of as many neighbours as there are
/// lanes; behind the row's end a lane has (i, 0).
template <class Lanes, class T, class Visit>
__device__ void for_each_chunk(const Lanes& lanes, const CsrRef<T>& A, std::int64_t i, const Visit& visit) {
  const Offset end = A.row_offsets[i + 1];
  for (Offset chunk = A.row_offsets[i]; chunk < end; chunk += lanes.num_threads()) {
    const Offset k = chunk + lanes.thread_rank();
    visit(k, k < end, k < end ? A.col_indices[k] : static_cast<Index>(i), k < end ? A.values[k] : T{0});
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
  parallel_rows(ctx, A.rows, A.nnz(), [=] __device__(const auto& lanes, std::int64_t i) {
    Offset strong = 0;
    Offset kept = matrix.row_offsets[i + 1] - matrix.row_offsets[i];
    DroppedSum<T> dropped;
    const auto row = test.row(i);
    for_each_chunk(lanes, matrix, i, [&](Offset k, bool has_entry, Index j, T a) {
      const RowScales<T> other = test.scales[j];
      const bool is_strong = test.is_strong(row, other, a);
      const bool is_kept = j == i || is_strong || test.is_large(row, other, a);
      if (has_entry) {
        verdicts.entries[k] =
            static_cast<std::uint8_t>((is_strong ? strong_coupling : 0) | (is_kept ? kept_coupling : 0));
      }
      strong += count_lanes(lanes.ballot(is_strong));
      kept -= dropped.add(lanes, !is_kept, [&] { return test.pull(row, other, a); });
    });
    if (lanes.thread_rank() == 0) {
      verdicts.strong[i] = strong;
      verdicts.kept[i] = kept;
      verdicts.dropped[i] = dropped.sum;
      verdicts.weight[i] = test.weight(i >= first && i < first + rows ? d[i - first] : T{0}, dropped.magnitude);
    }
  });
}

template <class T>
void fill_couplings(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CouplingVerdicts<T>& verdicts,
                    Couplings<T, Cuda>& result) {
  const CsrRef<T> matrix = ref_of(A);
  const Offset* strong_offsets = result.strong.row_offsets.data();
  Index* neighbours = result.strong.col_indices.data();
  const bool filter = result.is_filtered();
  const Offset* filtered_offsets = result.filtered.row_offsets.data();
  Index* filtered_cols = result.filtered.col_indices.data();
  T* filtered_values = result.filtered.values.data();
  parallel_rows(ctx, A.rows, A.nnz(), [=] __device__(const auto& lanes, std::int64_t i) {
    Offset next_strong = strong_offsets[i];
    Offset next_kept = filter ? filtered_offsets[i] : 0;
    for_each_chunk(lanes, matrix, i, [&](Offset k, bool has_entry, Index j, T a) {
      const std::uint8_t verdict = has_entry ? verdicts.entries[k] : std::uint8_t{0};
      const bool is_strong = (verdict & strong_coupling) != 0;
      const unsigned all_strong = lanes.ballot(is_strong);
      if (is_strong) {
        neighbours[next_strong + lanes_below(lanes, all_strong)] = j;
      }
      next_strong += count_lanes(all_strong);
      if (!filter) {
        return;
      }
      const bool is_kept = (verdict & kept_coupling) != 0;
      const unsigned all_kept = lanes.ballot(is_kept);
      if (is_kept) {
        const Offset place = next_kept + lanes_below(lanes, all_kept);
        filtered_cols[place] = j;
        filtered_values[place] = j == i ? CouplingTest<T>::lumped(a, verdicts.dropped[i]) : a;
      }
      next_kept += count_lanes(all_kept);
    });
  });
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
    for_each_chunk(lanes, matrix, i, [&](Offset, bool has_entry, Index j, T a) {
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
