#include "amg/couplings_steps.hpp"
#include "core/search.hpp"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve {
namespace {

/// The lanes below mine in a ballot.
template <class Lanes>
__device__ unsigned below(const Lanes& lanes, unsigned ballot) {
  return static_cast<unsigned>(__popc(ballot & ((1U << lanes.thread_rank()) - 1U)));
}

/// The sum of the values of the lanes in a ballot, in the order of the entries that they have; the same in all of them.
template <class Lanes, class T>
__device__ T ordered_sum(const Lanes& lanes, unsigned ballot, T sum, T mine) {
  for (; ballot != 0; ballot &= ballot - 1) {
    sum += lanes.shfl(mine, __ffs(static_cast<int>(ballot)) - 1);
  }
  return sum;
}

}  // namespace

template <class T>
void measure_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const T, Cuda> diagonal,
                  Span<const T, Cuda> candidate, const CouplingTest<T>& test) {
  const T* d = diagonal.data();
  const T* b = candidate.data();
  parallel_for(ctx, A.rows, [=] __device__(std::int64_t i) { test.prepare(i, d[i], b[i]); });
  const Offset* row_offsets = A.row_offsets.data();
  const Index* col_indices = A.col_indices.data();
  const T* values = A.values.data();
  parallel_rows(ctx, A.rows, A.nnz(), [=] __device__(const auto& lanes, std::int64_t i) {
    T most_scaled = 0;
    T largest = 0;
    for (Offset k = row_offsets[i] + lanes.thread_rank(); k < row_offsets[i + 1]; k += lanes.num_threads()) {
      const Index j = col_indices[k];
      if (j != i) {
        most_scaled = max(most_scaled, test.scaled(i, j, values[k]));
        largest = max(largest, -test.pull(i, j, values[k]));
      }
    }
    most_scaled = join_lanes(lanes, most_scaled, cooperative_groups::greater<T>());
    largest = join_lanes(lanes, largest, cooperative_groups::greater<T>());
    if (lanes.thread_rank() == 0) {
      test.scales.root[i] = sqrt(most_scaled);
      test.scales.largest[i] = largest;
    }
  });
}

template <class T>
void count_couplings(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const T, Cuda> diagonal,
                     const CouplingTest<T>& test, const CouplingCounts& counts) {
  const T* d = diagonal.data();
  const Offset* row_offsets = A.row_offsets.data();
  const Index* col_indices = A.col_indices.data();
  const T* values = A.values.data();
  parallel_rows(ctx, A.rows, A.nnz(), [=] __device__(const auto& lanes, std::int64_t i) {
    const Offset end = row_offsets[i + 1];
    Offset strong = 0;
    Offset dropped = 0;
    T magnitude = 0;
    for (Offset chunk = row_offsets[i]; chunk < end; chunk += lanes.num_threads()) {
      const Offset k = chunk + lanes.thread_rank();
      const Index j = k < end ? col_indices[k] : static_cast<Index>(i);
      const T a = k < end ? values[k] : T{0};
      const bool is_strong = j != i && test.is_strong(i, j, a);
      const bool is_dropped = test.filter && j != i && !is_strong && !test.is_large(i, j, a);
      const unsigned all_dropped = lanes.ballot(is_dropped);
      strong += __popc(lanes.ballot(is_strong));
      dropped += __popc(all_dropped);
      if (all_dropped != 0) {
        magnitude = ordered_sum(lanes, all_dropped, magnitude, is_dropped ? fabs(test.pull(i, j, a)) : T{0});
      }
    }
    if (lanes.thread_rank() == 0) {
      counts.strong[i] = strong;
      counts.kept[i] = end - row_offsets[i] - dropped;
      counts.weight[i] = test.weight(d[i], magnitude);
    }
  });
}

template <class T>
void fill_couplings(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CouplingTest<T>& test,
                    Couplings<T, Cuda>& result) {
  const Offset* row_offsets = A.row_offsets.data();
  const Index* col_indices = A.col_indices.data();
  const T* values = A.values.data();
  const Offset* strong_offsets = result.strong.row_offsets.data();
  Index* neighbours = result.strong.col_indices.data();
  const bool filter = result.is_filtered();
  const Offset* filtered_offsets = result.filtered.row_offsets.data();
  Index* filtered_cols = result.filtered.col_indices.data();
  T* filtered_values = result.filtered.values.data();
  parallel_rows(ctx, A.rows, A.nnz(), [=] __device__(const auto& lanes, std::int64_t i) {
    const Offset end = row_offsets[i + 1];
    Offset next_strong = strong_offsets[i];
    Offset next_kept = filter ? filtered_offsets[i] : 0;
    Offset diagonal_place = -1;
    T diagonal = 0;
    T dropped = 0;
    for (Offset chunk = row_offsets[i]; chunk < end; chunk += lanes.num_threads()) {
      const Offset k = chunk + lanes.thread_rank();
      const bool has_entry = k < end;
      const Index j = has_entry ? col_indices[k] : static_cast<Index>(i);
      const T a = has_entry ? values[k] : T{0};
      const bool is_strong = j != i && test.is_strong(i, j, a);
      const unsigned all_strong = lanes.ballot(is_strong);
      if (is_strong) {
        neighbours[next_strong + below(lanes, all_strong)] = j;
      }
      next_strong += __popc(all_strong);
      if (!filter) {
        continue;
      }
      const bool is_kept = has_entry && (j == i || is_strong || test.is_large(i, j, a));
      const unsigned all_kept = lanes.ballot(is_kept);
      if (is_kept) {
        const Offset place = next_kept + below(lanes, all_kept);
        filtered_cols[place] = j;
        filtered_values[place] = a;
        diagonal_place = j == i ? place : diagonal_place;
        diagonal = j == i ? a : diagonal;
      }
      next_kept += __popc(all_kept);
      const unsigned all_dropped = lanes.ballot(has_entry && !is_kept);
      if (all_dropped != 0) {
        dropped = ordered_sum(lanes, all_dropped, dropped, has_entry && !is_kept ? test.pull(i, j, a) : T{0});
      }
    }
    if (diagonal_place >= 0) {
      filtered_values[diagonal_place] = test.lumped(diagonal, dropped);
    }
  });
}

template <class T>
void fill_filtered(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const T, Cuda> candidate,
                   CsrMatrix<T, Cuda>& filtered) {
  const Offset* row_offsets = A.row_offsets.data();
  const Index* col_indices = A.col_indices.data();
  const T* values = A.values.data();
  const T* B = candidate.data();
  const Offset* filtered_offsets = filtered.row_offsets.data();
  const Index* filtered_cols = filtered.col_indices.data();
  T* filtered_values = filtered.values.data();
  parallel_rows(ctx, A.rows, A.nnz(), [=] __device__(const auto& lanes, std::int64_t i) {
    const T inverse = CouplingTest<T>::inverse(B[i]);
    const Offset filtered_end = filtered_offsets[i + 1];
    const Offset end = row_offsets[i + 1];
    Offset diagonal_place = -1;
    T diagonal = 0;
    T dropped = 0;
    for (Offset chunk = row_offsets[i]; chunk < end; chunk += lanes.num_threads()) {
      const Offset k = chunk + lanes.thread_rank();
      const bool has_entry = k < end;
      const Index j = has_entry ? col_indices[k] : static_cast<Index>(i);
      const T a = has_entry ? values[k] : T{0};
      const Offset place = lower_bound(filtered_cols, filtered_offsets[i], filtered_end, j);
      const bool is_dropped = has_entry && (place == filtered_end || filtered_cols[place] != j);
      if (has_entry && !is_dropped) {
        filtered_values[place] = a;
        diagonal_place = j == i ? place : diagonal_place;
        diagonal = j == i ? a : diagonal;
      }
      if (const unsigned all_dropped = lanes.ballot(is_dropped); all_dropped != 0) {
        dropped = ordered_sum(lanes, all_dropped, dropped, is_dropped ? a * (B[j] * inverse) : T{0});
      }
    }
    if (diagonal_place >= 0) {
      filtered_values[diagonal_place] = CouplingTest<T>::lumped(diagonal, dropped);
    }
  });
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                   \
  template void measure_rows(Context<Cuda>&, const CsrMatrix<T, Cuda>&, Span<const T, Cuda>, Span<const T, Cuda>, \
                             const CouplingTest<T>&);                                                             \
  template void count_couplings(Context<Cuda>&, const CsrMatrix<T, Cuda>&, Span<const T, Cuda>,                   \
                                const CouplingTest<T>&, const CouplingCounts&);                                   \
  template void fill_couplings(Context<Cuda>&, const CsrMatrix<T, Cuda>&, const CouplingTest<T>&,                 \
                               Couplings<T, Cuda>&);                                                              \
  template void fill_filtered(Context<Cuda>&, const CsrMatrix<T, Cuda>&, Span<const T, Cuda>, CsrMatrix<T, Cuda>&);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
