#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <amgsolve/amgsolve.hpp>

#include "amg/result.hpp"
#include "core/context.hpp"

namespace amgsolve {

/// What there is to tell of a setup and a solve, for people (report_text.hpp) and for programs (report_json.hpp). What
/// did not happen is absent.
struct Report {
  std::optional<Status> status;       ///< absent until a solve ended or failed, and for a failure of no known kind
  std::string message;                ///< one sentence that says how it ended
  std::vector<std::string> warnings;  ///< what is not wrong but should be known
  double tolerance = 0.0;             ///< asked for
  std::optional<HierarchySummary> hierarchy;
  std::optional<SolveResult> result;
  Profile profile;
  std::size_t peak_bytes = 0;  ///< most memory that matrices and vectors took at a time
  int threads = 0;

  void set_result(SolveResult outcome);
  void set_error(std::optional<Status> kind, std::string what);

  /// Takes over what the context measured so far.
  void measure(Context<Host>& ctx);
};

}  // namespace amgsolve
