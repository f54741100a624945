#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "src/application/job_schema.hpp"

namespace amgsolve {

/// A value from the command line, which counts over the file's.
struct Override {
  std::string key;
  std::string value;
  std::string origin;  ///< as it was written, "--set solver.tolerance=1e-6": stands for the position in messages
};

/// Where the keys of a configuration that were given were: "problem.yaml:12:5", or an override as it was written.
class KeyPositions {
 public:
  using Positions = std::map<std::string, std::string, std::less<>>;

  explicit KeyPositions(Positions positions) : positions_(std::move(positions)) {}

  /// Of the longest key that a message names, so that it points to one of the values in conflict; empty where it names
  /// none that was given.
  std::string of(std::string_view message) const;

 private:
  Positions positions_;
};

/// Read problem.yaml and then the overrides into the configuration that the schema is bound to, and validate it as a
/// whole. Paths in the file are relative to the file, those of overrides and of /dev/stdin to the working directory. A
/// key may be written nested or dotted; an override's value for a section or a list is YAML, "[64, 64]".
///
/// A matrix, A.mtx, A.petsc, A.amg, A.mat or A.npz, also .gz or .xz, stands for a file that names it as
/// 'problem.matrix', and A_b.mtx, A_b.petsc, A_b.amg, A_b.mat or A_b.npy beside it as 'problem.rhs'. No file stands for
/// an empty one, and need not give a problem.
///
/// Throws one ConfigurationError with all that is wrong, a line each:
///   problem.yaml:12:5: unknown key 'toleranse' in 'solver'; did you mean 'tolerance'?
/// Lines and columns count from 1.
KeyPositions read_configuration(const std::filesystem::path& file, std::span<const Override> overrides,
                                const Schema& schema, JobConfiguration& configuration);

}  // namespace amgsolve
