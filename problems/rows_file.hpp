#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/context.hpp"

/// Files of rows, one after the other behind a header, of which each rank has some: where they belong is known before
/// any is written.
namespace amgsolve {

struct RowsFile {
  std::size_t begin = 0;  ///< of the rows, in bytes
  std::size_t end = 0;    ///< of the file, with zeros behind the rows

  /// What rows add to the checksum of the file, from byte `place` of it on: those of all ranks are summed modulo 2⁶⁴.
  std::function<std::uint64_t(Context<Host>& ctx, std::size_t place, std::string_view rows)> checksum =
      [](Context<Host>&, std::size_t, std::string_view) { return std::uint64_t{0}; };

  /// The bytes before the rows.
  std::function<std::string(std::uint64_t checksum)> header;
};

/// Who has written a file of several ranks.
enum class Writers { all, first };

/// Writes the file, of which every rank gives the rows that it has, in the order of the ranks. Each writes its own into
/// the temporary file of the first one, where all see that; else, and where the path is not that of a file, the first
/// one writes what the others send to it, 16 MB at a time. The bytes are those that one rank writes which has all rows,
/// and the file appears when it is complete. Throws OutputError on all ranks, before a second piece of 16 MB is written
/// anywhere. Collective.
Writers write_rows_file(Context<Host>& ctx, const std::filesystem::path& path, const RowsFile& layout,
                        std::string_view rows);

}  // namespace amgsolve
