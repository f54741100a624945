#pragma once

#include <cmath>

#include "amg/right_division.hpp"
#include "core/host_device.hpp"
#include "spmv/csr_ref.hpp"

namespace amgsolve {

/// What is left of a node's rows of P is multiplied by a matrix of row sums of this at most, or scaled by it. Rows that
/// lose more than half of their sum are those of soft nodes between many stiff ones, whose interpolation matters least
/// and makes the coarse matrix densest.
inline constexpr double most_scaling = 4.0;

/// truncate_prolongator() for b candidates, a node and its b rows at a time, which are the work of a thread: survey()
/// of all nodes, then fill().
template <class T>
struct BlockTruncation {
  CsrRef<T> P;
  const T* candidates;  ///< B_c, P.cols × b
  Index b;              ///< at most small_block
  T tolerance;          ///< τ
  T* least;             ///< P.rows: of row c of a node, what candidate c must have of a block that stays for it
  T* change;            ///< P.rows × b: X_I − 1

  /// Returns how many blocks of the node stay.
  AMGSOLVE_HOST_DEVICE Offset survey(std::int64_t node) const {
    T largest[small_block] = {};
    walk(node, [&](Index, const T*, const T* part) {
      for (Index c = 0; c < b; ++c) {
        largest[c] = std::fmax(largest[c], size(part, c));
      }
    });
    for (Index c = 0; c < b; ++c) {
      least[node * b + c] = tolerance * largest[c];
    }
    Sums sums;
    walk(node, [&](Index, const T*, const T* part) { sums.add(part, keeps(node, part), b); });
    if (restore(sums, change + node * b * b)) {
      return sums.blocks_kept;
    }
    for (Index c = 0; c < b; ++c) {
      least[node * b + c] = stays_whole;
    }
    return sums.blocks;
  }

  /// Writes the node's rows of the result, whose row offsets are known.
  AMGSOLVE_HOST_DEVICE void fill(std::int64_t node, const Offset* offsets, Index* cols, T* values) const {
    Offset next = 0;
    walk(node, [&](Index J, const T* block, const T* part) {
      if (keeps(node, part)) {
        for (Index r = 0; r < b; ++r) {
          for (Index c = 0; c < b; ++c) {
            cols[offsets[node * b + r] + next + c] = J * b + c;
          }
        }
        write(node, block, offsets, next, values);
        next += b;
      }
    });
  }

  /// Writes the values of a result that has its pattern.
  AMGSOLVE_HOST_DEVICE void refill(std::int64_t node, const CsrRef<T>& kept, T* values) const {
    const Offset begin = kept.row_offsets[node * b];
    const Offset length = kept.row_offsets[node * b + 1] - begin;
    Offset next = 0;
    const auto stays = [&](Index J) { return next < length && kept.col_indices[begin + next] == J * b; };
    Sums sums;
    walk(node, [&](Index J, const T*, const T* part) {
      const bool is_kept = stays(J);
      sums.add(part, is_kept, b);
      next += is_kept ? b : 0;
    });
    restore(sums, change + node * b * b);
    next = 0;
    walk(node, [&](Index J, const T* block, const T*) {
      if (stays(J)) {
        write(node, block, kept.row_offsets, next, values);
        next += b;
      }
    });
  }

 private:
  static constexpr Index most_entries = small_block * small_block;
  static constexpr T stays_whole = -1;

  /// (P B_c)_I, of all blocks and of those that stay.
  struct Sums {
    T whole[most_entries] = {};
    T kept[most_entries] = {};
    Offset blocks = 0;
    Offset blocks_kept = 0;

    AMGSOLVE_HOST_DEVICE void add(const T* part, bool is_kept, Index b) {
      for (Index e = 0; e < b * b; ++e) {
        whole[e] += part[e];
        kept[e] += is_kept ? part[e] : T{0};
      }
      ++blocks;
      blocks_kept += is_kept ? 1 : 0;
    }
  };

  /// Calls visit(J, P_IJ, P_IJ B_J) for the blocks of the node's rows in order, both b × b.
  template <class Visit>
  AMGSOLVE_HOST_DEVICE void walk(std::int64_t node, const Visit& visit) const {
    const std::int64_t first = node * b;
    Offset next[small_block];
    for (Index r = 0; r < b; ++r) {
      next[r] = P.row_offsets[first + r];
    }
    while (true) {
      Index J = max_index;
      for (Index r = 0; r < b; ++r) {
        const bool is_through = next[r] == P.row_offsets[first + r + 1];
        const Index own = is_through ? max_index : P.col_indices[next[r]] / b;
        J = own < J ? own : J;
      }
      if (J == max_index) {
        return;
      }
      T block[most_entries] = {};
      T part[most_entries] = {};
      for (Index r = 0; r < b; ++r) {
        for (; next[r] < P.row_offsets[first + r + 1] && P.col_indices[next[r]] / b == J; ++next[r]) {
          const Index j = P.col_indices[next[r]];
          const T value = P.values[next[r]];
          block[r * b + j % b] = value;
          for (Index c = 0; c < b; ++c) {
            part[r * b + c] += value * candidates[std::int64_t{j} * b + c];
          }
        }
      }
      visit(J, block, part);
    }
  }

  /// Σ_r |part_rc|.
  AMGSOLVE_HOST_DEVICE T size(const T* part, Index c) const {
    T sum = 0;
    for (Index r = 0; r < b; ++r) {
      sum += std::fabs(part[r * b + c]);
    }
    return sum;
  }

  /// Whether a block stays: for any of the candidates.
  AMGSOLVE_HOST_DEVICE bool keeps(std::int64_t node, const T* part) const {
    for (Index c = 0; c < b; ++c) {
      const T needed = least[node * b + c];
      const T own = size(part, c);
      if (needed == stays_whole || (own > T{0} && own >= needed)) {
        return true;
      }
    }
    return false;
  }

  /// The units of a node's unknowns, as far as `whole` tells: of a row the power of two that its entries reach in those
  /// of their columns' largest, since a displacement in millimetres leaves little of the angle beside it.
  AMGSOLVE_HOST_DEVICE void find_units(const T* whole, T* units) const {
    T largest[small_block] = {};  // of the columns
    for (Index e = 0; e < b * b; ++e) {
      largest[e % b] = std::fmax(largest[e % b], std::fabs(whole[e]));
    }
    for (Index r = 0; r < b; ++r) {
      T part = 0;
      for (Index c = 0; c < b; ++c) {
        part = std::fmax(part, largest[c] > T{0} ? std::fabs(whole[r * b + c]) / largest[c] : T{0});
      }
      int exponent = 0;
      std::frexp(part, &exponent);
      units[r] = std::ldexp(T{1}, exponent);
    }
  }

  /// Solves (X − 1) kept = whole − kept. Returns whether X may be taken; else X − 1 = 0.
  AMGSOLVE_HOST_DEVICE bool restore(Sums& sums, T* minus_one) const {
    T units[small_block];
    find_units(sums.whole, units);
    T largest[small_block] = {};  // of the columns of `whole`
    T largest_kept[small_block] = {};
    for (Index e = 0; e < b * b; ++e) {
      sums.whole[e] /= units[e / b];
      sums.kept[e] /= units[e / b];
      largest[e % b] = std::fmax(largest[e % b], std::fabs(sums.whole[e]));
      largest_kept[e % b] = std::fmax(largest_kept[e % b], std::fabs(sums.kept[e]));
      sums.whole[e] -= sums.kept[e];
      minus_one[e] = T{0};
    }
    Index pivots[small_block];
    const RightDivision<T> division{b, sums.whole, sums.kept, pivots};
    for (Index c = 0; c < b; ++c) {
      division.eliminate(c, largest_kept[c]);
    }
    bool is_restored = true;
    for (Index c = 0; c < b; ++c) {
      for (Index r = 0; r < b && pivots[c] < 0; ++r) {
        is_restored = is_restored && std::fabs(sums.whole[r * b + c]) <= RightDivision<T>::dependence * largest[c];
      }
    }
    for (Index c = b - 1; c >= 0; --c) {
      division.substitute(c);
    }
    for (Index r = 0; r < b && is_restored; ++r) {
      T sum = 0;
      T diagonal = 1;
      for (Index c = 0; c < b; ++c) {
        const bool is_diagonal = pivots[c] == r;
        diagonal += is_diagonal ? sums.whole[r * b + c] : T{0};
        sum += is_diagonal || pivots[c] < 0 ? T{0} : std::fabs(sums.whole[r * b + c]);
      }
      is_restored = diagonal > T{0} && (tolerance >= T{1} || diagonal + sum <= static_cast<T>(most_scaling));
    }
    for (Index e = 0; e < b * b && is_restored; ++e) {
      if (const Index c = pivots[e % b]; c >= 0) {
        minus_one[e / b * b + c] = sums.whole[e] * units[e / b] / units[c];
      }
    }
    return is_restored;
  }

  /// X_I P_IJ, from entry `next` of each row on.
  AMGSOLVE_HOST_DEVICE void write(std::int64_t node, const T* block, const Offset* offsets, Offset next,
                                  T* values) const {
    for (Index r = 0; r < b; ++r) {
      const std::int64_t i = node * b + r;
      for (Index c = 0; c < b; ++c) {
        T value = block[r * b + c];
        for (Index s = 0; s < b; ++s) {
          value += change[i * b + s] * block[s * b + c];
        }
        values[offsets[i] + next + c] = value;
      }
    }
  }
};

}  // namespace amgsolve
