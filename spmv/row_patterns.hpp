#pragma once

#include <cstdint>
#include <optional>

#include "core/buffer.hpp"
#include "core/context.hpp"

namespace amgsolve {

/// More patterns than these are not looked for: a byte names one.
inline constexpr std::size_t most_row_patterns = 256;

/// Where the entries of rows lie relative to the diagonal, for a matrix many of whose rows have them alike, as those of
/// a grid do whatever their values: 9 patterns for a stencil on a rectangle, 27 in a box, each corner and side its own.
/// (Willcock, Lumsdaine, Accelerating sparse matrix computations via data compression, 2006.)
template <MemorySpace S>
struct RowPatterns {
  Buffer<std::uint8_t, S> of_row;
  Buffer<Offset, S> starts;  ///< of the patterns in `shifts`, and at the end their number; in the order of first rows
  Buffer<Index, S> shifts;   ///< column − row of the entries, in the order of the row

  std::size_t bytes() const { return of_row.bytes() + starts.bytes() + shifts.bytes(); }
};

/// The pattern that most rows of a slice have, if there is one: that of two out of three that lines of 4, 8 or 16
/// unknowns neither begin nor end with.
inline std::uint8_t main_pattern(const std::uint8_t* of_row, Index rows) {
  const std::uint8_t last = of_row[25 * rows / 32];
  return of_row[10 * rows / 32] == last ? last : of_row[18 * rows / 32];
}

/// Those of a matrix in CSR, or nothing where they are too many. One pass over the columns, a part of one where they
/// are too many. Synchronises.
std::optional<RowPatterns<Host>> find_row_patterns(Context<Host>& ctx, Span<const Offset, Host> row_offsets,
                                                   Span<const Index, Host> col_indices);
std::optional<RowPatterns<Cuda>> find_row_patterns(Context<Cuda>& ctx, Span<const Offset, Cuda> row_offsets,
                                                   Span<const Index, Cuda> col_indices);

/// Whether products by patterns are quick: on the host, where the rows of a slice that have its main pattern go
/// together and the others one by one; on a device each row has a thread.
bool are_mostly_alike(Context<Host>& ctx, const RowPatterns<Host>& patterns);
inline bool are_mostly_alike(Context<Cuda>&, const RowPatterns<Cuda>&) { return true; }

/// The same on the host of a grid's rows before there are any.
/// @param line  unknowns along the first direction
bool expects_alike_rows(double line);

}  // namespace amgsolve
