#pragma once

#include <span>
#include <string_view>

namespace amgsolve {

/// The candidate that a misspelt name most likely means: fewest insertions, deletions, substitutions and swaps of
/// neighbours (optimal string alignment distance, case ignored), the first of equals. Where all are further away than a
/// third of the name's length, the first that begins with the name; else empty.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace amgsolve
