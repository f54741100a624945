#include "problems/decompress.hpp"

#if AMGSOLVE_HAVE_ZLIB
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

#include "core/format.hpp"
#endif

namespace amgsolve {

#if AMGSOLVE_HAVE_ZLIB

GrowingText decompress_gzip(Context<Host>& ctx, const std::string& path, std::string_view compressed) {
  constexpr int gzip_only = 16;
  constexpr std::size_t largest_input = std::numeric_limits<uInt>::max();
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + gzip_only) != Z_OK) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end_stream(&stream, inflateEnd);

  GrowingText text(ctx, GrowingText::usual_ratio * compressed.size());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  std::size_t input_left = compressed.size();
  for (;;) {
    const Span<char, Host> room = text.room();
    const auto input = static_cast<uInt>(std::min(input_left, largest_input));
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
        for (; input_left > 0 && *stream.next_in == 0; --input_left) {  // as tapes are filled up
          ++stream.next_in;
        }
        if (input_left == 0) {
          return text;
        }
        inflateReset(&stream);
        break;
      case Z_BUF_ERROR:
        throw_unreadable(path, "the gzip data is truncated");
      case Z_MEM_ERROR:
        throw std::bad_alloc();
      default:
        throw_unreadable(
            path, format_text("the gzip data is corrupt ({})", stream.msg != nullptr ? stream.msg : "unknown format"));
    }
  }
}

#else

GrowingText decompress_gzip(Context<Host>& /*ctx*/, const std::string& path, std::string_view /*compressed*/) {
  throw_unreadable(path, "it is compressed by gzip, and this amgsolve was built without zlib");
}

#endif

}  // namespace amgsolve
