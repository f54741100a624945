#pragma once

#include "core/parallel_cuda.cuh"
#include "spgemm/csr_ref_cuda.hpp"

namespace amgsolve {

inline constexpr unsigned all_lanes = 0xffffffffU;

/// A row of B, and the entry of A that scales it.
template <class T>
struct ScaledRow {
  std::uint32_t begin = 0;
  int length = 0;
  T scale = 0;
};

/// The row that an entry of A names; an empty one past the end.
template <class T>
__device__ ScaledRow<T> load_row(const CsrRef<T>& A, const CsrRef<T>& B, Offset entry, Offset end) {
  if (entry >= end) {
    return {};
  }
  const Index row = A.col_indices[entry];
  const Offset begin = B.row_offsets[row];
  return {static_cast<std::uint32_t>(begin), static_cast<int>(B.row_offsets[row + 1] - begin), A.values[entry]};
}

/// Calls add(takes_part, column, product) for all products of the entries [begin, end) of A with a B of less than 2³²
/// entries. Groups of `Lanes` neighbouring lanes have a row of A each and take one row of B after the other, its
/// entries side by side, whose columns differ. All lanes of the warp make every call together, since whatever one did
/// alone the others would wait for; those that have no product do not take part. Memory accesses are ordered between
/// calls. Returns the products that this lane counted: their sum over all lanes is that of all products.
template <int Lanes, class T, class Add>
__device__ Offset for_each_product(const CsrRef<T>& A, const CsrRef<T>& B, Offset begin, Offset end, const Add& add) {
  const int rank = static_cast<int>(threadIdx.x) % Lanes;
  Offset products = 0;
  for (Offset first = begin; __any_sync(all_lanes, first < end); first += Lanes) {
    const ScaledRow<T> mine = load_row(A, B, first + rank, end);
    products += mine.length;
    const int most = __reduce_max_sync(all_lanes, static_cast<int>(min(end - first, static_cast<Offset>(Lanes))));
    int next_length = __shfl_sync(all_lanes, mine.length, 0, Lanes);
    std::uint32_t next_entry = __shfl_sync(all_lanes, mine.begin, 0, Lanes) + rank;
    Index next_col = 0;
    T next_value = 0;
    if (rank < next_length) {
      next_col = B.col_indices[next_entry];
      next_value = B.values[next_entry];
    }
#pragma unroll 2
    for (int r = 0; r < most; ++r) {
      const int length = next_length;
      std::uint32_t entry = next_entry;
      const T scale = __shfl_sync(all_lanes, mine.scale, r, Lanes);
      const Index col = next_col;
      const T value = next_value;
      // The entries of the next row of B are on their way while those of this one are added. Behind the last row there
      // is the first one again.
      next_length = __shfl_sync(all_lanes, mine.length, r + 1, Lanes);
      next_entry = __shfl_sync(all_lanes, mine.begin, r + 1, Lanes) + rank;
      if (rank < next_length) {
        next_col = B.col_indices[next_entry];
        next_value = B.values[next_entry];
      }
      add(rank < length, col, scale * value);
      __syncwarp();
      for (int done = Lanes; __any_sync(all_lanes, done < length); done += Lanes) {
        entry += Lanes;
        const bool takes_part = done + rank < length;
        add(takes_part, takes_part ? B.col_indices[entry] : 0, takes_part ? scale * B.values[entry] : T{0});
        __syncwarp();
      }
    }
  }
  return products;
}

}  // namespace amgsolve
