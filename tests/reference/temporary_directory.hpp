#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace amgsolve::reference {

/// A fresh directory, removed with everything in it at the end of the scope.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file of this name and returns its path.
  std::filesystem::path write(const std::string& name, std::string_view contents) const;

  /// The number of files and directories in it.
  std::size_t entries() const;

 private:
  std::filesystem::path path_;
};

/// The bytes of a file, "" where it cannot be read.
std::string bytes_of_file(const std::filesystem::path& path);

}  // namespace amgsolve::reference
