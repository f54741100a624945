#pragma once

#include <string_view>
#include <vector>

#include "core/context.hpp"
#include "core/types.hpp"

/// Text files of one record a line, worked on in parallel by blocks of whole lines. A line ends with \n or \r\n, the
/// last one with the text; what holds only blanks or starts with the mark of comments is no record.
namespace amgsolve {

struct LineBlock {
  std::string_view text;
  Offset first_line = 0;    ///< number of its first line in the file
  Offset first_record = 0;  ///< records of the file before it
};

struct LineBlocks {
  std::vector<LineBlock> blocks;
  char comment = '%';       ///< the mark
  Offset last_line = 0;     ///< number of the last line of the text
  Offset first_record = 0;  ///< records before it
  Offset records = 0;
};

/// Cuts text, whose first line has the number `first_line`, into blocks of about 1 MB, the same for any number of
/// threads, and counts lines and records. O(bytes).
LineBlocks split_lines(Context<Host>& ctx, std::string_view text, Offset first_line, char comment = '%');

/// Numbers the lines as those of a text that has so many lines and records before them. O(blocks).
void move_behind(LineBlocks& text, Offset lines, Offset records);

/// The number of the line with this record of the file; 0 where it is in none of these. O(bytes of a block).
Offset line_of_record(const LineBlocks& text, Offset record);

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// The text from its first character that is not blank.
inline std::string_view skip_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  return text;
}

/// Takes the first line, without \n, off the text, which must not be empty.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// Whether a line without leading blanks is a record.
inline bool is_record(std::string_view line, char comment = '%') { return !line.empty() && line.front() != comment; }

}  // namespace amgsolve
