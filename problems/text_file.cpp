#include "problems/text_file.hpp"

#include <utility>

#include "core/input_file.hpp"
#include "core/timer.hpp"
#include "problems/decompress.hpp"

namespace amgsolve {
namespace {

GrowingText read_bytes(Context<Host>& ctx, const std::string& path) {
  InputFile file(path);
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

GrowingText read_text(Context<Host>& ctx, const std::string& path) {
  GrowingText bytes = read_bytes(ctx, path);
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
  GrowingText text = read_text(ctx, path_);
  size_ = text.text().size();
  bytes_ = std::move(text).release();
}

}  // namespace amgsolve
