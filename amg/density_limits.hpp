#pragma once

#include <algorithm>
#include <cmath>

/// How many entries the coarse matrix of a level may have, by what the levels above it have already.
namespace amgsolve {

/// Entries of matrices, in units of the finest level's.
struct LevelEntries {
  double here = 1.0;     ///< of a level
  double down_to = 1.0;  ///< of it and of all finer ones

  /// Those of the next level, whose matrix has that density.
  LevelEntries below(double density) const { return {here * density, down_to + here * density}; }
};

/// Entries of a coarse matrix, in units of its level's.
struct DensityLimits {
  double most;    ///< density_limit
  double wanted;  ///< no more than that
};

/// Entries that all coarse levels together are wanted to have, in units of density_limit and of the finest level's: by
/// its default complexities of 1.8 and, where couplings are uneven and aggregates small, of 1.9.
inline constexpr double wanted_entries = 1.6;
inline constexpr double wanted_entries_of_uneven = 1.8;

/// The density of a level in units of the one above, where complexities are above 1.7: the median, half of them have
/// 0.5 to 0.85.
inline constexpr double density_of_next_level = 0.65;

/// In units of density_limit: a coarse matrix is never wanted to be sparser, whatever finer levels have.
inline constexpr double least_wanted_density = 0.6;

/// The density q by which a level's coarse matrix and the one below it, of 0.65 q, have what is left of the wanted
/// entries, q + 0.65 q² times the level's own.
/// @param all   entries wanted of all coarse levels, in units of `most`
/// @param most  density_limit
inline DensityLimits density_limits(const LevelEntries& entries, double all, double most) {
  const double left = std::max(1.0 + all * most - entries.down_to, 0.0) / entries.here;
  const double q = (std::sqrt(1.0 + 4.0 * density_of_next_level * left) - 1.0) / (2.0 * density_of_next_level);
  return {most, std::clamp(q, least_wanted_density * most, most)};
}

}  // namespace amgsolve
