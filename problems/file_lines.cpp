#include "problems/file_lines.hpp"

#include <algorithm>

#include "problems/line_blocks.hpp"

namespace amgsolve {
namespace {

/// That a line usually has behind the bytes in which it begins.
constexpr std::size_t rest_of_line = 4096;

/// Appends what the file has from byte `offset` on, as far as it is read at once, at most `most` bytes. Returns whether
/// there was anything.
bool read_more(Context<Host>& ctx, const InputFile& file, std::size_t offset, std::size_t most, GrowingText& bytes) {
  ctx.poll();
  const Span<char, Host> room = bytes.room();
  const std::size_t count = file.read_at(offset, room.subspan(0, std::min(room.size(), most)));
  bytes.append(count);
  return count > 0;
}

bool holds_header(std::string_view text) {
  take_line(text);
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (is_record(skip_blanks(line))) {
      return line.data() + line.size() < text.data();  // all of it
    }
  }
  return false;
}

}  // namespace

FileLines::FileLines(Context<Host>& ctx, const InputFile& file, std::size_t begin, std::size_t end)
    : bytes_(ctx, end - begin + rest_of_line) {
  const std::size_t before = begin - 1;  // a line begins at `begin` where the byte before ends one
  const std::size_t wanted = end - before;
  const auto has_end = [&](std::size_t from) {
    return bytes_.text().find('\n', std::max(from, wanted - 1)) != std::string_view::npos;
  };
  for (std::size_t read = 0;; read = bytes_.text().size()) {
    const std::size_t most = read < wanted ? wanted - read : rest_of_line;
    if (!read_more(ctx, file, before + read, most, bytes_) || has_end(read)) {
      break;
    }
  }
  const std::string_view text = bytes_.text();
  const std::size_t first = std::min(text.find('\n'), text.size());
  if (first + 1 >= std::min(wanted, text.size())) {
    return;
  }
  begin_ = first + 1;
  size_ = std::min(text.find('\n', wanted - 1), text.size() - 1) + 1 - begin_;
}

GrowingText read_header(Context<Host>& ctx, const InputFile& file) {
  constexpr std::size_t usual_header = std::size_t{1} << 16;
  GrowingText bytes(ctx, usual_header);
  while (!holds_header(bytes.text()) && read_more(ctx, file, bytes.text().size(), usual_header, bytes)) {
  }
  return bytes;
}

}  // namespace amgsolve
