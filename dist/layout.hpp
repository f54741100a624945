#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/context.hpp"
#include "core/host_device.hpp"
#include "core/search.hpp"
#include "dist/partition.hpp"

namespace amgsolve {

/// Columns of a window and rows of the whole vector, as loops and kernels look them up.
struct WindowColumns {
  std::int64_t first_row;  ///< of the own rows
  Index first_own;         ///< the column of the first own row
  Index own_rows;
  const std::int64_t* ghosts;  ///< ascending
  Index ghost_count;

  AMGSOLVE_HOST_DEVICE bool is_own(std::int64_t row) const { return row >= first_row && row < first_row + own_rows; }
  AMGSOLVE_HOST_DEVICE bool has_own(Index column) const { return column >= first_own && column < first_own + own_rows; }
  AMGSOLVE_HOST_DEVICE std::int64_t row_of(Index column) const {
    if (has_own(column)) {
      return first_row + (column - first_own);
    }
    return ghosts[ghost_at(column)];
  }
  /// Which of the ghosts a column is.
  AMGSOLVE_HOST_DEVICE Index ghost_at(Index column) const { return column < first_own ? column : column - own_rows; }
  /// Of a row that is an own one or a ghost. O(log ghosts).
  AMGSOLVE_HOST_DEVICE Index column_of(std::int64_t row) const {
    if (is_own(row)) {
      return first_own + static_cast<Index>(row - first_row);
    }
    return static_cast<Index>(lower_bound(ghosts, 0, ghost_count, row)) + (row < first_row ? 0 : own_rows);
  }
  /// The same; −1 of any other row.
  AMGSOLVE_HOST_DEVICE Index find_column_of(std::int64_t row) const {
    const Index column = column_of(row);
    return is_own(row) || (column < own_rows + ghost_count && row_of(column) == row) ? column : Index{-1};
  }
};

/// Columns of one window of a rank as those of another that has their rows: own ones move together.
struct ColumnMap {
  WindowColumns from;
  WindowColumns to;

  AMGSOLVE_HOST_DEVICE Index operator()(Index column) const {
    return from.has_own(column) ? column + (to.first_own - from.first_own) : to.column_of(from.row_of(column));
  }
};

/// Of the rows of each rank among some that ascend.
struct RankPlaces {
  std::vector<std::int64_t> places;      ///< where they begin, and behind that how many there are
  std::vector<std::int64_t> first_rows;  ///< of those that follow one another without a gap; −1 of others, and none
};

/// Synchronises.
template <MemorySpace S>
RankPlaces places_of_ranks(Context<S>& ctx, const Partition& partition,
                           std::type_identity_t<Span<const std::int64_t, S>> rows);

/// Rows of other ranks, ascending and unique.
template <MemorySpace S>
struct GhostRows {
  Buffer<std::int64_t, S> rows{};
  std::optional<RankPlaces> of_ranks{};  ///< where that is known

  GhostRows() = default;
  GhostRows(Buffer<std::int64_t, S> rows_, std::optional<RankPlaces> of_ranks_ = std::nullopt)
      : rows(std::move(rows_)), of_ranks(std::move(of_ranks_)) {}
};

/// The columns of a strip: the window that a rank sees of the rows of a vector whose rows ranks share. Its columns are
/// numbered in the order of the whole vector, ghosts below | own rows | ghosts above, so that a row of the strip has
/// its entries in the order of the whole matrix and is summed to the same bits.
template <MemorySpace S>
class Layout {
 public:
  /// The rank that ghosts belong to, and what it needs of our rows.
  struct Neighbour {
    int rank;
    Index first_ghost;       ///< the column of the first of them; they are consecutive
    Index ghosts;            ///< how many
    Index first_need;        ///< of its part of needs()
    Index needs;             ///< how many
    Index first_needed_row;  ///< of these own rows, which then follow one another; −1 where they do not
  };

  /// Collective: tells the owners who needs their rows. O(ghosts + ranks) memory. Synchronises.
  /// Throws InputError where the window has 2³¹ columns or more.
  Layout(Context<S>& ctx, Partition partition, GhostRows<S> ghosts)
      : Layout(ctx, std::move(partition), std::move(ghosts), true) {}

  /// The window alone, of which no other rank hears: nothing can be exchanged, and neighbours() and needs() are empty.
  /// Collective where all ranks together have 2³¹ rows or more: then all of them hear of a window that is too wide.
  static Layout unconnected(Context<S>& ctx, Partition partition, GhostRows<S> ghosts) {
    return Layout(ctx, std::move(partition), std::move(ghosts), false);
  }

  const Partition& partition() const { return partition_; }
  std::int64_t first_row() const { return first_row_; }  ///< of the own rows
  Index own_rows() const { return own_rows_; }
  Index first_own() const { return first_own_; }  ///< the column of the first own row
  Index columns() const { return own_rows_ + static_cast<Index>(ghosts_.size()); }
  Span<const std::int64_t, S> ghosts() const { return ghosts_; }
  const std::vector<Neighbour>& neighbours() const { return neighbours_; }
  /// Own rows, counted from the first, that are ghosts elsewhere, neighbour by neighbour.
  Span<const Index, S> needs() const { return needs_; }

  /// For loops in the memory of S.
  WindowColumns window() const {
    return {first_row_, first_own_, own_rows_, ghosts_.data(), static_cast<Index>(ghosts_.size())};
  }

 private:
  Layout(Context<S>& ctx, Partition partition, GhostRows<S> ghosts, bool connects);
  void connect(Context<S>& ctx, const RankPlaces& of_ghosts);

  Partition partition_;
  std::int64_t first_row_;
  Index own_rows_;
  Index first_own_;
  Buffer<std::int64_t, S> ghosts_;
  std::vector<Neighbour> neighbours_;
  Buffer<Index, S> needs_;
};

/// Who shares the rows that a window is of; this rank alone where there is none.
template <MemorySpace S>
const Communicator& ranks_of(const Context<S>& ctx, const Layout<S>* window) {
  return window != nullptr ? ctx.communicator() : Communicator::serial();
}

}  // namespace amgsolve
