#include "src/library/matrix_advice.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/format.hpp"
#include "src/library/table.hpp"

namespace amgsolve {
namespace {

/// Beyond this the constants are no near-nullspace: rows that differ in size have 0.6 and more, meshes 0.2 at most.
constexpr double most_defect_of_constants = 0.5;

/// Above this constants are none of the near-nullspace. Problems for which they are it lie below 0.05, boundaries
/// included.
constexpr double most_defect_of_near_nullspace = 0.15;

/// Of meshes and power grids whose rows were scaled by random numbers up to 0.19. The circuit G2_circuit has 0.58, and
/// takes 20 iterations with the constants, 76 with the scaled ones.
constexpr double most_defect_of_scaled_constants = 0.25;

bool needs_symmetry(Method method) { return method == Method::cg || method == Method::fcg || method == Method::minres; }

bool needs_definiteness(Method method) {
  return method == Method::automatic || method == Method::cg || method == Method::fcg || method == Method::amg;
}

std::string of_rows(std::int64_t count, Index rows, const char* none) {
  return count == rows ? "all" : count == 0 ? none : format_text("{} of {}", count, rows);
}

constexpr const char* needs_of_bodies =
    "'amg.block_size', with fixed unknowns left in as rows of a diagonal entry alone so that nodes are alike, and "
    "'problem.coordinates'";

/// What a matrix of displacements looks like whose fixed unknowns were left out. s3rmt3m3: 0.47 of the couplings are
/// positive, no row is dominant, and the constants have a defect of 0.02; bodies with unknowns a node have up to 0.16.
bool is_like_a_body(const EntryCounts& counts, Index rows, const ConstantsCheck& constants) {
  const auto positive = static_cast<double>(counts.positive_couplings);
  const double share = positive / std::max(positive + static_cast<double>(counts.negative_couplings), 1.0);
  return share > 0.3 && share < 0.7 && counts.dominant < 0.05 * rows && constants.defect < 0.1;
}

bool has_diagonal(const EntryCounts& counts) { return counts.largest > 0.0; }

Index zero_diagonal(const MatrixAnalysis& a) {
  return a.rows - a.counts.positive_diagonal - a.counts.negative_diagonal;
}

std::string symmetry_text(const MatrixAnalysis& a) {
  if (a.counts.unmatched > 0) {
    return format_text("{}, {} of {} entries have no mirror",
                       a.is_symmetric() ? "symmetric but for stored zeros" : "no", a.counts.unmatched, a.nnz);
  }
  return a.is_symmetric() ? "yes"
                          : format_text("of the pattern alone: entry in row {}, column {} differs from its mirror",
                                        a.findings.asymmetry.row + 1, a.findings.asymmetry.col + 1);
}

std::string signs_of_diagonal(const MatrixAnalysis& a) {
  const EntryCounts& counts = a.counts;
  return counts.positive_diagonal == a.rows ? "positive"
         : counts.negative_diagonal == a.rows
             ? "negative"
             : format_text("{} positive, {} negative, {} zero or not stored", counts.positive_diagonal,
                           counts.negative_diagonal, zero_diagonal(a));
}

/// Nothing is known where a Ritz value is not positive.
std::optional<double> least_condition(const MatrixAnalysis& a) {
  return a.ritz && a.ritz->smallest > 0.0 ? std::optional(a.ritz->largest / a.ritz->smallest) : std::nullopt;
}

std::string lines_of(const std::vector<Hint>& hints) {
  std::string text;
  for (const Hint& hint : hints) {
    text += format_text("{}: {}\n", hint.seen, hint.what_to_do);
  }
  return text;
}

double percent(double share) { return 100.0 * share; }

/// Of unknowns that are numbered otherwise than was said.
Hint hint_of_numbering(const ConstantsCheck& seen) {
  const bool is_by_field = seen.modes.numbering == Numbering::by_node;
  const bool are_constants = seen.modes.of_constants.tell_of_numbering();
  const FailingRows& rows = are_constants ? seen.modes.of_constants : seen.modes.of_vectors;
  const std::string key = is_by_field ? "by_field" : "by_node";
  return {format_text("A takes {} far from zero in {:.0f} % of the rows, but in {:.0f} % where it is numbered {}",
                      are_constants ? format_text("the constants of {} unknowns a node", seen.block_size)
                                    : "the rigid-body modes of the coordinates",
                      percent(rows.share), percent(rows.otherwise), is_by_field ? "field by field" : "node by node"),
          format_text("try 'amg.unknowns' {}", key), format_text("amg.unknowns={}", key)};
}

/// Of vectors that are none of the matrix's.
Hint hint_of_vectors(const ModesCheck& modes) {
  return modes.modes == Modes::of_coordinates
             ? Hint{format_text("A takes translations nearly to zero, but rotations about the coordinates' centre far "
                                "from it in {:.0f} % of the rows",
                                percent(modes.of_vectors.share)),
                    "give the coordinates in the order of the nodes' rows, and x, y and z in that of a node's unknowns"}
             : Hint{format_text("A takes the near-nullspace that was given far from zero in {:.0f} % of the rows",
                                percent(modes.of_vectors.share)),
                    "give vectors that A takes nearly to zero, in the order of its rows"};
}

/// The next thing to try where the candidates are those of the matrix.
const char* smoother_to_try(const ConstantsCheck& seen) {
  return seen.block_size > 1 && !seen.has_block_smoother ? "amg.smoother.type=block_chebyshev"
                                                         : "amg.smoother.degree=4";
}

/// Of constants that would do with rows of the same size.
std::optional<Hint> hint_of_scaling(const ConstantsCheck& seen) {
  if (seen.defect <= most_defect_of_constants || seen.scaled_defect > most_defect_of_scaled_constants) {
    return std::nullopt;
  }
  return Hint{
      format_text("rows differ in size: |A 1| is {:.0f} % of |A| |1|, but with 1 / sqrt(a_ii) for 1 it is {:.0f} "
                  "%",
                  percent(seen.defect), percent(seen.scaled_defect)),
      "scale rows and columns by 1 / sqrt(a_ii), or with one unknown a node give that as "
      "'problem.near_nullspace'"};
}

}  // namespace

std::string or_directly(std::int64_t rows) {
  return rows <= most_direct_rows ? format_text(", or 'amg.coarse_size' {} to solve directly", rows) : "";
}

std::optional<Hint> hint_of_candidates(const ConstantsCheck& seen) {
  const ModesCheck& modes = seen.modes;
  if (modes.fail_by_numbering()) {
    return hint_of_numbering(seen);
  }
  if (modes.fail_by_vectors()) {
    return hint_of_vectors(modes);
  }
  return modes.modes == Modes::constants ? hint_of_scaling(seen) : std::nullopt;
}

Hint hint_of_slow_solve(const ConstantsCheck& seen) {
  if (std::optional<Hint> hint = hint_of_candidates(seen)) {
    return *std::move(hint);
  }
  if (seen.node_size > seen.block_size) {
    return {format_text("the rows look like those of nodes with {} unknowns", seen.node_size),
            format_text("try 'amg.block_size' {}, and give the nodes' 'problem.coordinates' where the unknowns are "
                        "displacements",
                        seen.node_size),
            format_text("amg.block_size={}", seen.node_size)};
  }
  const std::string setting = smoother_to_try(seen);
  if (!are_constants(seen.modes.modes)) {
    const char* const what = seen.modes.modes == Modes::given ? "the near-nullspace that was given"
                                                              : "the rigid-body modes of the coordinates";
    return {seen.modes.of_vectors.are_most()
                ? format_text("A takes neither the constants nor {} nearly to zero", what)
                : format_text("A takes {} nearly to zero in most rows, so it is not that", what),
            "try " + setting, setting};
  }
  if (seen.block_size > 1) {
    return {
        format_text("the constants of {} unknowns a node stand for rigid-body modes", seen.block_size),
        format_text("try {}, and give the nodes' 'problem.coordinates' where the unknowns are displacements", setting),
        setting};
  }
  const bool are_scaled = seen.modes.modes == Modes::scaled_constants;
  const bool are_relaxed = seen.modes.modes == Modes::relaxed_constants;
  const double defect = are_relaxed ? seen.modes.relaxation.image : are_scaled ? seen.scaled_defect : seen.defect;
  if (defect > most_defect_of_near_nullspace) {
    const char* const name = are_relaxed || are_scaled ? "B" : "1";
    return {
        format_text("{} for a near-nullspace, but |A {}| is {:.0f} % of |A| |{}|{}",
                    are_relaxed  ? "relaxed constants B stand"
                    : are_scaled ? "B = 1 / sqrt(a_ii) stands"
                                 : "the constants stand",
                    name, percent(defect), name, are_relaxed ? " on average" : ""),
        "try 'amg.smoother.degree' 4; matrices of edge and face elements, of curl and div, need multigrid of another "
        "kind",
        "amg.smoother.degree=4"};
  }
  return {format_text("A takes {} nearly to zero, but they may not be all of its near-nullspace",
                      are_relaxed  ? "constants that were relaxed"
                      : are_scaled ? "the constants times 1 / sqrt(a_ii)"
                                   : "the constants"),
          format_text("shells and other elastic bodies need {}; other matrices a higher 'amg.smoother.degree'",
                      needs_of_bodies)};
}

std::optional<Hint> hint_of_lopsided_rows(double lopsided) {
  if (lopsided <= most_lopsided) {
    return std::nullopt;
  }
  return Hint{
      format_text("rows differ in size: {:.0f} % of the entries are 1e4 times as large as their mirrors, or as small",
                  percent(lopsided)),
      "scale the rows, and the right-hand side, so that entries are about as large as their mirrors, as "
      "discretisations leave them"};
}

Hint hint_of_failed_general_solve(double lopsided) {
  if (std::optional<Hint> scaling = hint_of_lopsided_rows(lopsided)) {
    return *std::move(scaling);
  }
  return {"multigrid is for matrices like those of diffusion and convection",
          "try 'amg.prolongator_damping' 0 with 'solver.restart' 300 and 'amg.smoother.degree' 6, and with "
          "'amg.block_size' where nodes have several unknowns, scale rows and columns so that the rows sum to nearly "
          "zero, or use a direct solver",
          "amg.prolongator_damping=0"};
}

std::vector<Hint> hints_of(const MatrixAnalysis& analysis, const AmgOptions& amg, const SolverOptions& solver) {
  std::vector<Hint> hints;
  const bool is_pivoted = amg.solves_directly(analysis.rows) && !needs_definiteness(solver.method);
  const bool has_smoothable_diagonal = analysis.has_diagonal_of_one_sign() || is_pivoted;
  if (!analysis.is_symmetric()) {
    if (needs_symmetry(solver.method)) {
      hints.push_back({format_text("the matrix is not symmetric, as 'solver.method' {} needs it", name(solver.method)),
                       "let 'solver.method' be auto", "solver.method=auto"});
    }
    if (std::optional<Hint> scaling = hint_of_lopsided_rows(analysis.lopsided)) {
      hints.push_back(*std::move(scaling));
    }
    if (!has_smoothable_diagonal) {
      hints.push_back(
          {format_text("{} rows have a positive diagonal entry, {} a negative one and {} none; multigrid smooths by "
                       "the diagonal",
                       analysis.counts.positive_diagonal, analysis.counts.negative_diagonal, zero_diagonal(analysis)),
           "permute the equations so that large entries of one sign stand there, or " + directly(analysis.rows)});
    }
    return hints;
  }
  if (solver.method != Method::minres && !has_smoothable_diagonal) {
    hints.push_back({"the diagonal is not of one sign, so the matrix is symmetric but not definite",
                     "try 'solver.method' minres, or " + directly(analysis.rows), "solver.method=minres"});
  } else if (needs_definiteness(solver.method) && analysis.is_indefinite()) {
    hints.push_back({format_text("the matrix is symmetric but not definite: there is a v with v'Av = {:.2g} v'Dv",
                                 analysis.ritz->smallest),
                     "try 'solver.method' minres or gmres", "solver.method=minres"});
  }
  if (hints.empty() && analysis.constants) {
    const ConstantsCheck& constants = *analysis.constants;
    if (std::optional<Hint> hint = hint_of_candidates(constants)) {
      hints.push_back(*std::move(hint));
    } else if (!are_constants(constants.modes.modes)) {
      return hints;
    } else if (constants.block_size > 1) {
      hints.push_back({format_text("there are {} unknowns a node", constants.block_size),
                       "where they are displacements give the nodes' 'problem.coordinates', or rigid-body modes as "
                       "'problem.near_nullspace'"});
    } else if (is_like_a_body(analysis.counts, analysis.rows, constants) && !amg.solves_directly(analysis.rows)) {
      hints.push_back(
          {"about half of the couplings are positive and hardly a row is dominant, as of shells and other "
           "elastic bodies, but no unknowns a node are seen",
           format_text("such bodies need {}{}", needs_of_bodies, or_directly(analysis.rows)),
           analysis.rows <= most_direct_rows ? format_text("amg.coarse_size={}", analysis.rows) : ""});
    }
  }
  return hints;
}

std::string analysis_text(const MatrixAnalysis& analysis, const std::vector<Hint>& hints) {
  const EntryCounts& counts = analysis.counts;
  Table table({{"matrix", Table::Align::left}, {"seen", Table::Align::left}});
  table.add_row(
      {"size", format_text("{}, {}", format_count(analysis.rows, "row"), format_count(analysis.nnz, "nonzero"))});
  table.add_row({"entries a row", format_text("{:.2f}, {} to {}", analysis.lengths.mean, analysis.lengths.shortest,
                                              analysis.lengths.longest)});
  table.add_row({"bandwidth", format_text("{}", counts.bandwidth)});
  table.add_row({"symmetric", symmetry_text(analysis)});
  table.add_row({"diagonal", signs_of_diagonal(analysis)});
  if (has_diagonal(counts)) {
    table.add_row({"its magnitudes", format_text("{:.2e} to {:.2e}", counts.smallest, counts.largest)});
  }
  table.add_row(
      {"couplings", format_text("{} negative, {} positive", counts.negative_couplings, counts.positive_couplings)});
  table.add_row({"dominant rows", of_rows(counts.dominant, analysis.rows, "none")});
  table.add_row({"rows of sum zero", of_rows(counts.zero_sums, analysis.rows, "none")});
  table.add_row({"uncoupled rows", of_rows(counts.uncoupled, analysis.rows, "none")});
  table.add_row({"components", format_text("{}", analysis.components)});
  if (!analysis.is_symmetric()) {
    table.add_row(
        {"entries 1e4 times their mirrors", format_text("{:.0f} %, or as small", percent(analysis.lopsided))});
  }
  if (analysis.constants) {
    table.add_row({"unknowns a node", format_text("{}", analysis.constants->block_size)});
    table.add_row({"|A 1| / |A| |1|", format_text("{:.2g}", analysis.constants->defect)});
    if (has_diagonal(counts)) {
      table.add_row({"with 1 / sqrt(a_ii) for 1", format_text("{:.2g}{}", analysis.constants->scaled_defect,
                                                              analysis.constants->modes.modes == Modes::scaled_constants
                                                                  ? ", which is taken for the near-nullspace"
                                                                  : "")});
    }
  }
  if (analysis.constants && analysis.constants->modes.relaxation.products > 0) {
    const Relaxation& relaxation = analysis.constants->modes.relaxation;
    table.add_row({"mean of |A B| / |A| |B|",
                   format_text("{:.2g} of {} that {} products have relaxed, {:.2g} before, which are taken for the "
                               "near-nullspace",
                               relaxation.image,
                               are_constants(analysis.constants->modes.modes) ? "constants" : "rigid-body modes",
                               relaxation.products, relaxation.image_before)});
  }
  if (analysis.ritz) {
    table.add_row({"spectrum of D^-1 A", format_text("{:.2e} to {:.2e} at least, by {} Lanczos steps",
                                                     analysis.ritz->smallest, analysis.ritz->largest, analysis_steps)});
  }
  const std::string text = format_text("Analysis: nothing is solved\n{}\n", table.text());
  return text + (hints.empty() ? "Nothing asks for other choices.\n" : lines_of(hints));
}

std::string short_analysis_text(const MatrixAnalysis& analysis, const std::vector<Hint>& hints) {
  const std::optional<double> condition = least_condition(analysis);
  return format_text(
      "Matrix: {}symmetric, {:.2f} entries a row ({} to {}), diagonal {}, {} of {} rows sum to zero, {}{}\n{}\n",
      analysis.is_symmetric() ? "" : "not ", analysis.lengths.mean, analysis.lengths.shortest, analysis.lengths.longest,
      signs_of_diagonal(analysis), analysis.counts.zero_sums, analysis.rows,
      format_count(analysis.components, "component"),
      condition ? format_text(", condition of D^-1 A at least {:.1e}", *condition) : "", lines_of(hints));
}

Json analysis_json(const MatrixAnalysis& analysis, const std::vector<Hint>& hints) {
  const EntryCounts& counts = analysis.counts;
  Json json = {{"rows", analysis.rows},
               {"nnz", analysis.nnz},
               {"shortest_row", analysis.lengths.shortest},
               {"mean_row", analysis.lengths.mean},
               {"longest_row", analysis.lengths.longest},
               {"bandwidth", counts.bandwidth},
               {"symmetric", analysis.is_symmetric()},
               {"entries_without_mirror", counts.unmatched},
               {"positive_diagonal", counts.positive_diagonal},
               {"negative_diagonal", counts.negative_diagonal},
               {"smallest_diagonal", has_diagonal(counts) ? Json(counts.smallest) : Json()},
               {"largest_diagonal", counts.largest},
               {"positive_couplings", counts.positive_couplings},
               {"negative_couplings", counts.negative_couplings},
               {"dominant_rows", counts.dominant},
               {"rows_of_sum_zero", counts.zero_sums},
               {"uncoupled_rows", counts.uncoupled},
               {"components", analysis.components},
               {"lopsided_share", analysis.lopsided},
               {"constants_defect", analysis.constants ? Json(analysis.constants->defect) : Json()},
               {"scaled_constants_defect", analysis.constants ? Json(analysis.constants->scaled_defect) : Json()},
               {"relaxed_constants_image", analysis.constants && analysis.constants->modes.relaxation.products > 0
                                               ? Json(analysis.constants->modes.relaxation.image)
                                               : Json()},
               {"unknowns_a_node", analysis.constants ? Json(analysis.constants->block_size) : Json()},
               {"smallest_ritz_value", analysis.ritz ? Json(analysis.ritz->smallest) : Json()},
               {"largest_ritz_value", analysis.ritz ? Json(analysis.ritz->largest) : Json()}};
  Json list = Json::array();
  for (const Hint& hint : hints) {
    list.push_back({{"seen", hint.seen},
                    {"what_to_do", hint.what_to_do},
                    {"setting", hint.setting.empty() ? Json() : Json(hint.setting)}});
  }
  json["hints"] = std::move(list);
  return json;
}

}  // namespace amgsolve
