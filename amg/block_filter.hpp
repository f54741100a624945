#pragma once

#include <cmath>

#include "amg/couplings.hpp"
#include "amg/lumping.hpp"
#include "amg/right_division.hpp"
#include "amg/work_slices.hpp"
#include "core/one_lane.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// The filter of strong_block_couplings() for a row or a node at a time: drop() for all rows, then lump() for all
/// nodes, then fill() for all rows. Rows are shared by lanes, nodes are the work of a thread. Exact for the first b
/// candidates only.
template <class T, MemorySpace S>
struct BlockFilter {
  CsrRef<T> A;
  CsrRef<T> kept;  ///< its pattern: the blocks to keep, the diagonal ones among them
  MultiVectorView<const T, S> candidates;
  Index block_size;
  T* lumps;       ///< n × b: (Σ_dropped A_IJ B̄_J)_r, then columns of the change of D_I
  T* basis;       ///< n × b, scratch: B̄
  Index* pivots;  ///< n: which column of D_I column c of lumps belongs to; −1: to none

  /// Adds up what row i drops. Returns how many entries of A_F it has.
  template <class Lanes>
  AMGSOLVE_LANES Offset drop(const Lanes& lanes, std::int64_t i) const {
    const Index b = block_size;
    const auto rank = static_cast<Index>(lanes.thread_rank());
    const auto size = static_cast<Index>(lanes.num_threads());
    for (Index c = rank; c < b; c += size) {
      lumps[i * b + c] = T{0};
    }
    Offset count = b;  // The diagonal block is stored whole.
    walk(lanes, i, [&](bool has_entry, Offset k, Index J, bool is_kept) {
      count += count_lanes(lanes.ballot(has_entry && is_kept && J != i / b));
      for (unsigned dropped = lanes.ballot(has_entry && !is_kept); dropped != 0; dropped &= dropped - 1) {
        const Offset entry = k - rank + first_lane(dropped);
        for (Index c = rank; c < b; c += size) {
          lumps[i * b + c] += A.values[entry] * candidate(A.col_indices[entry], c);
        }
      }
    });
    return count;
  }

  /// The steps of lump(): two for each of the first b candidates.
  AMGSOLVE_HOST_DEVICE std::int64_t steps_of_lumping() const { return 2 * std::int64_t{block_size}; }

  /// The values of a node that a step visits.
  std::int64_t visits_of_lumping(std::int64_t step) const {
    const std::int64_t b = block_size;
    return step < b ? 2 * b * (b - step) : b * (step - b + 1);
  }

  /// Solves X B̄_I = W for the change X of D_I, by elimination of columns with pivots chosen from the rows: the steps
  /// [first, last), those before them being through; all at once of a small block.
  AMGSOLVE_HOST_DEVICE void lump(std::int64_t node, std::int64_t first, std::int64_t last) const {
    const std::int64_t entries = std::int64_t{block_size} * block_size;
    T* W = lumps + node * entries;
    if (block_size > small_block) {
      take_steps(node * block_size, first, last, W, basis + node * entries);
    } else {
      T near_W[small_block * small_block];
      T near_basis[small_block * small_block];
      for (std::int64_t e = 0; e < entries; ++e) {
        near_W[e] = W[e];
      }
      take_steps(node * block_size, first, last, near_W, near_basis);
      for (std::int64_t e = 0; e < entries; ++e) {
        W[e] = near_W[e];
      }
    }
    if (last == steps_of_lumping() && !leaves_a_diagonal(node * block_size)) {
      for (Index c = 0; c < block_size; ++c) {
        pivots[node * block_size + c] = -1;
      }
    }
  }

  /// Writes row i of A_F, from `next` on.
  template <class Lanes>
  AMGSOLVE_LANES void fill(const Lanes& lanes, std::int64_t i, Offset next, Index* cols, T* values) const {
    const Index b = block_size;
    const auto node = static_cast<Index>(i / b);
    Offset diagonal = next;
    Offset k_diagonal = A.row_offsets[i];
    walk(lanes, i, [&](bool has_entry, Offset k, Index J, bool is_kept) {
      const bool is_copied = has_entry && is_kept && J != node;
      const unsigned all_copied = lanes.ballot(is_copied);
      if (is_copied) {
        const Offset place = next + lanes_below(lanes, all_copied) + (J > node ? b : 0);
        cols[place] = A.col_indices[k];
        values[place] = A.values[k];
      }
      next += count_lanes(all_copied);
      diagonal += count_lanes(lanes.ballot(is_copied && J < node));
      k_diagonal += count_lanes(lanes.ballot(has_entry && J < node));
    });
    for (auto c = static_cast<Index>(lanes.thread_rank()); c < b; c += static_cast<Index>(lanes.num_threads())) {
      cols[diagonal + c] = node * b + c;
      values[diagonal + c] = diagonal_block_entry(i, c, k_diagonal);
    }
  }

 private:
  static_assert(3 * small_block * small_block * small_block <= most_visits);

  AMGSOLVE_HOST_DEVICE T candidate(std::int64_t row, Index c) const {
    return candidates.data[row * candidates.columns + c];
  }

  /// Calls visit(has_entry, k, J, is_kept) for the entries of row i and the nodes of their columns, each lane with one
  /// of as many neighbours as there are lanes.
  template <class Lanes, class Visit>
  AMGSOLVE_LANES void walk(const Lanes& lanes, std::int64_t i, const Visit& visit) const {
    const std::int64_t node = i / block_size;
    Offset block = kept.row_offsets[node];
    const Offset last_block = kept.row_offsets[node + 1];
    const Offset end = A.row_offsets[i + 1];
    for (Offset k = A.row_offsets[i] + lanes.thread_rank(); k - lanes.thread_rank() < end; k += lanes.num_threads()) {
      const bool has_entry = k < end;
      const Index J = has_entry ? A.col_indices[k] / block_size : static_cast<Index>(node);
      while (block < last_block && kept.col_indices[block] < J) {
        ++block;
      }
      visit(has_entry, k, J, J == node || (block < last_block && kept.col_indices[block] == J));
    }
  }

  /// Entry (i, c) of the diagonal block of A_F; k is the first entry of A in that block, or behind.
  AMGSOLVE_HOST_DEVICE T diagonal_block_entry(std::int64_t i, Index c, Offset k) const {
    const Index b = block_size;
    const std::int64_t first = i / b * b;
    T value = 0;
    for (Index d = 0; d < b; ++d) {
      value = pivots[first + d] == c ? lumps[i * b + d] : value;
    }
    for (; k < A.row_offsets[i + 1] && A.col_indices[k] <= first + c; ++k) {
      value += A.col_indices[k] == first + c ? A.values[k] : T{0};
    }
    return value;
  }

  /// W becomes X, M is scratch: B̄_I.
  AMGSOLVE_HOST_DEVICE void take_steps(std::int64_t row, std::int64_t first, std::int64_t last, T* W, T* M) const {
    const Index b = block_size;
    if (first == 0) {
      for (Index r = 0; r < b; ++r) {
        for (Index c = 0; c < b; ++c) {
          M[std::int64_t{r} * b + c] = candidate(row + r, c);
        }
      }
    }
    const RightDivision<T> division{b, W, M, pivots + row};
    for (std::int64_t step = first; step < last; ++step) {
      if (step < b) {
        const auto c = static_cast<Index>(step);
        division.eliminate(c, largest_of(row, c));
      } else {
        division.substitute(static_cast<Index>(2 * b - 1 - step));
      }
    }
  }

  /// Of candidate c at the node.
  AMGSOLVE_HOST_DEVICE T largest_of(std::int64_t row, Index c) const {
    T largest = 0;
    for (Index r = 0; r < block_size; ++r) {
      largest = std::fmax(largest, std::fabs(candidate(row + r, c)));
    }
    return largest;
  }

  AMGSOLVE_HOST_DEVICE bool leaves_a_diagonal(std::int64_t first) const {
    for (Index c = 0; c < block_size; ++c) {
      const Index r = pivots[first + c];
      if (r >= 0) {
        const T d = entry_or_zero(A, first + r, static_cast<Index>(first + r));
        if (!can_lump(d, d + lumps[(first + r) * block_size + c])) {
          return false;
        }
      }
    }
    return true;
  }
};

}  // namespace amgsolve
