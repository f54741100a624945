#pragma once

#include <cstdint>
#include <filesystem>

#include "problems/generate.hpp"
#include "src/library/configuration.hpp"

namespace amgsolve {

enum class RightHandSide {
  ones,
  random,       ///< uniform in [-1, 1), by problem.seed
  manufactured  ///< of a known solution, whose discretisation error is reported; generated problems only
};

enum class InitialGuess { zero, random };

/// One of the words E, or a file in its place.
template <class E>
struct WordOrFile {
  E word{};
  std::filesystem::path file{};  ///< empty: the word counts
};

/// What to solve: a generated matrix where `matrix` is empty, else that file's.
struct ProblemConfiguration {
  GenerateOptions generate;
  std::filesystem::path matrix;
  WordOrFile<RightHandSide> rhs;
  WordOrFile<InitialGuess> initial_guess;
  std::filesystem::path near_nullspace;  ///< empty: the solver's default candidates
  int columns = 1;                       ///< right-hand sides, solved together
  std::int64_t seed = 0;                 ///< of random vectors
};

/// Files to write; empty: none.
struct OutputConfiguration {
  std::filesystem::path report;
  std::filesystem::path solution;
};

/// Everything problem.yaml can say. Paths are relative to the working directory or absolute.
struct JobConfiguration : Configuration {
  ProblemConfiguration problem;
  OutputConfiguration output;
};

enum class Verbosity { quiet, normal, verbose };

}  // namespace amgsolve
