#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "amg/couplings.hpp"
#include "amg/density_limits.hpp"
#include "amg/mis2.hpp"
#include "amg/options.hpp"
#include "amg/truncation.hpp"
#include "core/context.hpp"

/// What the defaults of Coarsening and Interpolator decide by, also where ranks share a level.
namespace amgsolve {

/// Entries of a level up to which a rank takes less time to work on all of it than on its part with ghosts to exchange,
/// the same on all ranks. Collective.
inline Offset replicated_entries(const Context<Cuda>&, const AmgOptions& options) {
  return options.replicate_below.value_or(13'000'000);
}
inline Offset replicated_entries(const Context<Host>& ctx, const AmgOptions& options) {
  return options.replicate_below.value_or(-ctx.communicator().max(-Offset{200'000} * ctx.threads()));
}

/// Entries of a level below the finest up to which a rank takes less time to set it up whole, though ranks share it in
/// the solve. A device waits some hundred times for messages while it sets up its part.
inline Offset set_up_whole_entries(const Context<Cuda>&, const AmgOptions& options) {
  return options.set_up_whole_below.value_or(24'000'000);
}
inline Offset set_up_whole_entries(const Context<Host>&, const AmgOptions& options) {
  return options.set_up_whole_below.value_or(0);
}

inline int passes_on(int level, const AmgOptions& options) {
  const auto& passes = options.aggregation_passes;
  return passes[std::min(static_cast<std::size_t>(level), passes.size() - 1)];
}

/// Nodes of the finest level's aggregates, where nodes have several unknowns and no more candidates, above which it
/// takes the passes of the next level. Solids in space have 16 to 42, grids in the plane 10 to 13.
inline constexpr double largest_plain_aggregate = 14.0;

/// θ of the symmetric measure.
inline constexpr double symmetric_threshold = 0.02;

/// What the couplings of a level and of every finer one are like, and how it is coarsened by that; see Coarsening.
enum class CouplingKind {
  directed,
  directed_once,  ///< directed, and P smoothed once: the finest level has more candidates than unknowns a node
  uneven,
  network,
  plain
};

inline bool is_directed(CouplingKind kind) {
  return kind == CouplingKind::directed || kind == CouplingKind::directed_once;
}

/// Whether roots are chosen by their neighbours, and levels below are of the same kind.
inline bool is_uneven(CouplingKind kind) { return kind == CouplingKind::uneven || kind == CouplingKind::network; }

/// θ of the signed measure.
struct Thresholds {
  double finest;
  double below;
};
inline constexpr Thresholds plain_thresholds = {0.35, 0.35};
inline constexpr Thresholds directed_thresholds = {0.6, 0.38};
inline constexpr Thresholds uneven_thresholds = {0.5, 0.45};
inline constexpr Thresholds network_thresholds = {0.45, 0.3};

inline const Thresholds& thresholds_of(CouplingKind kind) {
  switch (kind) {
    case CouplingKind::uneven:
      return uneven_thresholds;
    case CouplingKind::network:
      return network_thresholds;
    case CouplingKind::plain:
      return plain_thresholds;
    default:
      return directed_thresholds;
  }
}

/// Where the signed measure finds fewer strong neighbours a node than this, most couplings are positive. Jumps that
/// leave every second node without any, and give the others one, have half a neighbour a node.
inline constexpr double fewest_neighbours = 0.25;

/// The dropped weight above which couplings have a direction: 0.10 to 1 for rotated anisotropy of 1e-3, up to 0.09 for
/// Poisson's equation on triangles, jumping and random coefficients, and networks.
inline constexpr double directed_weight = 0.1;

/// The one-sided shares above which couplings are those of a network, and uneven: 0.2 to 0.32 in networks of power and
/// of resistors, and in graphs with weights by lengths, 0.41 to 0.5 where coefficients jump or are random on grids, at
/// most 0.11 where they are not, on meshes and with any direction, and 0.14 in graphs whose weights are strewn widely.
inline constexpr double network_share = 0.18;
inline constexpr double uneven_share = 0.36;

/// Of nodes of several unknowns or candidates: a filter that drops no more than this serves nothing, since it keeps the
/// first candidates alone, and coarse levels have them all. 0.3 to 1 for bodies of flat elements.
inline constexpr double least_block_weight = 0.3;

/// Roots of the Chebyshev polynomial of degree two on [0.4, 1], 0.7 ± 0.3 cos 45°.
inline constexpr std::array<double, 2> chebyshev_roots = {0.912132034355964, 0.487867965644036};

/// What is dropped of a row of P, relative to its largest entry, where the coarse matrix is denser than so many times
/// the limit: all else in graphs whose nodes are a few steps apart, in which a smoothed P touches nearly everything.
struct DropTolerance {
  double above;
  double tolerance;
};
inline constexpr double largest_alone = 1.0;
inline constexpr std::array<DropTolerance, 4> drop_tolerances = {
    {{8.0, largest_alone}, {2.0, 0.5}, {1.4, 0.4}, {0.0, 0.2}}};

/// Tolerances that are tried one after the other where the coarse matrix is not as sparse as wanted in spite of what
/// was dropped; see DensityLimits.
inline constexpr std::array<double, 2> further_tolerances = {0.3, 0.4};

/// Times the limit: all but the largest entry of a row of P is dropped where the coarse matrix is denser in spite of
/// what was, as coarse levels of networks are.
inline constexpr double densest_truncated = 2.0;

/// What a level is told of the finer ones.
struct FinerLevels {
  int count = 0;                               ///< the level's own number
  CouplingKind kind = CouplingKind::directed;  ///< of the next finer one; above the finest level what it is at most
  LevelEntries entries{};                      ///< of the level

  /// What a level of that kind, whose coarse matrix has that density, tells the next one.
  FinerLevels below(CouplingKind own_kind, double density) const {
    return {count + 1, own_kind, entries.below(density)};
  }
};

/// Those of the coarse matrix of a level of that kind.
inline DensityLimits density_limits(const LevelEntries& entries, CouplingKind kind, const AmgOptions& options) {
  const double all = kind == CouplingKind::uneven ? wanted_entries_of_uneven : wanted_entries;
  return density_limits(entries, all, options.density_limit);
}

/// θ of the signed measure to look at a level with, below levels of that kind.
inline double first_threshold(int level, CouplingKind finer, const AmgOptions& options) {
  return options.strength.threshold.value_or(level > 0 ? thresholds_of(finer).below : plain_thresholds.finest);
}

/// The kind of a level that the signed measure serves, from the first look at it. The finest level decides whether
/// couplings are uneven, or a network's.
inline CouplingKind coupling_kind(int level, CouplingKind finer, double dropped_weight, double one_sided_share) {
  if (is_directed(finer) && dropped_weight > directed_weight) {
    return finer;
  }
  if (level > 0) {
    return is_uneven(finer) ? finer : CouplingKind::plain;
  }
  return one_sided_share > uneven_share    ? CouplingKind::uneven
         : one_sided_share > network_share ? CouplingKind::network
                                           : CouplingKind::plain;
}

/// Whether the signed measure serves a level of that many nodes, with those neighbours altogether.
inline bool is_signed_measure(double neighbours, double nodes, const AmgOptions& options) {
  return neighbours >= fewest_neighbours * nodes || options.strength.measure == StrengthMeasure::signed_relative;
}

/// θ to look at a level of that kind anew with, where it is not that of the first look.
inline std::optional<double> second_threshold(int level, CouplingKind kind, const AmgOptions& options) {
  if (level > 0 || kind == CouplingKind::plain || options.strength.threshold) {
    return std::nullopt;
  }
  return thresholds_of(kind).finest;
}

/// Judges a level of single unknowns from the survey of its couplings.
class CouplingJudge {
 public:
  CouplingJudge(int level, CouplingKind finer, const AmgOptions& options)
      : level_(level), kind_(finer), options_(options) {}

  /// The second θ.
  std::optional<double> operator()(const CouplingSurvey& survey) {
    is_signed_ = is_signed_measure(survey.neighbours, survey.nodes, options_);
    if (!is_signed_) {
      return std::nullopt;
    }
    kind_ = coupling_kind(level_, kind_, survey.dropped_weight, survey.one_sided_share);
    return second_threshold(level_, kind_, options_);
  }

  bool is_signed() const { return is_signed_; }
  CouplingKind kind() const { return kind_; }

 private:
  int level_;
  CouplingKind kind_;
  const AmgOptions& options_;
  bool is_signed_ = false;
};

/// The kind that a level's couplings are told from: the next finer level's, or of the finest what it may be at most.
inline CouplingKind kind_above(CouplingKind finer, int level, bool has_more_candidates_than_unknowns) {
  return level == 0 && has_more_candidates_than_unknowns ? CouplingKind::directed_once : finer;
}

/// Whether the finest level's aggregates are to be formed anew by the passes of the next one; see Coarsening.
inline bool takes_more_passes(int level, double mean_aggregate_size, Index block_size, Index candidates) {
  const bool has_plain_blocks = block_size > 1 && candidates <= block_size;
  return level == 0 && has_plain_blocks && mean_aggregate_size > largest_plain_aggregate;
}

/// Where couplings of a body's nodes have a direction their filter drops at least this of the rows' weight: all but
/// 0.01 to 0.12 for flat and long hexahedra. For strewn tetrahedra, whose couplings differ without any, it is 0.3 to
/// 0.8.
inline constexpr double sharply_directed_weight = 0.85;

/// Whether aggregates that the signed measure gave may be formed anew by the symmetric one, if the coarse matrix is too
/// dense. Not where small ones follow a direction; and a matrix that could be factored may be as dense as it likes.
inline bool may_aggregate_anew(double dropped_weight, std::int64_t aggregates, Index block_size, Index candidates,
                               const AmgOptions& options) {
  const bool is_free = options.strength.measure == StrengthMeasure::automatic && !options.strength.threshold &&
                       !options.filter && !options.prolongator_steps;
  const bool is_factored = aggregates * candidates <= std::max(options.coarse_size, options.direct_solve_limit);
  return is_free && candidates > block_size && block_size > 1 && dropped_weight < sharply_directed_weight &&
         !is_factored;
}

/// Whether so little is gained by coarse rows that a level is not coarsened.
inline bool stalls_at(std::int64_t coarse_rows, std::int64_t rows, const AmgOptions& options) {
  return coarse_rows == 0 ||
         static_cast<double>(coarse_rows) > options.coarsening_stall_ratio * static_cast<double>(rows);
}

inline MisOrder root_order(CouplingKind kind) { return is_uneven(kind) ? MisOrder::by_degree : MisOrder::random; }

/// How a level's A is stored for its spectral radius, where that is light: see Operator::beside(). Coarser levels'
/// slices are seldom alike, and of an A that is not symmetric the radius is that of its symmetric part.
inline Storage early_storage(int level, const AmgOptions& options) {
  return level == 0 && options.matrix != MatrixKind::general ? options.storage : Storage::csr;
}

inline int smoothing_steps(CouplingKind kind, const AmgOptions& options) {
  const bool takes_two = kind == CouplingKind::directed && options.prolongator_damping != 0.0;
  return options.prolongator_steps.value_or(takes_two ? 2 : 1);
}

inline double first_damping(int steps, const AmgOptions& options) {
  return steps == 1 ? options.prolongator_damping : 1.0 / chebyshev_roots[0];
}

/// ω of a step with that damping, in units of 1 / ρ. 0 for a damping of 0 alone, since P has another pattern then.
template <class T>
T damping_step(double damping, double spectral_radius) {
  const double step = spectral_radius > 0.0 ? damping / spectral_radius : 0.0;
  return damping == 0.0 ? T{0} : std::max(static_cast<T>(step), std::numeric_limits<T>::min());
}

/// What is dropped of P where the coarse matrix would have `density` times the entries of A, more than wanted.
inline double truncation_for(double density, const DensityLimits& limits) {
  const auto* const row =
      std::ranges::find_if(drop_tolerances, [&](const DropTolerance& of) { return density > of.above * limits.most; });
  return row->tolerance;
}

/// Whether small entries of P may be dropped; see Interpolator.
inline bool can_truncate(Index candidates, Index block_size) {
  return candidates == 1 || (candidates == block_size && candidates <= most_truncated_candidates);
}

/// Forms P, with fewer steps or entries where the coarse matrix would be too dense; see Interpolator.
/// @param smooth    (steps) forms P
/// @param density   () of the coarse matrix
/// @param truncate  (density) drops the small entries of P
template <class Smooth, class Density, class Truncate>
void form_below_density_limit(int steps, bool may_truncate, const DensityLimits& limits, const AmgOptions& options,
                              const Smooth& smooth, const Density& density, const Truncate& truncate) {
  const bool may_smooth_less = steps == 2 && !options.prolongator_steps;
  smooth(steps);
  double q = may_smooth_less || may_truncate ? density() : 0.0;
  if (q > limits.wanted && may_smooth_less) {
    smooth(1);
    q = density();
  }
  if (q > limits.wanted && may_truncate) {
    truncate(q);
  }
}

/// Drops entries of P whose coarse matrix has `density`: more of them where finer levels have more entries than wanted
/// and what is left is denser, too, and all but the largest where it is far too dense.
/// @param leave         (tolerance) drops them of the whole P
/// @param density_left  () of the coarse matrix then
template <class Leave, class Density>
void truncate_to_limit(double density, const DensityLimits& limits, const Leave& leave, const Density& density_left) {
  double tolerance = truncation_for(density, limits);
  leave(tolerance);
  if (tolerance == largest_alone) {
    return;
  }
  double q = density_left();
  for (const double further : further_tolerances) {
    if (limits.wanted < limits.most && q > limits.wanted && further > tolerance) {
      tolerance = further;
      leave(tolerance);
      q = density_left();
    }
  }
  if (q > densest_truncated * limits.most) {
    leave(largest_alone);
  }
}

}  // namespace amgsolve
