#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "core/hash.hpp"
#include "tests/reference/matrices.hpp"

/// Laplacians of graphs that are no meshes.
namespace amgsolve::reference {

/// The Laplacian of a graph of so many nodes without its first one, from the links that each node takes to others: unit
/// weights, and those given twice count once.
template <class T, class Links>
CsrMatrix<T, Host> network(Context<Host>& ctx, Index nodes, const Links& links_of) {
  std::set<std::pair<Index, Index>> links;
  for (Index i = 0; i < nodes; ++i) {
    for (const Index j : links_of(i)) {
      links.insert(std::minmax(i, j));
    }
  }
  std::vector<Entry> entries;
  std::vector<double> degrees(static_cast<std::size_t>(nodes), 0.0);
  for (const auto& [i, j] : links) {
    degrees[static_cast<std::size_t>(i)] += 1.0;
    degrees[static_cast<std::size_t>(j)] += 1.0;
    if (i > 0) {
      entries.insert(entries.end(), {{i - 1, j - 1, -1.0}, {j - 1, i - 1, -1.0}});
    }
  }
  for (Index i = 1; i < nodes; ++i) {
    entries.push_back({i - 1, i - 1, degrees[static_cast<std::size_t>(i)]});
  }
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.row, e.col); });
  return matrix_from_entries<T>(ctx, nodes - 1, nodes - 1, entries);
}

/// Grows by nodes with four links each, to nodes with a probability proportional to their own links (Barabasi, Albert
/// 1999): a few have hundreds of neighbours, none more than 5 √nnz.
template <class T>
CsrMatrix<T, Host> grown_network(Context<Host>& ctx, Index nodes) {
  constexpr Index links = 4;
  std::vector<Index> ends;  // of all links
  return network<T>(ctx, nodes, [&](Index i) {
    std::set<Index> others;
    for (std::uint64_t k = 0; std::ssize(others) < std::min(i, links); ++k) {
      const std::uint64_t random = hash64(64 * static_cast<std::uint64_t>(i) + k);
      others.insert(i <= links ? static_cast<Index>(k) : ends[random % ends.size()]);
    }
    for (const Index j : others) {
      ends.insert(ends.end(), {i, j});
    }
    return others;
  });
}

/// Each node takes three links to any others (after Erdos, Renyi 1959): no node has many neighbours, and hardly any two
/// have one in common.
template <class T>
CsrMatrix<T, Host> random_network(Context<Host>& ctx, Index nodes) {
  return network<T>(ctx, nodes, [&](Index i) {
    std::vector<Index> others;
    for (std::uint64_t k = 0; k < 3; ++k) {
      const std::uint64_t random = hash64(64 * static_cast<std::uint64_t>(i) + k);
      others.push_back((i + 1 + static_cast<Index>(random % static_cast<std::uint64_t>(nodes - 1))) % nodes);
    }
    return others;
  });
}

/// random_network() of nodes that have several unknowns each, the different ones of two linked nodes coupled by that
/// share of what equal ones are.
/// @param share  below 1 / (unknowns − 1)
template <class T>
CsrMatrix<T, Host> coupled_network(Context<Host>& ctx, Index nodes, Index unknowns, double share) {
  const CsrMatrix<double, Host> links = random_network<double>(ctx, nodes);
  std::vector<Entry> entries;
  for (Index I = 0; I < links.rows; ++I) {
    for (Index r = 0; r < unknowns; ++r) {
      for (auto k = static_cast<std::size_t>(links.row_offsets[static_cast<std::size_t>(I)]);
           k < static_cast<std::size_t>(links.row_offsets[static_cast<std::size_t>(I) + 1]); ++k) {
        for (Index c = 0; c < unknowns; ++c) {
          entries.push_back(
              {I * unknowns + r, links.col_indices[k] * unknowns + c, links.values[k] * (r == c ? 1.0 : share)});
        }
      }
    }
  }
  return matrix_from_entries<T>(ctx, links.rows * unknowns, links.rows * unknowns, entries);
}

}  // namespace amgsolve::reference
