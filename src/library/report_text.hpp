#pragma once

#include <string>

#include "src/library/report.hpp"

/// Reports as tables for a terminal. Each text is empty where there is nothing to tell, else lines that end in '\n'.
namespace amgsolve {

enum class Detail {
  normal,   ///< at most some 100 columns wide, long histories shortened
  complete  ///< every iteration, every level, every phase
};

/// Where it runs: the device, or the host and why it was chosen.
std::string place_text(const Report& report);

/// The forecast of the memory that will be needed: levels, setup, solve, and what is available by which limit.
std::string memory_text(const MemoryPlan& plan);

/// Level, rows, nonzeros, nonzeros per row, aggregates' mean size and memory; the complexities above them.
std::string hierarchy_text(const HierarchySummary& hierarchy);

/// What was decided on each level but the coarsest; empty where there is only one.
std::string coarsening_text(const HierarchySummary& hierarchy);

/// Each level's two products, where their statistics were asked for: rows, entries of the left factor, products,
/// entries of the result, and the range, mean and standard deviation of the rows' expansion and contraction.
std::string products_text(const HierarchySummary& hierarchy);

/// Iteration, relative residual (of the worst column) and the factor it fell by.
std::string history_text(const SolveResult& result, Detail detail);

/// Phases down, levels across: seconds, share of the whole run, and GB/s where a phase counts its bytes. What a phase
/// spent outside those in it is a row "other", so that nothing is missing from the sum.
std::string timing_text(const Profile& profile, Detail detail);

/// What phases noted, a line for each note: the phase, its level, the text. In complete detail only.
std::string notes_text(const Profile& profile, Detail detail);

/// Of what several ranks had each, the least, the mean and the most.
std::string ranks_text(const std::vector<RankStatistics>& ranks);

/// How it ended, in some lines.
std::string conclusion_text(const Report& report);

/// All of these.
std::string report_text(const Report& report, Detail detail = Detail::normal);

}  // namespace amgsolve
