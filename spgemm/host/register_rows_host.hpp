#pragma once

#if defined(__AVX512F__)

#include <immintrin.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/types.hpp"
#include "core/vectors_host.hpp"

namespace amgsolve {

/// Up to 16 products of a row of C, or of each of two rows up to 8, in a register of 512 bits, a lane a product: sorted
/// by column, summed, and written, without a branch or an address that depends on columns. Half the instructions of a
/// vector lane a row, since one brings all products in the order of columns, and one puts the entries together.
/// @tparam Rows  1 or 2
template <int Rows>
class RegisterRows {
 public:
  static constexpr int lanes = 16;
  static constexpr int most_products = lanes / Rows;

  /// Writes the rows one after the other and returns their entries; `lanes` entries from the first on are overwritten.
  /// @param keys       columns of the products times 2^PositionBits; behind the last product of a row no_col times that
  /// @param products   their values; both `stride` from a row to the next
  /// @param most_late  the most products of a column, but for the first
  /// @param lengths    receive the entries of each row
  template <int PositionBits>
  static Offset write(const Index* keys, const float* products, std::ptrdiff_t stride, Offset most_late, Index no_col,
                      Offset* lengths, Index* cols, float* values) {
    const Cols sorted = sort(load(keys, stride) | positions);
    const Cols col = sorted >> PositionBits;
    const std::uint32_t same = _mm512_mask_cmpeq_epi32_mask(has_before, bits(col), bits(before(col)));
    // By the lowest four bits, which are positions.
    Values sums = values_of(_mm512_maskz_permutexvar_ps(all, bits(sorted), bits(load(products, stride))));
    std::uint32_t late = same & ~(same << 1);  // the second products of columns, then the third ones, ...
#pragma GCC unroll 1
    for (Offset k = 0; k < most_late; ++k) {
      sums = values_of(_mm512_mask_add_ps(bits(sums), static_cast<__mmask16>(late), bits(sums), bits(before(sums))));
      late = same & (late << 1);
    }
    const auto last = static_cast<__mmask16>(~(same >> 1));
    const __mmask16 entries = _mm512_mask_cmpneq_epi32_mask(last, bits(col), bits(Cols{} + no_col));
    _mm512_storeu_si512(cols, _mm512_maskz_compress_epi32(entries, bits(col)));
    _mm512_storeu_ps(values, _mm512_maskz_compress_ps(entries, bits(sums)));
    for (int row = 0; row < Rows; ++row) {
      lengths[row] = std::popcount((std::uint32_t{entries} >> (row * most_products)) & ((1U << most_products) - 1));
    }
    return std::popcount(std::uint32_t{entries});
  }

 private:
  using Cols = Vector<Index, lanes>;
  using Values = Vector<float, lanes>;

  static constexpr Cols positions = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  static constexpr __mmask16 all = 0xFFFF;
  /// The lanes that are not the first of a row.
  static constexpr __mmask16 has_before = Rows == 1 ? 0xFFFE : 0xFEFE;

  // g++ 12 warns of values without a meaning in its instructions without a mask, so that vectors go where they can.
  static __m512i bits(Cols x) { return reinterpret_cast<__m512i>(x); }
  static __m512 bits(Values x) { return reinterpret_cast<__m512>(x); }
  static Values values_of(__m512 x) { return reinterpret_cast<Values>(x); }

  template <class T>
  static Vector<T, lanes> load(const T* rows, std::ptrdiff_t stride) {
    if constexpr (Rows == 1) {
      return load_lanes<lanes>(rows);
    } else {
      return __builtin_shufflevector(load_lanes<8>(rows), load_lanes<8>(rows + stride), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                                     10, 11, 12, 13, 14, 15);
    }
  }

  template <class V>
  static V before(V x) {
    return __builtin_shufflevector(x, x, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
  }

  /// The lanes of a row in ascending order: pairs, runs of four, and so on, each merged from two halves, of which the
  /// second is read backwards (Batcher's bitonic sorter).
  static Cols sort(Cols keys) {
    keys = exchange<1>(keys);
    keys = exchange<1>(exchange<3>(keys));
    keys = exchange<1>(exchange<2>(exchange<7>(keys)));
    return Rows == 2 ? keys : exchange<1>(exchange<2>(exchange<4>(exchange<15>(keys))));
  }

  /// Lanes i and i xor Partner in ascending order.
  template <int Partner>
  static Cols exchange(Cols keys) {
    return [keys]<int... I>(std::integer_sequence<int, I...>) {
      const Cols others = __builtin_shufflevector(keys, keys, (I ^ Partner)...);
      const Cols lower = keys < others ? keys : others;
      const Cols higher = keys < others ? others : keys;
      return __builtin_shufflevector(lower, higher, (I < (I ^ Partner) ? I : lanes + I)...);
    }
    (std::make_integer_sequence<int, lanes>());
  }
};

}  // namespace amgsolve

#endif
