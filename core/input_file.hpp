#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/memory_space.hpp"
#include "core/span.hpp"

namespace amgsolve {

/// The bytes of a file by its own pages, which are read when they are looked at. What shortens the file meanwhile ends
/// the process (SIGBUS).
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(const void* begin, std::size_t size) : begin_(begin), size_(size) {}
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::string_view bytes() const { return {static_cast<const char*>(begin_), size_}; }

 private:
  const void* begin_ = nullptr;
  std::size_t size_ = 0;
};

/// A file or pipe that is read from its beginning, a file also from anywhere. A directory or device is refused, and a
/// pipe that nobody writes to within half a second: reading it would never end.
class InputFile {
 public:
  /// Throws InputError "path: cannot open: reason".
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// What the file system tells; 0 for pipes.
  std::size_t expected_size() const { return expected_size_; }

  /// Bytes read into `room`; 0 at the end. Throws InputError "path: cannot read: reason".
  /// @param wait  called several times a second while a pipe has nothing to read; may throw
  std::size_t read(
      Span<char, Host> room, const std::function<void()>& wait = [] {});

  /// The same from byte `offset` of a file on. Of a pipe it throws.
  std::size_t read_at(std::size_t offset, Span<char, Host> room) const;

  /// The whole file; empty where it or its file system cannot be mapped.
  /// @param whole  it is to be looked at from its beginning to its end, not at some places alone
  MappedFile map(bool whole = true) const;

 private:
  [[noreturn]] void fail(std::string_view what, std::string_view reason) const;
  void wait_for_bytes() const;

  std::string path_;
  int descriptor_;
  std::size_t expected_size_ = 0;
  bool is_pipe_ = false;
  bool has_begun_ = false;  ///< a writer was there
};

/// Why no InputFile can be read there, as far as it is known before one is opened; empty: nothing speaks against it.
std::string reason_not_to_read(const std::filesystem::path& path);

}  // namespace amgsolve
