#include "problems/decompress.hpp"

#if AMGSOLVE_HAVE_LZMA
#include <lzma.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#endif

namespace amgsolve {

#if AMGSOLVE_HAVE_LZMA

GrowingText decompress_xz(Context<Host>& ctx, const std::string& path, std::string_view compressed) {
  constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, no_limit, LZMA_CONCATENATED) != LZMA_OK) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> end_stream(&stream, lzma_end);

  GrowingText text(ctx, GrowingText::usual_ratio * compressed.size());
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
        throw_unreadable(path, "the xz data is truncated");
      case LZMA_MEM_ERROR:
        throw std::bad_alloc();
      default:
        throw_unreadable(path, "the xz data is corrupt");
    }
  }
}

#else

GrowingText decompress_xz(Context<Host>& /*ctx*/, const std::string& path, std::string_view /*compressed*/) {
  throw_unreadable(path, "it is compressed by xz, and this amgsolve was built without liblzma");
}

#endif

}  // namespace amgsolve
