#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "spgemm/host/register_rows_host.hpp"
#include "spgemm/rows/product_list_host.hpp"

namespace amgsolve {

/// Which elements of an array of up to 32 to compare and exchange, one pair after another, so that it is sorted
/// whatever is in it: Batcher's merge exchange (Knuth, vol. 3, 5.2.2, algorithm M).
struct SortingNetwork {
  struct Exchange {
    std::uint8_t low;
    std::uint8_t high;
  };

  static constexpr std::size_t most_elements = 32;

  std::array<Exchange, 191> exchanges{};
  std::size_t size = 0;

  constexpr explicit SortingNetwork(std::size_t elements = 0) {
    const std::size_t top = std::bit_ceil(elements) / 2;
    for (std::size_t p = top; p > 0; p /= 2) {
      std::size_t remainder = 0;
      std::size_t distance = p;
      for (std::size_t q = top; q >= p; q /= 2) {
        for (std::size_t i = 0; i + distance < elements; ++i) {
          if ((i & p) == remainder) {
            exchanges[size++] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i + distance)};
          }
        }
        distance = q - p;
        remainder = p;
      }
    }
  }
};

/// The networks for 0, 1, … elements.
inline constexpr auto sorting_networks = [] {
  std::array<SortingNetwork, SortingNetwork::most_elements + 1> networks;
  for (std::size_t elements = 0; elements < networks.size(); ++elements) {
    networks[elements] = SortingNetwork(elements);
  }
  return networks;
}();

/// Forms up to 8 rows of C = A B at a time that sum few products each: lists the products, sorts them by column with a
/// network, a vector lane a row, and sums those of a column in the order of A's row. No branch and no address of a load
/// depends on columns: to look a column up waits for the product before, which may have been the first of the same
/// column, and takes twice as long for a dozen products that make four entries. One a thread; 10 kB in double.
/// @tparam Factors  see ProductList
template <class T, class Factors>
class alignas(128) ShortRows {
 public:
  static constexpr Index most_rows = 8;
#if defined(__x86_64__) && !defined(__SSE4_1__)
  // Without instructions for the minimum of 32-bit integers longer networks cost more than looking columns up.
  static constexpr Offset most_products = SortingNetwork::most_elements / 2;
#else
  static constexpr Offset most_products = SortingNetwork::most_elements;
#endif
  /// Columns share 31 bits with the positions of products, which bounds the columns of B.
  static constexpr int position_bits = 5;
  static constexpr Index most_cols = std::numeric_limits<Index>::max() >> position_bits;

  /// Entries behind the last one of a row that may be overwritten.
  static constexpr Offset slack = 16;

  explicit ShortRows(const Factors& factors) : factors_(factors) {}

  /// Writes `rows` rows of C from row `begin` on, one after the other, each sorted by column. Returns their entries.
  /// @param most     products of a row, and up to most_products
  /// @param lengths  receive the entries of each row
  Offset write(Index begin, Index rows, Offset most, Offset* lengths, Index* cols, T* values) {
    list(begin, rows);
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<T, float>) {
      if (rows == most_rows && most <= RegisterRows<1>::most_products) {
        return most <= RegisterRows<2>::most_products ? write_registers<2>(lengths, cols, values)
                                                      : write_registers<1>(lengths, cols, values);
      }
    }
#endif
    load(rows, most);
    sort(most);
    sum(rows, most);
    return store(rows, most, lengths, cols, values);
  }

 private:
  using Bits = std::conditional_t<sizeof(T) == sizeof(std::int64_t), std::int64_t, std::int32_t>;

  static_assert(SortingNetwork::most_elements == 1U << position_bits);
  static constexpr Index no_col = most_cols << position_bits;
  // Room for the pieces in which rows of B are copied, or for as many columns past a row's as a longer row has.
  static constexpr Index stride = 2 * most_products + Factors::piece;

  // Steps are functions of their own, so that each finds registers enough.

  [[gnu::noinline]] void list(Index begin, Index rows) {
    const Factors factors = factors_;
    Offset most_entries = 1;
    for (Index row = 0; row < rows; ++row) {
      Index* const row_cols = list_cols_.data() + row * stride;
      Index* cols = row_cols;
      T* values = list_values_.data() + row * stride;
      const Offset first = factors.begin(begin + row);
      const Offset end = factors.end(begin + row);
      most_entries = std::max(most_entries, end - first);
      for (Offset k = first; k < end; ++k) {
        const Offset listed = factors.template list<position_bits>(k, cols, values);
        cols += listed;
        values += listed;
      }
      std::fill_n(cols, most_products, no_col);
      listed_[static_cast<std::size_t>(row)] = cols - row_cols;
    }
    most_entries_ = most_entries;
  }

#if defined(__AVX512F__)
  template <int Rows>
  [[gnu::noinline]] Offset write_registers(Offset* lengths, Index* cols, float* values) {
    using Registers = RegisterRows<Rows>;
    static_assert(Registers::lanes <= slack);
    const Offset most_late = std::min(most_entries_, Offset{Registers::most_products}) - 1;
    Offset entries = 0;
    for (Index row = 0; row < most_rows; row += Rows) {
      entries += Registers::template write<position_bits>(list_cols_.data() + row * stride,
                                                          list_values_.data() + row * stride, stride, most_late,
                                                          most_cols, lengths + row, cols + entries, values + entries);
    }
    return entries;
  }
#endif

  /// The keys of a row's products, which are a column and the position in the row's list.
  [[gnu::noinline]] void load(Index rows, Offset most) {
    for (Index row = 0; row < rows; ++row) {
      const Index* const cols = list_cols_.data() + row * stride;
      Index* const keys = keys_.data() + row;
      for (Offset k = 0; k < most; ++k) {
        keys[most_rows * k] = cols[k] | static_cast<Index>(k);
      }
    }
    // The end of every row's last column.
    std::fill_n(keys_.data() + most_rows * most, most_rows, -1);
  }

  [[gnu::noinline]] void sort(Offset most) {
    const SortingNetwork& network = sorting_networks[static_cast<std::size_t>(most)];
    for (std::size_t k = 0; k < network.size; ++k) {
      Index* const low = keys_.data() + most_rows * network.exchanges[k].low;
      Index* const high = keys_.data() + most_rows * network.exchanges[k].high;
#pragma omp simd
      for (Index row = 0; row < most_rows; ++row) {
        const Index a = low[row];
        const Index b = high[row];
        low[row] = a < b ? a : b;
        high[row] = a < b ? b : a;
      }
    }
  }

  /// Sums the products from the first of each column to every later one.
  [[gnu::noinline]] void sum(Index rows, Offset most) {
    for (Index row = 0; row < rows; ++row) {
      const Index* const keys = keys_.data() + row;
      const T* const products = list_values_.data() + row * stride;
      T* const sums = sums_.data() + row;
      for (Offset k = 0; k < most; ++k) {
        sums[most_rows * k] = products[keys[most_rows * k] & (most_products - 1)];
      }
    }
    for (Offset k = 1; k < most; ++k) {
      const Index* const keys = keys_.data() + most_rows * k;
      const Index* const keys_before = keys - most_rows;
      T* const sums = sums_.data() + most_rows * k;
      const T* const sums_before = sums - most_rows;
#pragma omp simd
      for (Index row = 0; row < most_rows; ++row) {
        const bool same = keys[row] >> position_bits == keys_before[row] >> position_bits;
        const Bits keep = -static_cast<Bits>(same);
        // Else −0, which leaves the bits of whatever is added to it.
        sums[row] +=
            std::bit_cast<T>((std::bit_cast<Bits>(sums_before[row]) & keep) | (std::bit_cast<Bits>(-T{0}) & ~keep));
      }
    }
  }

  /// Stores the last sum of each column.
  [[gnu::noinline]] Offset store(Index rows, Offset most, Offset* lengths, Index* cols, T* values) {
    Offset entries = 0;
    for (Index row = 0; row < rows; ++row) {
      const Index* const keys = keys_.data() + row;
      const T* const sums = sums_.data() + row;
      Offset next = entries;
      Index col = keys[0] >> position_bits;
      for (Offset k = 0; k < most; ++k) {
        cols[next] = col;
        values[next] = sums[most_rows * k];
        const Index following = keys[most_rows * (k + 1)] >> position_bits;
        next += col != following;
        col = following;
      }
      next -= listed_[static_cast<std::size_t>(row)] < most;  // what comes after the row's products
      lengths[row] = next - entries;
      entries = next;
    }
    return entries;
  }

  Factors factors_;
  Offset most_entries_ = 1;                              ///< of the rows of A
  std::array<Offset, std::size_t{most_rows}> listed_{};  ///< products of each row
  std::array<Index, std::size_t{stride * most_rows}> list_cols_{};
  std::array<T, std::size_t{stride * most_rows}> list_values_{};
  alignas(64) std::array<Index, (most_products + 1) * most_rows> keys_{};
  alignas(64) std::array<T, most_products * most_rows> sums_{};
};

}  // namespace amgsolve
