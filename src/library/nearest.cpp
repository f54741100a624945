#include "src/library/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <vector>

namespace amgsolve {
namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows i − 2, i − 1 and i of the table of distances between prefixes of a and of b.
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  std::iota(current.begin(), current.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, previous);
    std::swap(previous, current);
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = previous[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1])) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
  }
  return current.back();
}

/// Of a word that stands for all of it.
constexpr std::size_t shortest_beginning = 3;

}  // namespace

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    // Lengths tell of most; the table of distances of a very long word would take seconds.
    const std::size_t least = std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size());
    const std::size_t distance = least < best_distance ? edit_distance(name, candidate) : least;
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  if (best.empty() && name.size() >= shortest_beginning) {
    const auto longer = std::ranges::find_if(candidates, [&](std::string_view c) { return c.starts_with(name); });
    return longer == candidates.end() ? best : *longer;
  }
  return best;
}

}  // namespace amgsolve
