#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tests/dist/ranks.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve::ranks {

/// A directory of the first rank, whose files all ranks read.
class SharedFiles : public testing::Test {
 protected:
  SharedFiles() {
    const std::string own = world().rank() == 0 ? directory_.path().string() : "";
    const std::vector<char> name = world().all_gather_list(std::span<const char>(own));
    path_ = std::string(name.begin(), name.end());
  }
  ~SharedFiles() override { world().max(0); }  // until all have read them

  std::filesystem::path write(const std::string& name, const std::string& text) {
    if (world().rank() == 0) {
      directory_.write(name, text);
    }
    world().max(0);
    return path_ / name;
  }

  reference::TemporaryDirectory directory_;
  std::filesystem::path path_;
};

}  // namespace amgsolve::ranks
