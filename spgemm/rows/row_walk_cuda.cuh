#pragma once

#include <cstdint>
#include <type_traits>

#include "core/thread_group_cuda.cuh"
#include "spgemm/rows/scaled_row_cuda.cuh"

namespace amgsolve {

/// Products by their columns.
struct ColumnKeys {
  static constexpr bool numbers_products = false;
  const Index* cols;

  template <class Position>
  __device__ Index operator()(Position entry, std::uint32_t /*product*/) const {
    return cols[entry];
  }
};

/// What a walk along all of a row does between two calls.
template <class Group>
struct WholeRow {
  __device__ bool operator()() const {
    Group::sync();
    return true;
  }
};

/// Calls add(is_active, key, product) for all products of the entries [begin, end) of A with B, in the order of A's
/// row; keys(entry of B, number of the product) says what each is added to. Every Group of threads has a row of A and
/// takes one row of B after the other, its entries side by side, whose columns differ. Threads without
/// a product call too, but are not active; warps of a block without any may leave calls out. Behind every call all
/// threads call goes_on(), which orders memory accesses and lets the group's row end where it says no. B has less
/// entries than a Position can count. Returns the products that this thread counted: their sum over all threads is that
/// of all products, of rows that were walked to their end.
template <class Group, class Position = std::uint32_t, class T, class Keys, class Add, class GoesOn = WholeRow<Group>>
__device__ Offset for_each_product(const CsrRef<T>& A, const CsrRef<T>& B, Offset begin, Offset end, const Keys& keys,
                                   const Add& add, const GoesOn& goes_on = {}) {
  using Row = ScaledRow<T, Position>;
  constexpr bool may_end = !std::is_same_v<GoesOn, WholeRow<Group>>;
  constexpr bool has_long_rows = Group::size >= warp_size;  // else groups are as wide as most rows of B
  const int rank = Group::rank();
  Offset products = 0;
  std::uint32_t numbered = 0;
  for (Offset first = begin; Group::any(first < end); first += Group::size) {
    const Row mine = load_scaled_row<Position>(A, B, first + rank, end);
    const typename Group::template Shared<Row> rows(mine);
    std::uint32_t first_product = 0;  // of this row of B within the row of C, where keys ask for it
    products += mine.length;
    if constexpr (Keys::numbers_products) {
      const std::uint32_t up_to_here = sum_up_to_lane<Group::size>(static_cast<std::uint32_t>(mine.length));
      first_product = numbered + up_to_here - mine.length;
      numbered += __shfl_sync(all_lanes, up_to_here, Group::size - 1, Group::size);
    }
    const int most = Group::most(static_cast<int>(min(end - first, static_cast<Offset>(Group::size))));
    using Key = decltype(keys(Position{}, 0));
    int next_length;
    Position next_entry;
    std::uint32_t next_product = 0;
    Key next_key{};
    T next_value{};
    const auto load = [&](int source) {
      next_length = rows.at(source, &Row::length);
      next_entry = rows.at(source, &Row::begin) + rank;
      if constexpr (Keys::numbers_products) {
        next_product = __shfl_sync(all_lanes, first_product, source, Group::size) + rank;
      }
      if (rank < next_length) {
        next_key = keys(next_entry, next_product);
        next_value = value_at(B, next_entry);
      }
    };
    int length;
    const auto step = [&](bool is_active, const Key& key, T product) {
      if (!Group::can_skip(is_active)) {
        add(is_active, key, product);
      }
      if (!goes_on()) {
        end = first;
        length = 0;
      }
    };
    load(0);
#pragma unroll 2
    for (int r = 0; r < most; ++r) {
      if (may_end && !Group::any(first < end)) {
        return products;
      }
      length = may_end && first >= end ? 0 : next_length;
      Position entry = next_entry;
      std::uint32_t number = next_product;
      const T scale = rows.at(r, &Row::scale);
      const Key key = next_key;
      const T value = next_value;
      Key rest_key{};
      T rest_value{};
      const auto load_rest = [&](int done) {
        entry += Group::size;
        number += Group::size;
        if (done + rank < length) {
          rest_key = keys(entry, number);
          rest_value = value_at(B, entry);
        }
      };
      // The entries of the next row of B are on their way while those of this one are added, and so are the rest of a
      // long one. Behind the last row there is the first one again.
      load(r + 1);
      if constexpr (has_long_rows) {
        load_rest(Group::size);
      }
      step(rank < length, key, scale * value);
      for (int done = Group::size; Group::any(done < length); done += Group::size) {
        const bool is_active = done + rank < length;
        if constexpr (has_long_rows) {
          const Key this_key = rest_key;
          const T product = is_active ? scale * rest_value : T{};
          load_rest(done + Group::size);
          step(is_active, this_key, product);
        } else {  // two registers less
          entry += Group::size;
          number += Group::size;
          step(is_active, is_active ? keys(entry, number) : Key{}, is_active ? scale * value_at(B, entry) : T{});
        }
      }
    }
  }
  return products;
}

}  // namespace amgsolve
