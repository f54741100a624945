#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace amgsolve {

/// Aligned text for a terminal: a line of headings, a rule, and rows. Columns are as wide as their widest cell.
///
///      level     rows       nnz
///      -----  -------  --------
///          0  1048576   5238784
class Table {
 public:
  enum class Align { left, right };

  struct Column {
    std::string heading;
    Align align = Align::right;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Throws std::invalid_argument where there is not a cell for every column.
  void add_row(std::vector<std::string> cells);

  /// Lines that end in '\n', without trailing blanks.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Characters of a UTF-8 text.
std::size_t text_width(std::string_view text);

}  // namespace amgsolve
