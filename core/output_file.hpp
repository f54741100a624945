#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace amgsolve {

/// A file that appears under its name only when it is complete: bytes go to a temporary file in the same directory,
/// which commit() renames; it has the permissions of the file that it replaces. Without a commit the temporary file is
/// removed and what stood under the name stays. Where the file system lets it, the temporary file has no name until
/// then: however the process ends, nothing is left. A symbolic link is followed; what is not a regular file (a pipe, a
/// device) is written in place, and so is what a descriptor of this process is open on, under its name (/dev/stdout).
/// A file that may not be written is not replaced.
///
/// All members but the destructor throw OutputError, "path: cannot write: reason".
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);

  /// Where other processes find a file that is shared.
  struct Place {
    std::string path;        ///< empty: nowhere
    std::uint64_t mark = 0;  ///< at the beginning of the file there; 0: there is none, nor another file of that name
  };

  /// The file that another process has shared, whose commit() puts it in its place; that of this one closes it alone.
  /// Where it is not to be found, is_open() is false.
  /// @param path  of the whole file, for errors
  OutputFile(const std::filesystem::path& path, const Place& shared);

  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }

  /// Has the file, of which nothing is written yet, `size` bytes, at least 8, for other processes to write, too. Where
  /// the temporary file has no name, those of this machine find it, and, `by_name`, those of others that see its
  /// directory, for which it gets one. What is no regular file, or has a file system that sets no sizes, is found
  /// nowhere.
  Place share(std::size_t size, bool by_name);

  /// Append. Unbuffered: one system call each, so write in large pieces.
  void write(std::string_view bytes);

  /// From byte `place` on, of a file that is shared.
  void write_at(std::size_t place, std::string_view bytes);

  /// Close the file and put it in its place. Nothing can be written after.
  void commit();

 private:
  OutputFile(std::filesystem::path path, int descriptor);

  [[noreturn]] void fail(std::string_view reason) const;
  [[noreturn]] void fail_with_errno() const;
  template <class Make>
  void name_temporary(Make&& make);
  void create_temporary();
  void name_temporary();

  std::filesystem::path path_;       ///< as the caller named it
  std::filesystem::path target_;     ///< with symbolic links resolved
  std::filesystem::path temporary_;  ///< empty where there is none that has a name
  bool is_nameless_ = false;         ///< the temporary file
  int descriptor_ = -1;
};

enum class OnSignal { give_up, go_on };

/// Writes all bytes to a descriptor, also to one that does not wait. Returns whether it could, else errno says why not:
/// EINTR where a signal came, unless it goes on. Takes no memory.
bool write_all(int descriptor, std::string_view bytes, OnSignal on_signal = OnSignal::give_up);

/// Where a symbolic link leads, or links one after the other, to a file that may not be there yet; another path as it
/// is.
std::filesystem::path followed_links(std::filesystem::path path);

/// The descriptor of this process whose name the path is, or leads to by symbolic links: 1 of /dev/stdout, 3 of
/// /proc/self/fd/3, open or not.
std::optional<int> named_descriptor(const std::filesystem::path& path);

/// Whether two files, of which one at least is written in place, are one pipe, device or open file: an OutputFile of
/// each would mix with the other or replace it. /dev/null takes any number, by several names or descriptors.
bool share_a_place(const std::filesystem::path& a, const std::filesystem::path& b);

/// Whether what is written to one would be found under the other.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Whether an OutputFile of the first path replaces the file of the other; pipes, devices and open files are written in
/// place.
bool is_written_over(const std::filesystem::path& written, const std::filesystem::path& other);

/// Why no OutputFile can be written there, as far as it is known before one is made; empty: nothing speaks against it.
std::string reason_not_to_write(const std::filesystem::path& path);

/// Write a whole file at once; see OutputFile.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

}  // namespace amgsolve
