#pragma once

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve {

/// A directory to write into, made where it is missing, and removed with this object if it was made and is empty, as
/// where the first file has found no room.
class OutputFolder {
 public:
  /// Throws OutputError where it is neither there nor can be made.
  explicit OutputFolder(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code error;
    is_new_ = create_directory(path_, error);
    if (error) {
      throw OutputError(format_text("{}: cannot make the directory: {}", path_.string(), error.message()));
    }
  }

  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  ~OutputFolder() {
    if (is_new_) {
      std::error_code ignored;
      remove(path_, ignored);  // nothing that has files in it
    }
  }

 private:
  std::filesystem::path path_;
  bool is_new_ = false;
};

}  // namespace amgsolve
