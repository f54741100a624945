#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/context.hpp"
#include "problems/structured_grid.hpp"

/// Files of rows, one after the other, of which each rank has some.
namespace amgsolve {

/// A part of a file: rows of rank 0, then those of rank 1, and so on.
struct RowsSection {
  std::string before{};       ///< what stands in front of them, the same on all ranks
  std::int64_t rows = 0;      ///< of this rank
  std::size_t row_bytes = 1;  ///< that a row has in the file, or has at most
  bool is_text = false;       ///< some have fewer

  /// Rows begin … end − 1 as the file has them, in `room` or, where they lie so in memory, there. Called by several
  /// threads at once.
  std::function<std::string_view(std::int64_t begin, std::int64_t end, char* room)> bytes{};
};

/// Rows that lie in memory as in the file, all of them.
RowsSection rows_in_memory(std::string before, std::string_view bytes);

/// Rows of ranks that have them in their order.
struct RanksRows {
  RowRange own;
  std::int64_t all;
};

/// Collective.
RanksRows rows_of_ranks(const Communicator& ranks, std::int64_t own);

/// What this rank writes of rows that every one has.
RowRange part_of(const Communicator& ranks, std::int64_t rows);

/// Who has written a file of several ranks.
enum class Writers { all, first };

/// Writes the file that the sections make up. Each rank writes its rows into the temporary file of the first one, where
/// all see that; else, and where the path is not that of a file, the first one writes what the others send to it. The
/// bytes are those that one rank writes which has all rows, and the file appears when it is complete. Throws
/// OutputError on all ranks, before any writes more than 4 MB a thread beside. Rows of text are made twice where there
/// are several ranks: to know where each rank's begin. Collective.
Writers write_rows_file(Context<Host>& ctx, const std::filesystem::path& path, std::span<const RowsSection> sections);

}  // namespace amgsolve
