#pragma once

#include <filesystem>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "src/application/job_configuration.hpp"

namespace amgsolve {

/// The file that what the error is about comes from; empty: no file.
const std::filesystem::path& file_at_fault(const ProblemConfiguration& problem, const InputError& error);

/// Calls body(), and names the file of what is at fault where it has one.
template <class Body>
void naming_the_file(const ProblemConfiguration& problem, const Body& body) {
  try {
    body();
  } catch (const InputError& error) {
    const std::filesystem::path& file = file_at_fault(problem, error);
    if (file.empty()) {
      throw;
    }
    throw InputError(format_text("{}: {}", file.string(), error.what()));
  }
}

}  // namespace amgsolve
