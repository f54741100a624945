#pragma once

#include <cstddef>
#include <string_view>

#include "core/context.hpp"
#include "core/input_file.hpp"
#include "problems/decompress.hpp"

/// Parts of a plain text file, for ranks that read it together.
namespace amgsolve {

/// Whole lines of a file.
class FileLines {
 public:
  /// Those that begin within the bytes [begin, end), 1 ≤ begin: of consecutive ranges every line is in one. Reads no
  /// more than these bytes and the end of the last line. Throws InputError, OutOfMemoryError.
  FileLines(Context<Host>& ctx, const InputFile& file, std::size_t begin, std::size_t end);

  std::string_view text() const { return bytes_.text().substr(begin_, size_); }

 private:
  GrowingText bytes_;
  std::size_t begin_ = 0;  ///< of the text in bytes_
  std::size_t size_ = 0;
};

/// The beginning of a file up to the first line that is neither its first one nor blank nor a comment, and maybe more:
/// all of a Matrix Market file's header. The whole file where there is no such line.
GrowingText read_header(Context<Host>& ctx, const InputFile& file);

}  // namespace amgsolve
