#pragma once

#include <span>
#include <string_view>

namespace amgsolve {

/// The candidate that a misspelt name most likely means: fewest insertions, deletions, substitutions and swaps of
/// neighbours (optimal string alignment distance, case ignored), the first of equals. Empty where all are further away
/// than a third of the name's length.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace amgsolve
