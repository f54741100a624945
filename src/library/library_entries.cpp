#include <algorithm>
#include <array>
#include <string>

#include "amg/smoother.hpp"
#include "core/format.hpp"
#include "src/library/schema.hpp"
#include "src/library/schema_builders.hpp"

namespace amgsolve {
namespace {

/// Three numbers that ascend, as validate() checks.
SchemaEntry ascending_limits(std::string_view key, std::array<Offset, 3>& target, std::string_view help) {
  const auto get = [&target] { return Value(std::vector<std::int64_t>(target.begin(), target.end())); };
  const auto set = [&target](const Value& value) {
    std::ranges::copy(std::get<std::vector<std::int64_t>>(value), target.begin());
  };
  return {.key = key,
          .help = help,
          .type = ValueType::integer_list,
          .range = schema::at_least(0),
          .min_items = 3,
          .max_items = 3,
          .get = get,
          .set = set,
          .default_value = get()};
}

schema::Words<const SpgemmAlgorithm*> spgemm_words() {
  schema::Words<const SpgemmAlgorithm*> words;
  for (const SpgemmAlgorithm& algorithm : spgemm_algorithms()) {
    words.emplace_back(algorithm.name, &algorithm);
  }
  return words;
}

std::string_view spgemm_help() {
  static const std::string text = [] {
    std::string result = "How sparse matrix products are formed";
    for (const SpgemmAlgorithm& algorithm : spgemm_algorithms()) {
      result += format_text("{} {} ({})", result.back() == ')' ? "," : ":", algorithm.name, algorithm.help);
    }
    return result;
  }();
  return text;
}

}  // namespace

std::vector<SchemaEntry> library_entries(Configuration& c) {
  using namespace schema;
  return entries_of({
      choice("solver.backend", c.backend,
             {{"auto", Backend::automatic}, {"host", Backend::host}, {"cuda", Backend::cuda}},
             "Where to run: on the CPU cores, on an NVIDIA GPU, or on a GPU where there is one"),
      integer("solver.device", c.device, at_least(-1),
              "CUDA device, counted from 0 as CUDA_VISIBLE_DEVICES leaves them; -1 takes the current one; each "
              "of several ranks its own, those of a machine in turn"),
      choice("solver.method", c.solver.method, {method_names.begin(), method_names.end()},
             "Conjugate gradients, flexible conjugate gradients, MINRES for symmetric matrices that are indefinite, "
             "GMRES, "
             "flexible GMRES or BiCGStab, preconditioned by one multigrid cycle, or multigrid cycles alone. auto is cg "
             "for "
             "a symmetric matrix (fcg where the cycle is not symmetric, fgmres with gmres_polynomial), else fgmres"),
      integer(
          "solver.restart", c.solver.restart, {.low = 1, .high = 1000},
          "gmres, fgmres: iterations after which they begin anew; each takes the memory of a vector, with fgmres of "
          "two"),
      real("solver.tolerance", c.solver.tolerance, at_least_and_below(0, 1),
           "Stop when the residual b - A x is this small relative to b, in every column; auto is 1e-8, and 1e-5 in "
           "single precision"),
      choice("solver.stopping", c.solver.stopping, {{"attainable", Stopping::attainable}, {"strict", Stopping::strict}},
             "What counts as converged where rounding errors keep the residual above the tolerance: attainable takes a "
             "backward error at rounding level, since no solver in this precision gets further; strict takes nothing "
             "but the tolerance"),
      integer("solver.max_iterations", c.solver.max_iterations, at_least(0), "Give up after this many iterations"),
      choice("solver.reuse", c.solver.reuse,
             {{"none", Reuse::none}, {"pattern", Reuse::pattern}, {"hierarchy", Reuse::hierarchy}},
             "What new values in a known pattern leave of the hierarchy: nothing; aggregates and patterns, which keeps "
             "the plans of products in memory; or all but the finest level's matrix and smoother"),
      real("solver.rebuild_factor", c.solver.rebuild_factor, at_least(1),
           "The hierarchy is set up anew with the next values after a solve that did not converge, or took more than "
           "this times as many iterations as the first one after a setup, and at least two more, for as much of the "
           "residual as both have removed"),
      integer("solver.threads", c.threads, at_least(0),
              "OpenMP threads, at most 64 or four a core; 0 takes all that OpenMP offers, up to there"),
      integer("solver.memory_limit", c.memory_limit, at_least(0),
              "Most memory that matrices and vectors may take, of the host or of the GPU; 0 is no limit", "bytes"),

      choice(
          "amg.strength.measure", c.amg.strength.measure,
          {{"auto", StrengthMeasure::automatic},
           {"signed", StrengthMeasure::signed_relative},
           {"symmetric", StrengthMeasure::symmetric}},
          "What makes a coupling strong: its part of the largest that pulls the same way in its rows (signed), or of "
          "sqrt(a_ii a_jj) by magnitude (symmetric). auto is signed where there are as many candidates as unknowns a "
          "node, unless most couplings are positive, else symmetric"),
      real("amg.strength.threshold", c.amg.strength.threshold, at_least_and_below(0, 1),
           "Part below which a coupling is weak. auto is 0.02 for symmetric, else 0.35, or on the finest level and "
           "below 0.5 and 0.45 where couplings are uneven (jumps), 0.45 and 0.3 in networks, 0.6 and 0.38 where they "
           "have a direction; raise it where the hierarchy coarsens across weak directions"),
      choice(
          "amg.filter", c.amg.filter, {{"auto", {}}, {"true", true}, {"false", false}},
          "Smooth the prolongator with the matrix without its weak couplings, lumped on the diagonal; auto does with "
          "the signed measure, but for several unknowns a node only where it drops more than 0.3 of the rows' weight. "
          "false is worth a try where it drops much and the iterations grow with the size"),
      integer(
          "amg.prolongator_steps", c.amg.prolongator_steps, {.low = 1, .high = 2},
          "Smoothing steps of the prolongator; auto takes two where couplings have a direction, unless there are more "
          "candidates than unknowns a node: fewer iterations, a denser hierarchy"),
      real("amg.density_limit", c.amg.density_limit, above(0),
           "A prolongator that would make a coarse matrix of more than this times the entries of its level's is made "
           "sparser, or of larger aggregates where candidates outnumber the unknowns of a node; so is one down to 0.6 "
           "of this where all coarse levels would have more than 1.6 times this of the finest's entries, 1.8 times "
           "where couplings are uneven; lower it to save memory and time in each iteration"),
      integer(
          "amg.block_size", c.amg.block_size, at_least(1),
          "Unknowns per node: 2 or 3 for elasticity, 6 for shells. auto takes what the coordinates of the nodes "
          "say, else what the matrix shows: blocks that are mostly full, of unknowns that are smooth by themselves"),
      choice("amg.unknowns", c.amg.unknowns, {{"by_node", Numbering::by_node}, {"by_field", Numbering::by_field}},
             "How the unknowns of nodes are numbered: all of a node, then all of the next one, or the first unknown of "
             "all nodes, then the second one of all"),
      choice("amg.cycle", c.amg.cycle,
             {{"auto", CycleType::automatic},
              {"V", CycleType::v},
              {"W", CycleType::w},
              {"F", CycleType::f},
              {"K", CycleType::k}},
             "Shape of a multigrid cycle; F is not quite symmetric and K, which scales and combines its corrections, "
             "varies: neither is for cg or minres, nor K for gmres. auto is K where the matrix is not symmetric, but V "
             "for gmres, else V"),
      real("amg.over_correction", c.amg.over_correction, at_least_and_below(1, 2),
           "Scaling of a coarse correction by a V-cycle, which solves coarse problems from one side"),
      choice("amg.smoother.type", c.amg.smoother.type, smoother_names(), smoother_help()),
      real("amg.smoother.damping", c.amg.smoother.damping, strictly_between(0, 2),
           "Damping of jacobi and block_jacobi, in units of 1 / rho(D^-1 A)"),
      integer("amg.smoother.degree", c.amg.smoother.degree, {.low = 1, .high = 100},
              "Degree of the polynomial of chebyshev, of chebyshev_opt_fourth and block_chebyshev, at most 6, and of "
              "gmres_polynomial, at most 10. auto is 3 for the latter, else 2"),
      real("amg.smoother.lower_fraction", c.amg.smoother.lower_fraction, strictly_between(0, 1),
           "Lower end of the interval that chebyshev damps, as a fraction of rho(D^-1 A); auto is 0.12 for several "
           "unknowns a node, else 0.2"),
      integer("amg.pre_sweeps", c.amg.smoother.pre_sweeps, {.low = 0, .high = 1000},
              "Smoother sweeps before the coarse correction"),
      integer("amg.post_sweeps", c.amg.smoother.post_sweeps, {.low = 0, .high = 1000},
              "Smoother sweeps after the coarse correction"),
      choice("amg.precision", c.amg.precision,
             {{"auto", Precision::automatic}, {"same", Precision::same}, {"mixed", Precision::mixed}},
             "Hierarchy and cycle in the precision of the matrix (same), or in single under a double-precision method "
             "(mixed). auto is mixed for one unknown a node and one candidate, unless rows differ in size "
             "by more than a factor of 65536 or the method is gmres"),
      choice("amg.storage", c.amg.storage, storage_names(), storage_help()),
      integer("amg.max_levels", c.amg.max_levels, at_least(1), "Most levels of the hierarchy"),
      integer("amg.coarse_size", c.amg.coarse_size, at_least(1),
              "A level with at most this many rows is solved directly", "rows"),
      integer("amg.direct_solve_limit", c.amg.direct_solve_limit, at_least(0),
              "A coarsest level larger than coarse_size, because nothing coarsens it, is solved directly up to here, "
              "else smoothed",
              "rows"),
      real("amg.coarsening_stall_ratio", c.amg.coarsening_stall_ratio, {.low = 0, .high = 1, .low_open = true},
           "A level is not coarsened where the next would keep more than this fraction of its rows"),
      integer_list("amg.aggregation_passes", c.amg.aggregation_passes, {.low = 1, .high = 100}, 25,
                   "Passes of aggregation on each level, the last for all below: more passes, smaller aggregates"),
      real("amg.prolongator_damping", c.amg.prolongator_damping, at_least_and_below(0, 2),
           "Damping of a prolongator of one smoothing step, in units of 1 / rho(D^-1 A), where two have their own; 0 "
           "leaves it unsmoothed"),
      integer("amg.spectral_radius_steps", c.amg.spectral_radius_steps, {.low = 1, .high = 100},
              "Lanczos steps of the estimate of rho(D^-1 A)"),

      integer(
          "distributed.replicate_below", c.amg.replicate_below, at_least(0),
          "Of several ranks (docs/distributed.md) every one has the levels of at most this many nonzeros whole, and "
          "works on them by itself; auto: 13 million on devices, on cores 200000 for each thread of a rank"),
      choice("distributed.device_messages", c.device_messages, device_messages_words(),
             "How devices of several ranks send messages: by NCCL, directly by a CUDA-aware MPI, staged through the "
             "hosts' memory, or whichever is quickest"),

      choice("spgemm.algorithm", c.amg.spgemm.algorithm, spgemm_words(), spgemm_help()),
      ascending_limits(
          "spgemm.bins", c.amg.spgemm.bins,
          "esc: most products of a row that a few lanes, a warp and a block form; longer rows go to global "
          "memory"),
      integer("spgemm.slice_products", c.amg.spgemm.slice_products, at_least(0),
              "esc, esc_global: most products expanded at a time in global memory; 0 takes what half of the free "
              "memory holds"),
      boolean("spgemm.drop_zeros", c.amg.spgemm.drop_zeros, "Leave out entries of products that are exactly zero"),
      boolean("spgemm.statistics", c.amg.spgemm.statistics,
              "Tabulate for each level how many products its rows form and how far they expand and contract"),
  });
}

namespace {

/// Those of the entries that are not the defaults, as text.
/// @param counts  whether an entry with that value does
template <class Counts>
std::string changed_options(const Configuration& configuration, const Counts& counts) {
  Configuration bound;
  const std::vector<SchemaEntry> entries = library_entries(bound);
  bound = configuration;
  std::string text;
  for (const SchemaEntry& entry : entries) {
    const std::string value = format(entry.get());
    if (value != format(entry.default_value) && counts(entry, value)) {
      text += format_text("{}{}={}", text.empty() ? "" : ", ", entry.key, value);
    }
  }
  return text;
}

}  // namespace

std::string options_of_cycle(const Configuration& configuration) {
  return changed_options(configuration, [](const SchemaEntry& entry, const std::string&) {
    return entry.section() == "amg.smoother" || entry.key == "amg.over_correction" ||
           entry.key == "amg.spectral_radius_steps";
  });
}

std::string options_of_slow_cycle(const Configuration& configuration) {
  static constexpr std::string_view keys[] = {
      "amg.max_levels",         "amg.over_correction",       "amg.prolongator_damping",
      "amg.smoother.damping",   "amg.smoother.type",         "amg.strength.measure",
      "amg.strength.threshold", "amg.spectral_radius_steps", "amg.coarsening_stall_ratio"};
  return changed_options(configuration, [](const SchemaEntry& entry, const std::string& value) {
    const bool is_sweep = entry.key == "amg.pre_sweeps" || entry.key == "amg.post_sweeps";
    return std::ranges::find(keys, entry.key) != std::end(keys) || (is_sweep && value == "0");
  });
}

}  // namespace amgsolve
