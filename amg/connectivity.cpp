#include "amg/connectivity.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <vector>

namespace amgsolve {
namespace {

constexpr Index samples = 15;
constexpr std::size_t most_rows = 1000;
constexpr Offset most_entries = 100'000;

/// d, from the rows within so many steps of one.
template <class T>
std::optional<double> growth_from(const CsrMatrix<T, Host>& A, Index start) {
  const std::size_t enough = std::min(most_rows, static_cast<std::size_t>(A.rows) / 8);
  std::unordered_set<Index> seen{start};
  std::vector<Index> reached{start};
  std::vector<std::size_t> within{1};  // steps
  Offset entries = 0;
  for (std::size_t begin = 0; begin < reached.size() && reached.size() < enough && entries < most_entries;) {
    const std::size_t end = reached.size();
    for (; begin < end; ++begin) {
      const auto row = static_cast<std::size_t>(reached[begin]);
      entries += A.row_offsets[row + 1] - A.row_offsets[row];
      for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
        if (const Index j = A.col_indices[static_cast<std::size_t>(k)]; seen.insert(j).second) {
          reached.push_back(j);
        }
      }
    }
    within.push_back(reached.size());
  }
  const std::size_t steps = within.size() - 1;
  if (steps < 2 || reached.size() < enough) {  // a component that is small, or rows that have everything as a neighbour
    return std::nullopt;
  }
  const std::size_t half = steps / 2;
  const auto diameter = [](std::size_t radius) { return 2.0 * static_cast<double>(radius) + 1.0; };
  return std::log(static_cast<double>(within[steps]) / static_cast<double>(within[half])) /
         std::log(diameter(steps) / diameter(half));
}

}  // namespace

template <class T>
Connectivity connectivity_of(const CsrMatrix<T, Host>& A) {
  std::vector<double> growth;
  for (Index k = 0; k < samples && A.rows >= samples; ++k) {
    if (const auto d = growth_from(A, static_cast<Index>((2 * std::int64_t{k} + 1) * A.rows / (2 * samples)))) {
      growth.push_back(*d);
    }
  }
  if (growth.empty()) {
    return Connectivity::unknown;
  }
  std::ranges::sort(growth);
  return growth[growth.size() / 2] < 2.4 ? Connectivity::plane : Connectivity::space;
}

template Connectivity connectivity_of(const CsrMatrix<float, Host>&);
template Connectivity connectivity_of(const CsrMatrix<double, Host>&);

}  // namespace amgsolve
