#include "problems/text_file.hpp"

#include <array>
#include <utility>

#include "core/timer.hpp"
#include "problems/amg_file_layout.hpp"
#include "problems/decompress.hpp"

namespace amgsolve {
namespace {

bool is_to_be_mapped(const InputFile& file) {
  std::array<char, amg_file_magic.size()> begin{};
  return file.expected_size() > 0 && is_amg_file({begin.data(), file.read_at(0, {begin.data(), begin.size()})});
}

GrowingText read_bytes(Context<Host>& ctx, InputFile& file) {
  // One byte more, so that the end of the file shows without growing.
  GrowingText bytes(ctx, file.expected_size() + 1);
  for (;;) {
    const std::size_t count = file.read(bytes.room(), [&ctx] { ctx.poll(); });
    if (count == 0) {
      return bytes;
    }
    bytes.append(count);
  }
}

GrowingText read_text(Context<Host>& ctx, InputFile& file, const std::string& path) {
  GrowingText bytes = read_bytes(ctx, file);
  switch (compression_of(bytes.text())) {
    case Compression::gzip:
      return decompress_gzip(ctx, path, bytes.text());
    case Compression::xz:
      return decompress_xz(ctx, path, bytes.text());
    case Compression::none:
      break;
  }
  return bytes;
}

}  // namespace

TextFile::TextFile(Context<Host>& ctx, const std::filesystem::path& path) : path_(path.string()) {
  const ScopedTimer timer(ctx, "load");
  InputFile file(path);
  if (is_to_be_mapped(file)) {
    mapped_ = file.map();
  }
  if (!mapped_.bytes().empty()) {
    ctx.notify({.phase = "read", .step = std::ssize(mapped_.bytes())});
    return;
  }
  GrowingText text = read_text(ctx, file, path_);
  size_ = text.text().size();
  bytes_ = std::move(text).release();
}

}  // namespace amgsolve
