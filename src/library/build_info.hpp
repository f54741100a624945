#pragma once

#include <string_view>

namespace amgsolve {

/// How this library was built, as CMake knew it when it configured.
struct BuildInfo {
  std::string_view version;
  std::string_view compiler;    ///< name and version
  std::string_view flags;       ///< of the build type, with -march=native where it was chosen
  std::string_view cuda;        ///< version of the toolkit; empty: no CUDA backend
  std::string_view git_commit;  ///< at configuration; empty outside a checkout
};

const BuildInfo& build_info();

}  // namespace amgsolve
