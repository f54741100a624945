#pragma once

#include <optional>
#include <string>
#include <vector>

#include "amg/matrix_analysis.hpp"
#include "amg/options.hpp"
#include "src/library/json.hpp"

/// What was seen of a matrix, as text and as JSON, and what to try because of it.
namespace amgsolve {

/// Something seen of a matrix that asks for other choices than those at hand.
struct Hint {
  std::string seen;
  std::string what_to_do;
  std::string setting{};  ///< "solver.method=minres"; empty where no key alone does it
};

/// ", or 'amg.coarse_size' 5357 to solve directly" where so many rows may be; else empty.
std::string or_directly(std::int64_t rows);

/// What is wrong with the candidates, the numbering of the unknowns or the size of the rows; nothing where nothing is.
std::optional<Hint> hint_of_candidates(const ConstantsCheck& seen);

/// The same, or else what a solve may lack that was slow.
Hint hint_of_slow_solve(const ConstantsCheck& seen);

/// Of rows that were multiplied by very different numbers; nothing where they were not. See lopsided_share().
std::optional<Hint> hint_of_lopsided_rows(double lopsided);

/// What to try with a matrix that need not be symmetric, after a method that takes any did not converge.
Hint hint_of_failed_general_solve(double lopsided);

/// In the order in which to try them.
std::vector<Hint> hints_of(const MatrixAnalysis& analysis, const AmgOptions& amg, const SolverOptions& solver);

/// A table of all that was seen, and the hints below it.
std::string analysis_text(const MatrixAnalysis& analysis, const std::vector<Hint>& hints);

/// The most of it in a line, and a line for each hint.
std::string short_analysis_text(const MatrixAnalysis& analysis, const std::vector<Hint>& hints);

Json analysis_json(const MatrixAnalysis& analysis, const std::vector<Hint>& hints);

}  // namespace amgsolve
