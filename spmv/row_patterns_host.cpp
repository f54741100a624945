#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/copy.hpp"
#include "core/hash.hpp"
#include "core/reduce_host.hpp"
#include "spmv/row_patterns.hpp"

namespace amgsolve {
namespace {

/// The columns of rows, relative to the diagonal.
struct Columns {
  Span<const Offset, Host> row_offsets;
  Span<const Index, Host> col_indices;

  std::size_t begin(std::size_t row) const { return static_cast<std::size_t>(row_offsets[row]); }
  std::size_t length(std::size_t row) const { return begin(row + 1) - begin(row); }
  Index shift(std::size_t row, std::size_t k) const { return col_indices[begin(row) + k] - static_cast<Index>(row); }

  /// The same for rows of one pattern, seldom for others, never 0.
  std::uint64_t key(std::size_t row) const {
    std::uint64_t sum = length(row);
    for (std::size_t k = 0; k < length(row); ++k) {
      sum = sum * 0x9E3779B97F4A7C15U + static_cast<std::uint32_t>(shift(row, k));
    }
    return hash64(sum) | 1U;
  }
};

/// A hash table of patterns that threads fill together: in which slot a key ends up depends on them, its first row does
/// not.
class PatternTable {
 public:
  static constexpr std::size_t slots = 1024;

  explicit PatternTable(std::size_t rows) {
    for (auto& first : first_rows_) {
      first.store(rows, std::memory_order_relaxed);
    }
  }

  bool is_full() const { return count_.load(std::memory_order_relaxed) > most_row_patterns; }

  /// The slot of the key of a row; where the table is full, any.
  std::size_t enter(std::uint64_t key, std::size_t row) {
    std::size_t slot = key % slots;
    while (!is_full() && !has_taken(slot, key)) {
      slot = (slot + 1) % slots;
    }
    std::atomic<std::size_t>& first = first_rows_[slot];
    std::size_t before = first.load(std::memory_order_relaxed);
    while (row < before && !first.compare_exchange_weak(before, row, std::memory_order_relaxed)) {
    }
    return slot;
  }

  std::size_t first_row(std::size_t slot) const { return first_rows_[slot].load(std::memory_order_relaxed); }

 private:
  bool has_taken(std::size_t slot, std::uint64_t key) {
    std::uint64_t found = keys_[slot].load(std::memory_order_relaxed);
    if (found == 0 && keys_[slot].compare_exchange_strong(found, key, std::memory_order_relaxed)) {
      count_.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    return found == key;
  }

  std::array<std::atomic<std::uint64_t>, slots> keys_{};  ///< 0 where a slot is empty
  std::array<std::atomic<std::size_t>, slots> first_rows_;
  std::atomic<std::size_t> count_ = 0;  ///< of keys
};

}  // namespace

std::optional<RowPatterns<Host>> find_row_patterns(Context<Host>& ctx, Span<const Offset, Host> row_offsets,
                                                   Span<const Index, Host> col_indices) {
  const std::size_t n = row_offsets.size() - 1;
  const auto rows = static_cast<std::int64_t>(n);
  const Columns columns{row_offsets, col_indices};
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto slots = scope.take<std::uint16_t>(n);
  PatternTable table(n);
  parallel_for(ctx, rows, [&](std::int64_t i) {
    const auto row = static_cast<std::size_t>(i);
    if (!table.is_full()) {
      slots[row] = static_cast<std::uint16_t>(table.enter(columns.key(row), row));
    }
  });
  if (table.is_full()) {
    return std::nullopt;
  }

  std::vector<std::size_t> first_rows;
  for (std::size_t slot = 0; slot < PatternTable::slots; ++slot) {
    if (table.first_row(slot) < n) {
      first_rows.push_back(table.first_row(slot));
    }
  }
  std::ranges::sort(first_rows);
  std::array<std::uint8_t, PatternTable::slots> numbers{};
  std::vector<Offset> starts{0};
  std::vector<Index> shifts;
  for (const std::size_t row : first_rows) {
    numbers[slots[row]] = static_cast<std::uint8_t>(starts.size() - 1);
    for (std::size_t k = 0; k < columns.length(row); ++k) {
      shifts.push_back(columns.shift(row, k));
    }
    starts.push_back(static_cast<Offset>(shifts.size()));
  }
  RowPatterns<Host> patterns{Buffer<std::uint8_t, Host>(ctx, n),
                             upload(ctx, Span<const Offset, Host>(starts.data(), starts.size())),
                             upload(ctx, Span<const Index, Host>(shifts.data(), shifts.size()))};
  // Rows that only hash alike are not.
  const bool are_all = transform_reduce(
      ctx, rows, true,
      [&](std::int64_t i) {
        const auto row = static_cast<std::size_t>(i);
        const std::uint8_t pattern = numbers[slots[row]];
        const auto start = static_cast<std::size_t>(starts[pattern]);
        patterns.of_row[row] = pattern;
        bool is_alike = columns.length(row) == static_cast<std::size_t>(starts[pattern + 1U]) - start;
        for (std::size_t k = 0; is_alike && k < columns.length(row); ++k) {
          is_alike = columns.shift(row, k) == shifts[start + k];
        }
        return is_alike;
      },
      [](bool a, bool b) { return a && b; });
  return are_all ? std::optional(std::move(patterns)) : std::nullopt;
}

}  // namespace amgsolve
