#include "problems/line_blocks.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/parallel_host.hpp"

namespace amgsolve {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

std::vector<LineBlock> cut(std::string_view text) {
  std::vector<LineBlock> blocks;
  blocks.reserve(text.size() / block_bytes + 1);
  while (!text.empty()) {
    const std::size_t newline = text.find('\n', std::min(block_bytes, text.size()) - 1);
    const std::size_t end = newline == std::string_view::npos ? text.size() : newline + 1;
    blocks.push_back({.text = text.substr(0, end)});
    text.remove_prefix(end);
  }
  return blocks;
}

}  // namespace

LineBlocks split_lines(Context<Host>& ctx, std::string_view text, Offset first_line, char comment) {
  LineBlocks result{.blocks = cut(text), .comment = comment, .last_line = first_line - 1};
  std::vector<LineBlock>& blocks = result.blocks;
  parallel_blocks(ctx, static_cast<std::int64_t>(blocks.size()), [&](std::int64_t b) {
    LineBlock& block = blocks[static_cast<std::size_t>(b)];
    Offset lines = 0;
    Offset records = 0;
    for (std::string_view rest = block.text; !rest.empty(); ++lines) {
      records += is_record(skip_blanks(take_line(rest)), comment) ? 1 : 0;
    }
    block.first_line = lines;
    block.first_record = records;
  });
  for (LineBlock& block : blocks) {
    const Offset lines = std::exchange(block.first_line, result.last_line + 1);
    const Offset records = std::exchange(block.first_record, result.records);
    result.last_line += lines;
    result.records += records;
  }
  return result;
}

void move_behind(LineBlocks& text, Offset lines, Offset records) {
  for (LineBlock& block : text.blocks) {
    block.first_line += lines;
    block.first_record += records;
  }
  text.last_line += lines;
  text.first_record += records;
}

Offset line_of_record(const LineBlocks& text, Offset record) {
  if (record < text.first_record || record >= text.first_record + text.records) {
    return 0;
  }
  const auto after = std::ranges::upper_bound(text.blocks, record, {}, &LineBlock::first_record);
  const LineBlock& block = *std::prev(after);
  std::string_view rest = block.text;
  Offset number = block.first_line;
  for (Offset before = record - block.first_record;; ++number) {
    if (is_record(skip_blanks(take_line(rest)), text.comment) && before-- == 0) {
      return number;
    }
  }
}

}  // namespace amgsolve
