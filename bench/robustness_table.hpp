#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "spmv/csr_matrix.hpp"

namespace amgsolve::bench {

/// A problem that default options should solve as well as any other.
struct RobustnessProblem {
  std::string family;
  std::string name;  ///< of its parameters, unique in the family
  /// @param size  unknowns along an edge; of no meaning to a file's
  std::function<CsrMatrix<double, Host>(Context<Host>&, Index size)> make;
  std::vector<Index> sizes;      ///< that bench_robustness takes; of a file one, 0
  std::filesystem::path file{};  ///< that it reads; empty: none

  /// Whether its file is absent.
  bool lacks_file() const { return !file.empty() && !std::filesystem::exists(file); }
};

/// The problems that show how robust default options are: bench_robustness tabulates them, and the tests bound
/// iterations and complexity of small ones.
/// @param data  the folder of ../shared/data
std::vector<RobustnessProblem> robustness_problems(const std::filesystem::path& data);

}  // namespace amgsolve::bench
