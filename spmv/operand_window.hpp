#pragma once

#include "core/context.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// What products with a strip, the rows of a matrix that one of several ranks has, take their operand from. The columns
/// of the strip are a window: its own range of the operand's rows, and those of other ranks that it has entries in, its
/// ghosts, below and above. An operand whose margins have room for them is completed in place.
template <class T, MemorySpace S>
class OperandWindow {
 public:
  virtual ~OperandWindow() = default;

  virtual Index own_rows() const = 0;   ///< of the operand on this rank
  virtual Index first_own() const = 0;  ///< the column of the first of them
  virtual Index columns() const = 0;    ///< of the strip

  /// What an operand needs to be completed in place.
  Margins margins() const { return {first_own(), columns() - own_rows() - first_own()}; }

  /// Room for operands of so many columns without margins, which complete() else makes itself, in the midst of
  /// messages.
  virtual void reserve(Context<S>& ctx, Index columns) = 0;

  /// The values of all columns, from those of the ranks' own rows: the operand with its margins where these have room,
  /// else a copy, which stays the window's and holds until the next call. Collective between neighbours, unless the
  /// operand's margins hold the other ranks' values already (has_ghosts), on all ranks.
  virtual MultiVectorView<const T, S> complete(Context<S>& ctx, MultiVectorView<const T, S> own) = 0;
};

}  // namespace amgsolve
