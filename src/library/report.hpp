#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <amgsolve/amgsolve.hpp>

#include "amg/matrix_analysis.hpp"
#include "amg/result.hpp"
#include "core/context.hpp"
#include "core/device.hpp"
#include "src/library/backend.hpp"
#include "src/library/matrix_advice.hpp"
#include "src/library/memory_plan.hpp"
#include "src/library/memory_timeline.hpp"
#include "src/library/rank_statistics.hpp"

namespace amgsolve {

/// What there is to tell of a setup and a solve, for people (report_text.hpp) and for programs (report_json.hpp). What
/// did not happen is absent.
struct Report {
  std::optional<Status> status;       ///< absent until a solve ended or failed
  std::string message;                ///< one sentence that says how it ended
  std::vector<std::string> warnings;  ///< what is not wrong but should be known
  double tolerance = 0.0;             ///< asked for
  std::string options_of_cycle;       ///< that are not the defaults: "amg.smoother.damping=1.9"; see options_of_cycle()
  std::string options_of_slow_cycle;  ///< likewise
  Precision precision = Precision::automatic;  ///< of the levels, as it was asked for
  std::optional<MemoryPlan> memory_plan;
  std::optional<MatrixAnalysis> analysis;
  std::vector<Hint> hints;  ///< of the analysis
  std::optional<HierarchySummary> hierarchy;
  std::optional<SolveResult> result;
  Profile profile;
  MemoryTimeline memory_timeline;        ///< of the same memory; empty where nobody looked
  double copy_bytes_per_second = 0.0;    ///< what copies reach there; 0: not measured
  double double_flops_per_second = 0.0;  ///< and multiplications and additions in registers
  double float_flops_per_second = 0.0;
  std::size_t peak_bytes = 0;               ///< most memory that matrices and vectors took at a time, where they are
  std::optional<BackendChoice> backend;     ///< absent until it is chosen
  std::optional<DeviceDescription> device;  ///< of the backend cuda
  int threads = 0;                          ///< of the host
  std::vector<RankStatistics> ranks;        ///< by rank; empty where there is only one, or no solve

  /// @param is_single    A and x are in single precision
  /// @param has_product  products were the caller's, not of the A that was set up
  void set_result(SolveResult outcome, bool is_single = false, bool has_product = false);
  void set_error(const std::exception& error);

  /// Of an earlier solve, or of what failed, there is nothing to tell any more.
  void forget_outcome();

  /// Takes over what the context measured so far; waits for the device.
  template <MemorySpace S>
  void measure(Context<S>& ctx);

  /// The same while an error is at hand, which one of a device that failed must not hide.
  template <MemorySpace S>
  void measure_after_failure(Context<S>& ctx);
};

}  // namespace amgsolve
