#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/buffer.hpp"
#include "core/context.hpp"
#include "core/input_file.hpp"

namespace amgsolve {

/// A whole file in memory. Files compressed by gzip or xz are recognised by their first bytes, whatever their names,
/// and decompressed; several compressed streams in a row are one text, as for gzip and xz themselves. An .amg file is
/// mapped: who writes one puts a whole new file in its place, so that none gets shorter.
///
/// Tells the context's listener the bytes read so far (phase "read"). Timed as phase "load".
class TextFile {
 public:
  /// Throws InputError "path: cannot open: reason" or "path: cannot read: reason", the latter also for a compressed
  /// file that is corrupt or truncated or whose library the build is without; OutOfMemoryError where the (decompressed)
  /// text does not fit.
  TextFile(Context<Host>& ctx, const std::filesystem::path& path);

  /// As the caller named it.
  const std::string& path() const { return path_; }

  /// The bytes as they are: no terminating zero, line ends not translated.
  std::string_view text() const { return size_ > 0 ? std::string_view(bytes_.data(), size_) : mapped_.bytes(); }

  /// Bytes of memory that it takes: none where it is mapped.
  std::size_t bytes() const { return bytes_.size(); }

 private:
  std::string path_;
  Buffer<char, Host> bytes_;  ///< of what is not mapped
  std::size_t size_ = 0;
  MappedFile mapped_;
};

}  // namespace amgsolve
