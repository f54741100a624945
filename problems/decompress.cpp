#include "problems/decompress.hpp"

#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "core/errors.hpp"

namespace amgsolve {
namespace {

constexpr std::size_t largest_piece = std::size_t{16} << 20;
constexpr std::size_t usual_ratio = 4;  // of numbers as text

[[noreturn]] void fail(const std::string& path, std::string_view reason) {
  throw InputError(fmt::format("{}: cannot read: {}", path, reason));
}

[[noreturn]] void fail_for_memory(Context<Host>& ctx) {
  throw OutOfMemoryError(ctx.profile().current_path(), "host", largest_piece, 0);
}

}  // namespace

Span<char, Host> GrowingText::room() {
  if (size_ == bytes_.size()) {
    Buffer<char, Host> larger(*ctx_, std::max<std::size_t>(4096, checked_multiply(2, size_, "text size in bytes")));
    std::copy_n(bytes_.data(), size_, larger.data());
    bytes_ = std::move(larger);
  }
  return bytes_.span().subspan(size_, std::min(bytes_.size() - size_, largest_piece));
}

void GrowingText::append(std::size_t bytes) {
  size_ += bytes;
  ctx_->notify({.phase = "read", .step = static_cast<std::int64_t>(size_)});
}

Compression compression_of(std::string_view bytes) {
  if (bytes.substr(0, 2) == "\x1f\x8b") {
    return Compression::gzip;
  }
  return bytes.substr(0, 6) == std::string_view("\xfd\x37zXZ\0", 6) ? Compression::xz : Compression::none;
}

GrowingText decompress_gzip(Context<Host>& ctx, const std::string& path, std::string_view compressed) {
  constexpr int gzip_only = 16;
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + gzip_only) != Z_OK) {
    fail_for_memory(ctx);
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end_stream(&stream, inflateEnd);

  GrowingText text(ctx, usual_ratio * compressed.size());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  std::size_t input_left = compressed.size();
  for (;;) {
    const Span<char, Host> room = text.room();
    const auto input = static_cast<uInt>(std::min(input_left, largest_piece));
    stream.avail_in = input;
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    input_left -= input - stream.avail_in;
    text.append(room.size() - stream.avail_out);
    switch (status) {
      case Z_OK:
        break;
      case Z_STREAM_END:
        if (input_left == 0) {
          return text;
        }
        inflateReset(&stream);
        break;
      case Z_BUF_ERROR:
        fail(path, "the gzip data is truncated");
      case Z_MEM_ERROR:
        fail_for_memory(ctx);
      default:
        fail(path, fmt::format("the gzip data is corrupt ({})", stream.msg != nullptr ? stream.msg : "unknown format"));
    }
  }
}

GrowingText decompress_xz(Context<Host>& ctx, const std::string& path, std::string_view compressed) {
  constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, no_limit, LZMA_CONCATENATED) != LZMA_OK) {
    fail_for_memory(ctx);
  }
  const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> end_stream(&stream, lzma_end);

  GrowingText text(ctx, usual_ratio * compressed.size());
  stream.next_in = reinterpret_cast<const std::uint8_t*>(compressed.data());
  stream.avail_in = compressed.size();
  for (;;) {
    const Span<char, Host> room = text.room();
    stream.next_out = reinterpret_cast<std::uint8_t*>(room.data());
    stream.avail_out = room.size();
    const lzma_ret status = lzma_code(&stream, LZMA_FINISH);
    text.append(room.size() - stream.avail_out);
    switch (status) {
      case LZMA_OK:
        break;
      case LZMA_STREAM_END:
        return text;
      case LZMA_BUF_ERROR:
        fail(path, "the xz data is truncated");
      case LZMA_MEM_ERROR:
        fail_for_memory(ctx);
      default:
        fail(path, "the xz data is corrupt");
    }
  }
}

}  // namespace amgsolve
