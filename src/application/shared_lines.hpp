#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/context.hpp"
#include "core/input_file.hpp"
#include "problems/file_lines.hpp"
#include "problems/line_blocks.hpp"
#include "problems/matrix_market_entries.hpp"
#include "problems/matrix_market_header.hpp"

namespace amgsolve {

/// Throws InputError where a file that several ranks are to read is a pipe, of which each would get a part.
void require_file_for_ranks(const Communicator& ranks, const std::filesystem::path& path);

/// The records of a plain Matrix Market file, of which each rank has those whose lines begin in its part of the bytes.
/// All members but the getters are collective.
class SharedLines {
 public:
  /// @param path  must outlive this
  SharedLines(Context<Host>& ctx, const std::string& path) : ctx_(ctx), path_(path) {}

  /// Reads the header. Whether the file is such a one, and all ranks say that they take one with that header. Throws on
  /// all ranks what is wrong with it, and what `takes` throws.
  bool begin(const std::function<bool(const MatrixMarketHeader&)>& takes);

  /// Loads the lines and counts their records. Phases: "load", "parse". Throws on all ranks.
  void load();

  /// Throws on all ranks where records of any are wrong, or where all ranks have not as many as the size line says.
  void check(const WrongRecords& own) const;

  const MatrixMarketHeader& header() const { return header_; }
  const LineBlocks& lines() const { return lines_; }
  /// Of the lines of all ranks, as far as the file tells its size.
  double body_bytes() const {
    return std::max(static_cast<double>(file_->expected_size()) - static_cast<double>(body_), 0.0);
  }
  /// Of the records of the lines, those that the size line counts; the first ones.
  Offset wanted() const;

 private:
  /// Where the part of a rank begins in the file.
  std::size_t part(std::size_t end, int rank) const;

  Context<Host>& ctx_;
  const std::string& path_;
  std::optional<InputFile> file_{};
  MatrixMarketHeader header_{};
  std::size_t body_ = 0;  ///< the byte where the records begin
  std::optional<FileLines> text_{};
  LineBlocks lines_{};
  Offset all_lines_ = 0;  ///< of the body
  Offset all_records_ = 0;
};

}  // namespace amgsolve
