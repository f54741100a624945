#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/buffer.hpp"
#include "core/context.hpp"

namespace amgsolve {

/// Bytes appended to a buffer that doubles when it is full.
class GrowingText {
 public:
  /// Of numbers as text to the same compressed.
  static constexpr std::size_t usual_ratio = 4;

  GrowingText(Context<Host>& ctx, std::size_t capacity) : ctx_(&ctx), bytes_(ctx, capacity) {}

  /// Free space at the end: at least one byte, and few enough that filling it takes well under a second.
  Span<char, Host> room();

  /// The first `bytes` of room() have been filled.
  void append(std::size_t bytes);

  std::string_view text() const { return {bytes_.data(), size_}; }
  Buffer<char, Host> release() && { return std::move(bytes_); }

 private:
  Context<Host>* ctx_;
  Buffer<char, Host> bytes_;
  std::size_t size_ = 0;
};

enum class Compression { none, gzip, xz };

/// Recognised by the magic bytes.
Compression compression_of(std::string_view bytes);

/// The text of one or more gzip members (RFC 1952) or xz streams. Throw InputError "path: cannot read: reason" where
/// the data is corrupt or ends early, or the build is without zlib or liblzma; OutOfMemoryError or
/// std::bad_alloc where the text does not fit.
GrowingText decompress_gzip(Context<Host>& ctx, const std::string& path, std::string_view compressed);
GrowingText decompress_xz(Context<Host>& ctx, const std::string& path, std::string_view compressed);

/// Throws InputError "path: cannot read: reason".
[[noreturn]] void throw_unreadable(const std::string& path, std::string_view reason);

}  // namespace amgsolve
