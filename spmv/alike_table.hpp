#pragma once

#include "core/atomic.hpp"
#include "core/context.hpp"

namespace amgsolve::detail {

/// A hash table that items enter in any order, those that are alike into one slot: which one that is depends on the
/// order, the first item in it does not. `Items` have key(i), the same for items that are alike and seldom for others,
/// and are_alike(i, j).
template <class Items>
struct AlikeTable {
  static constexpr Index empty = -1;

  Items items;
  Index slots;     ///< a power of two; twice as many as there are items, or twice `most`
  Index most;      ///< when more kinds than these have entered, no item does any more
  Index* members;  ///< of each slot one of the items that have entered, or `empty`
  Index* firsts;   ///< the first of them; max_index where there is none
  Index* count;    ///< of slots that are taken

  static constexpr std::size_t words(Index slots) { return 2 * static_cast<std::size_t>(slots) + 1; }

  /// Whether more kinds than there is room for were seen; others may have seen them already.
  AMGSOLVE_HOST_DEVICE bool is_seen_full() const { return atomic_glance(count) > most; }

  /// The slot of an item; any where the table is full.
  AMGSOLVE_HOST_DEVICE Index enter(Index item) const {
    auto slot = static_cast<Index>(items.key(item)) & (slots - 1);
    while (!takes(slot, item) && atomic_load(count) <= most) {
      slot = (slot + 1) & (slots - 1);
    }
    if (item < atomic_glance(firsts + slot)) {
      atomic_lower(firsts + slot, item);
    }
    return slot;
  }

 private:
  /// A slot that is taken stays so: only an empty one is looked at twice.
  AMGSOLVE_HOST_DEVICE bool takes(Index slot, Index item) const {
    Index other = atomic_glance(members + slot);
    if (other == empty) {
      other = atomic_replace(members + slot, empty, item);
      if (other == empty) {
        atomic_count(count);
        return true;
      }
    }
    return items.are_alike(item, other);
  }
};

/// An empty table in `words`: members, firsts and count. parallel_for is that of the context.
template <MemorySpace S, class Items>
AlikeTable<Items> empty_table(Context<S>& ctx, const Items& items, Index slots, Index most, Span<Index, S> words) {
  const AlikeTable<Items> table{items, slots, most, words.data(), words.data() + slots, words.data() + 2 * slots};
  parallel_for(ctx, slots, [table] AMGSOLVE_HOST_DEVICE(std::int64_t slot) {
    table.members[slot] = table.empty;
    table.firsts[slot] = max_index;
    if (slot == 0) {
      *table.count = 0;
    }
  });
  return table;
}

}  // namespace amgsolve::detail
