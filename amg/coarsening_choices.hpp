#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "amg/options.hpp"
#include "core/context.hpp"

/// What the defaults of Coarsening and Interpolator decide by, also where ranks share a level.
namespace amgsolve {

/// Entries of a level up to which a rank takes less time to work on all of it than on its part with ghosts to exchange.
inline Offset replicated_entries(const Context<Cuda>&, const AmgOptions& options) {
  return options.replicate_below.value_or(5'000'000);
}
inline Offset replicated_entries(const Context<Host>& ctx, const AmgOptions& options) {
  return options.replicate_below.value_or(Offset{200'000} * ctx.threads());
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

/// θ of the signed measure: where couplings have no direction, and where they have one on the finest level and below.
inline constexpr double undirected_threshold = 0.35;
inline constexpr double finest_directed_threshold = 0.6;
inline constexpr double directed_threshold = 0.38;

/// Where the signed measure finds fewer strong neighbours a node than this, most couplings are positive. Jumps that
/// leave every second node without any, and give the others one, have half a neighbour a node.
inline constexpr double fewest_neighbours = 0.25;

/// The dropped weight above which couplings have a direction: 0.10 to 1 for rotated anisotropy of 1e-3, up to 0.09 for
/// Poisson's equation on triangles, jumping and random coefficients, and networks.
inline constexpr double directed_weight = 0.1;

/// Of nodes of several unknowns or candidates: a filter that drops no more than this serves nothing, since it keeps the
/// first candidates alone, and coarse levels have them all. 0.3 to 1 for bodies of flat elements.
inline constexpr double least_block_weight = 0.3;

/// Roots of the Chebyshev polynomial of degree two on [0.4, 1], 0.7 ± 0.3 cos 45°.
inline constexpr std::array<double, 2> chebyshev_roots = {0.912132034355964, 0.487867965644036};

/// What is dropped of a row of P, relative to its largest entry, where the coarse matrix is too dense and much too
/// dense.
inline constexpr double drop_tolerance = 0.2;
inline constexpr double large_drop_tolerance = 0.4;
inline constexpr double much_too_dense = 1.4;  ///< times the limit

/// θ of the signed measure to look at a level with.
inline double first_threshold(int level, bool has_direction, const AmgOptions& options) {
  return options.strength.threshold.value_or(level > 0 && has_direction ? directed_threshold : undirected_threshold);
}

/// Whether the signed measure serves a level of that many nodes, with those neighbours altogether.
inline bool is_signed_measure(double neighbours, double nodes, const AmgOptions& options) {
  return neighbours >= fewest_neighbours * nodes || options.strength.measure == StrengthMeasure::signed_relative;
}

/// Whether a level whose couplings have a direction or not is looked at anew, with finest_directed_threshold.
inline bool takes_finest_threshold(int level, bool has_direction, const AmgOptions& options) {
  return level == 0 && has_direction && !options.strength.threshold;
}

inline double first_damping(int steps, const AmgOptions& options) {
  return steps == 1 ? options.prolongator_damping : 1.0 / chebyshev_roots[0];
}

/// ω of a step with that damping, in units of 1 / ρ.
template <class T>
T damping_step(double damping, double spectral_radius) {
  return static_cast<T>(spectral_radius > 0.0 ? damping / spectral_radius : 0.0);
}

/// What is dropped of P where the coarse matrix would have `density` times the entries of A, more than the limit.
inline double truncation_for(double density, const AmgOptions& options) {
  return density > much_too_dense * options.density_limit ? large_drop_tolerance : drop_tolerance;
}

}  // namespace amgsolve
