#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/hash.hpp"
#include "core/search.hpp"
#include "spmv/alike_table.hpp"
#include "spmv/row_patterns.hpp"

/// The body of find_row_patterns(), written once for both memory spaces but for the way in which rows enter the table
/// of patterns: parallel_for is that of the context.
namespace amgsolve::detail {

/// The columns of rows.
struct ColumnsOfRows {
  const Offset* row_offsets;
  const Index* col_indices;

  AMGSOLVE_HOST_DEVICE Offset length(Index row) const { return row_offsets[row + 1] - row_offsets[row]; }
  AMGSOLVE_HOST_DEVICE Index shift(Index row, Offset k) const { return col_indices[row_offsets[row] + k] - row; }

  /// Whether two rows have one pattern.
  AMGSOLVE_HOST_DEVICE bool are_alike(Index a, Index b) const {
    const Offset entries = length(a);
    if (length(b) != entries) {
      return false;
    }
    const Index* const columns_a = col_indices + row_offsets[a];
    const Index* const columns_b = col_indices + row_offsets[b];
    Index differences = 0;
    for (Offset k = 0; k < entries; ++k) {
      differences |= (columns_a[k] - columns_b[k]) ^ (a - b);
    }
    return differences == 0;
  }

  /// The same for rows of one pattern, seldom for others.
  AMGSOLVE_HOST_DEVICE std::uint64_t key(Index row) const {
    auto sum = static_cast<std::uint64_t>(length(row));
    for (Offset k = 0; k < length(row); ++k) {
      sum = sum * golden_factor + static_cast<std::uint32_t>(shift(row, k));
    }
    return hash64(sum);
  }
};

using PatternTable = AlikeTable<ColumnsOfRows>;

/// slot_of_i = the slot of row i, where the table has not become full.
void enter_rows(Context<Host>& ctx, const PatternTable& table, Index rows, std::uint16_t* slot_of);
void enter_rows(Context<Cuda>& ctx, const PatternTable& table, Index rows, std::uint16_t* slot_of);

template <MemorySpace S>
std::optional<RowPatterns<S>> find_row_patterns(Context<S>& ctx,
                                                std::type_identity_t<Span<const Offset, S>> row_offsets,
                                                std::type_identity_t<Span<const Index, S>> col_indices) {
  constexpr std::size_t slots = 1024;
  const auto n = static_cast<Index>(row_offsets.size() - 1);
  WorkspaceScope<S> scope(ctx.workspace());
  const auto words = scope.template take<Index>(PatternTable::words(slots) + slots);
  const auto slot_of_row = scope.template take<std::uint16_t>(static_cast<std::size_t>(n));
  const ColumnsOfRows columns{row_offsets.data(), col_indices.data()};
  const PatternTable table = empty_table(ctx, columns, Index{slots}, static_cast<Index>(most_row_patterns), words);
  enter_rows(ctx, table, n, slot_of_row.data());
  Index* const lengths = words.data() + PatternTable::words(slots);
  parallel_for(ctx, slots, [table, lengths] AMGSOLVE_HOST_DEVICE(std::int64_t slot) {
    const Index first = table.firsts[slot];
    lengths[slot] = first == max_index ? 0 : static_cast<Index>(table.items.length(first));
  });

  std::array<Index, 2 * slots + 1> found{};  // first rows, how many patterns there are, and lengths
  static_assert(sizeof(found) <= Context<Cuda>::staging_bytes, "else the driver stages it");
  download(ctx, words.subspan(slots, found.size()), {found.data(), found.size()});
  if (found[slots] > table.most) {
    return std::nullopt;
  }
  std::vector<std::pair<Index, std::size_t>> firsts;  // and their slots
  for (std::size_t slot = 0; slot < slots; ++slot) {
    if (found[slot] < n) {
      firsts.emplace_back(found[slot], slot);
    }
  }
  std::ranges::sort(firsts);
  std::vector<Index> numbers(slots + firsts.size());  // of the patterns of slots, then their first rows
  std::vector<Offset> starts{0};
  for (const auto& [row, slot] : firsts) {
    numbers[slot] = static_cast<Index>(starts.size() - 1);
    numbers[slots + starts.size() - 1] = row;
    starts.push_back(starts.back() + found[slots + 1 + slot]);
  }
  const auto uploaded = scope.template take<Index>(numbers.size());
  upload(ctx, Span<const Index, Host>(numbers.data(), numbers.size()), uploaded);
  const Index* const number_of = uploaded.data();
  const Index* const row_of = number_of + slots;

  RowPatterns<S> patterns{Buffer<std::uint8_t, S>(ctx, static_cast<std::size_t>(n)),
                          upload(ctx, Span<const Offset, Host>(starts.data(), starts.size())),
                          Buffer<Index, S>(ctx, static_cast<std::size_t>(starts.back()))};
  const Offset* const start_of = patterns.starts.data();
  Index* const shifts = patterns.shifts.data();
  const auto count = static_cast<std::int64_t>(firsts.size());
  parallel_for(ctx, starts.back(), [=] AMGSOLVE_HOST_DEVICE(std::int64_t place) {
    const std::int64_t p = lower_bound(start_of, 1, count, place + 1) - 1;  // of several, all but the last are empty
    shifts[place] = columns.shift(row_of[p], place - start_of[p]);
  });
  const std::uint16_t* const slot_of = slot_of_row.data();
  std::uint8_t* const of_row = patterns.of_row.data();
  parallel_for(
      ctx, n,
      [=] AMGSOLVE_HOST_DEVICE(std::int64_t row) { of_row[row] = static_cast<std::uint8_t>(number_of[slot_of[row]]); },
      1);
  return patterns;
}

}  // namespace amgsolve::detail
