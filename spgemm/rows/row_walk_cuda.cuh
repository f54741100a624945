#pragma once

#include <cstdint>

#include "core/lane_scan_cuda.cuh"
#include "spgemm/rows/scaled_row_cuda.cuh"

namespace amgsolve {

/// Products by their columns.
struct ColumnKeys {
  static constexpr bool numbers_products = false;
  const Index* cols;

  __device__ Index operator()(std::uint32_t entry, std::uint32_t /*product*/) const { return cols[entry]; }
};

/// Calls add(takes_part, key, product) for all products of the entries [begin, end) of A with a B of less than 2³²
/// entries, in the order of A's row; keys(entry of B, number of the product) says what each is added to. Groups of
/// `Lanes` neighbouring lanes have a row of A each and take one row of B after the other, its entries side by side,
/// whose columns differ. All lanes of the warp make every call together, since whatever one did alone the others would
/// wait for; those that have no product do not take part. Memory accesses are ordered between calls. Returns the
/// products that this lane counted: their sum over all lanes is that of all products.
template <int Lanes, class T, class Keys, class Add>
__device__ Offset for_each_product(const CsrRef<T>& A, const CsrRef<T>& B, Offset begin, Offset end, const Keys& keys,
                                   const Add& add) {
  const int rank = static_cast<int>(threadIdx.x) % Lanes;
  Offset products = 0;
  std::uint32_t numbered = 0;
  for (Offset first = begin; __any_sync(all_lanes, first < end); first += Lanes) {
    const ScaledRow<T, std::uint32_t> mine = load_scaled_row<std::uint32_t>(A, B, first + rank, end);
    std::uint32_t first_product = 0;  // of this row of B within the row of C, where keys ask for it
    products += mine.length;
    if constexpr (Keys::numbers_products) {
      const std::uint32_t up_to_here = sum_up_to_lane<Lanes>(static_cast<std::uint32_t>(mine.length));
      first_product = numbered + up_to_here - mine.length;
      numbered += __shfl_sync(all_lanes, up_to_here, Lanes - 1, Lanes);
    }
    const int most = __reduce_max_sync(all_lanes, static_cast<int>(min(end - first, static_cast<Offset>(Lanes))));
    using Key = decltype(keys(0, 0));
    int next_length;
    std::uint32_t next_entry;
    std::uint32_t next_product = 0;
    Key next_key{};
    T next_value = 0;
    const auto load = [&](int source) {
      next_length = __shfl_sync(all_lanes, mine.length, source, Lanes);
      next_entry = __shfl_sync(all_lanes, mine.begin, source, Lanes) + rank;
      if constexpr (Keys::numbers_products) {
        next_product = __shfl_sync(all_lanes, first_product, source, Lanes) + rank;
      }
      if (rank < next_length) {
        next_key = keys(next_entry, next_product);
        next_value = B.values[next_entry];
      }
    };
    load(0);
#pragma unroll 2
    for (int r = 0; r < most; ++r) {
      const int length = next_length;
      std::uint32_t entry = next_entry;
      std::uint32_t number = next_product;
      const T scale = __shfl_sync(all_lanes, mine.scale, r, Lanes);
      const Key key = next_key;
      const T value = next_value;
      // The entries of the next row of B are on their way while those of this one are added. Behind the last row there
      // is the first one again.
      load(r + 1);
      add(rank < length, key, scale * value);
      __syncwarp();
      for (int done = Lanes; __any_sync(all_lanes, done < length); done += Lanes) {
        entry += Lanes;
        number += Lanes;
        const bool takes_part = done + rank < length;
        add(takes_part, takes_part ? keys(entry, number) : Key{}, takes_part ? scale * B.values[entry] : T{0});
        __syncwarp();
      }
    }
  }
  return products;
}

}  // namespace amgsolve
