#include "src/library/table.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/format.hpp"

namespace amgsolve {
namespace {

constexpr std::string_view gap = "  ";

std::string aligned(const std::string& cell, std::size_t width, Table::Align align) {
  const std::string blanks(width - text_width(cell), ' ');
  return align == Table::Align::left ? cell + blanks : blanks + cell;
}

}  // namespace

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void Table::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) {
    throw std::invalid_argument(
        format_text("a table row has {} cells; the table has {} columns", cells.size(), columns_.size()));
  }
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::string> headings;
  std::vector<std::size_t> widths;
  std::vector<std::string> rules;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = text_width(columns_[c].heading);
    for (const std::vector<std::string>& row : rows_) {
      width = std::max(width, text_width(row[c]));
    }
    headings.push_back(columns_[c].heading);
    widths.push_back(width);
    rules.emplace_back(width, '-');
  }

  std::string result;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      line.append(gap).append(aligned(cells[c], widths[c], columns_[c].align));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result.append(line).push_back('\n');
  };
  add_line(headings);
  add_line(rules);
  std::ranges::for_each(rows_, add_line);
  return result;
}

}  // namespace amgsolve
