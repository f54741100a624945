#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// The rules of docs/architecture.md as a checker of source text: which room may include which, how includes are
/// spelled, where the headers of other libraries may appear, and what a file's suffix promises.
namespace amgsolve::house {

/// A source and its text; the path is relative to the repository's root: "spmv/spmv_host.cpp".
struct Source {
  std::filesystem::path path;
  std::string text;
};

/// The C++ and CUDA sources in the rooms below `root`, sorted by path.
std::vector<Source> read_sources(const std::filesystem::path& root);

/// What the sources do against the rules, each as "path:line: what is wrong"; empty for a house in order. Includes are
/// resolved among the sources given.
std::vector<std::string> find_violations(const std::vector<Source>& sources);

}  // namespace amgsolve::house
