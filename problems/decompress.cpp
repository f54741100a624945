#include "problems/decompress.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve {
namespace {

constexpr std::size_t largest_piece = std::size_t{16} << 20;

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

void throw_unreadable(const std::string& path, std::string_view reason) {
  throw InputError(format_text("{}: cannot read: {}", path, reason));
}

}  // namespace amgsolve
