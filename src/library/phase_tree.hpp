#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/profile.hpp"

namespace amgsolve {

/// A phase of a profile with its levels put together: what a timing table has a row for.
struct Phase {
  std::string name;
  double seconds = 0.0;                      ///< with everything inside it
  std::map<int, double> seconds_of_level{};  ///< of the levels it has
  std::int64_t bytes = 0;       ///< with everything inside it; −1 where some part does not count its bytes
  std::vector<Phase> phases{};  ///< inside it, in the order in which they were first opened
};

/// The phases at the top of a profile, in the order in which they were first opened.
std::vector<Phase> phases_of(const Profile& profile);

/// The names from the top down to the node: "setup > galerkin product".
std::string path_of(const Profile& profile, const Profile::Node& node);

}  // namespace amgsolve
