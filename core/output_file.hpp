#pragma once

#include <filesystem>
#include <string_view>

namespace amgsolve {

/// A file that appears under its name only when it is complete: bytes go to a temporary file in the same directory,
/// which commit() renames. Without a commit the temporary file is removed and what stood under the name stays. Where
/// the file system lets it, the temporary file has no name until then: however the process ends, nothing is left. A
/// symbolic link is followed; what is not a regular file (a pipe, /dev/stdout) is written in place. A file that may not
/// be written is not replaced.
///
/// All members but the destructor throw OutputError, "path: cannot write: reason".
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Append. Unbuffered: one system call each, so write in large pieces.
  void write(std::string_view bytes);

  /// Close the file and put it in its place. Nothing can be written after.
  void commit();

 private:
  OutputFile(std::filesystem::path path, std::filesystem::path target);

  [[noreturn]] void fail(std::string_view reason) const;
  [[noreturn]] void fail_with_errno() const;
  template <class Make>
  void name_temporary(Make&& make);
  void create_temporary();

  std::filesystem::path path_;       ///< as the caller named it
  std::filesystem::path target_;     ///< with symbolic links resolved
  std::filesystem::path temporary_;  ///< empty where there is none that has a name
  bool is_nameless_ = false;         ///< the temporary file
  int descriptor_ = -1;
};

/// Write a whole file at once; see OutputFile.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

}  // namespace amgsolve
