#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/algorithms.hpp"
#include "core/parallel_host.hpp"
#include "spgemm/rows/row_products.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// offsets_i = the products of C = A B before its row i, and behind the last row all of them.
template <class T>
void count_products(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                    Span<Offset, Host> offsets) {
  count_row_products(ctx, A, B, offsets.subspan(1, static_cast<std::size_t>(A.rows)));
  counts_to_offsets(ctx, offsets);
}

/// The products that the rows of C = A B have to expect, and blocks of rows with about as many products each: what
/// threads are handed, since rows differ too much to be counted. Workers form them: one a thread, and where a few
/// blocks are far larger, for a row of far more products than others, one for each of these, so that no thread needs
/// scratch for rows that it hardly meets.
class ProductBlocks {
 public:
  // Some 50 us of work: enough to hide the hand-out of a block, small enough that the last ones end together.
  static constexpr Offset products_per_block = 32768;

  /// @param offsets  products before each row of C, or bounds on them, and of all: rows + 1, which outlive this
  /// @param cols     of C
  ProductBlocks(Context<Host>& ctx, Span<const Offset, Host> offsets, Index cols)
      : threads_(static_cast<std::size_t>(ctx.threads())), offsets_(offsets), products_(offsets_.end()[-1]) {
    const auto rows = static_cast<std::int64_t>(offsets.size()) - 1;
    const Offset longest = parallel_reduce(
        ctx, rows, Offset{0},
        [of_row = offsets.data()](std::int64_t begin, std::int64_t end) {
          Offset most = 0;
          for (std::int64_t row = begin; row < end; ++row) {
            most = std::max(most, of_row[row + 1] - of_row[row]);
          }
          return most;
        },
        [](Offset a, Offset b) { return std::max(a, b); });
    longest_row_ = std::min<Offset>(longest, cols);
    count_ = std::clamp<std::int64_t>(products_ / products_per_block, 1, std::max(rows, std::int64_t{1}));
    find_large_blocks();
  }

  Offset products() const { return products_; }
  Offset row_products(Index row) const { return offsets_.data()[row + 1] - offsets_.data()[row]; }

  std::int64_t count() const { return count_; }
  /// The first row of a block; the rows of C for block == count().
  Index begin(std::int64_t block) const {
    const Offset* last = offsets_.end() - 1;
    if (block == count_) {
      return static_cast<Index>(last - offsets_.begin());
    }
    return static_cast<Index>(std::lower_bound(offsets_.begin(), last, products_ / count_ * block) - offsets_.begin());
  }
  /// Bound on the entries of C in a block: its products, of which rows may have far more than entries.
  Offset room(std::int64_t block) const {
    const Index first = begin(block);
    const Index end = begin(block + 1);
    return std::min({offsets_.data()[end] - offsets_.data()[first], (end - first) * longest_row_,
                     products_ / count_ + count_ + longest_row_});
  }

  std::size_t workers() const { return threads_ + large_.size(); }
  /// Those from here on have a single block each.
  std::size_t threads() const { return threads_; }
  /// The one for a block that a thread is handed.
  std::size_t worker(std::int64_t block, std::size_t thread) const {
    const auto found = std::ranges::lower_bound(large_, block);
    return found != large_.end() && *found == block ? threads_ + static_cast<std::size_t>(found - large_.begin())
                                                    : thread;
  }
  /// Bound on the entries of C in a block of a worker.
  Offset largest_room(std::size_t worker) const {
    return worker < threads_ ? largest_room_ : room(large_[worker - threads_]);
  }
  /// Bound on the entries of a row of C in a block of a worker.
  Offset longest_row(std::size_t worker) const { return std::min(longest_row_, largest_room(worker)); }

 private:
  /// More than all threads could meet at a time are not few.
  void find_large_blocks() {
    const Offset usual_room = products_ / count_ + count_ + products_per_block;
    Offset largest = 0;
    for (std::int64_t block = 0; block < count_; ++block) {
      const Offset size = room(block);
      largest = std::max(largest, size);
      if (size <= usual_room) {
        largest_room_ = std::max(largest_room_, size);
      } else {
        large_.push_back(block);
      }
    }
    if (large_.size() >= threads_) {
      large_.clear();
      largest_room_ = largest;
    }
  }

  std::size_t threads_;
  Span<const Offset, Host> offsets_;
  Offset products_ = 0;
  Offset longest_row_ = 0;
  Offset largest_room_ = 0;
  std::int64_t count_ = 1;
  std::vector<std::int64_t> large_;  ///< ascending, fewer than the threads
};

}  // namespace amgsolve
