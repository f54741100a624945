#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "amg/graph.hpp"
#include "core/context.hpp"
#include "core/host_device.hpp"
#include "dist/layout.hpp"

namespace amgsolve {

/// What is known of a node while a maximal independent set grows, in one word: in the set, out of it, or undecided with
/// this round's priority in between (lower wins).
using MisStatus = std::uint32_t;
inline constexpr MisStatus mis_in = 0;
inline constexpr MisStatus mis_out = 0xffffffffU;

/// Undecided, and cannot join the set in this round.
inline constexpr MisStatus mis_waits = 0xfffffffeU;

/// Bits of a priority.
inline constexpr int mis_priority_bits = 31;

/// A pseudo-random bijection of the numbers of that many bits, another one in each round.
/// @tparam Word  unsigned, of more bits
/// @param  x     whose higher bits do not count
/// @param  bits  at least 16
template <class Word>
AMGSOLVE_HOST_DEVICE Word mis_permutation(Word x, std::uint32_t round, int bits) {
  const Word mask = (Word{1} << bits) - 1;
  // Each step is invertible on these bits: addition, multiplication by an odd number, xor with the shifted self.
  x = (x + round * Word{0x9e3779b9U}) & mask;
  x ^= x >> 15;
  x = (x * Word{0x2c1b3c6dU}) & mask;
  x ^= x >> 12;
  x = (x * Word{0x297a2d39U}) & mask;
  x ^= x >> 15;
  return x;
}

/// The priority of an undecided node in a round: its number, permuted, from 1 on, so no two nodes tie and no node
/// number need be stored beside it. The rounds differ, so that no chain of nodes waits long. Where numbers have more
/// bits than a priority, those that are permuted to more than 2³¹ wait for another round: with b bits more, a node
/// takes part in one of 2^b rounds, by chance.
/// @param node  its number in the whole graph (Graph::first_node)
/// @param bits  of the numbers, at least 16
AMGSOLVE_HOST_DEVICE inline MisStatus mis_priority(std::int64_t node, std::uint32_t round,
                                                   int bits = mis_priority_bits) {
  if (bits <= mis_priority_bits) {
    return mis_permutation(static_cast<std::uint32_t>(node), round, bits) + 1;
  }
  const std::uint64_t x = mis_permutation(static_cast<std::uint64_t>(node), round, bits);
  return x >> mis_priority_bits == 0 ? static_cast<MisStatus>(x) + 1 : mis_waits;
}

/// Which nodes join a set first.
enum class MisOrder {
  random,
  /// Those with most neighbours, up to 7, at random among equals: in graphs whose nodes have few and unequally many,
  /// balls around them are larger, and fewer nodes are left between them. Graphs of more than 2²⁸ nodes: at random
  by_degree
};

/// The priorities of the nodes of a graph, see mis_priority().
struct MisPriorities {
  static constexpr int degree_bits = 3;
  static constexpr int number_bits = mis_priority_bits - degree_bits;  ///< that are left for the nodes
  static constexpr Offset most_counted = (1 << degree_bits) - 1;

  std::int64_t first_node;  ///< of the graph
  bool by_degree;
  int bits;  ///< of the nodes' numbers, where degrees do not count

  MisPriorities(std::int64_t first_node_, std::int64_t whole_nodes, MisOrder order)
      : first_node(first_node_),
        by_degree(order == MisOrder::by_degree && whole_nodes <= std::int64_t{1} << number_bits),
        bits(std::max(mis_priority_bits, bits_of_numbers(whole_nodes))) {}

  static int bits_of_numbers(std::int64_t nodes) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max(nodes, std::int64_t{1}) - 1)));
  }

  /// Of node i with that many neighbours.
  AMGSOLVE_HOST_DEVICE MisStatus operator()(std::int64_t i, Offset neighbours, std::uint32_t round) const {
    if (!by_degree) {
      return mis_priority(first_node + i, round, bits);
    }
    const Offset missing = neighbours < most_counted ? most_counted - neighbours : 0;
    return (static_cast<MisStatus>(missing) << number_bits) + mis_priority(first_node + i, round, number_bits);
  }
};

/// Whether a status is a priority.
AMGSOLVE_HOST_DEVICE inline bool is_priority(MisStatus status) { return status != mis_in && status != mis_out; }

/// A maximal set of nodes any two of which are at least three edges apart, so that every other node is within two edges
/// of one of them; in_set[i] is 1 for its members. Nodes without neighbours are left out. Depends on the graph alone:
/// host and device give the same set for any number of threads. Where a few edges are in the list of one of their ends
/// alone, as of matrices that are symmetric but for rounding, members may be nearer by these.
/// @param is_active  1 for the nodes of the induced subgraph to find the set in, 0 for those that are as if they were
///                   not there; empty: the whole graph
/// @param order      which nodes join first, by their neighbours in the whole graph
/// @param window     of the nodes, where the graph is a strip of one that ranks share: ghosts have no neighbours in
///                   that. Then collective; in_set tells of ghosts, too
///
/// Kelley, Rajamanickam: Parallel, portable algorithms for distance-2 maximal independent set and graph coarsening
/// (2022): in each round a node whose priority is the lowest within two edges joins the set; the minimum over two edges
/// is taken as two minima over one. O(edges) for each of some ten rounds, on undecided nodes only.
template <MemorySpace S>
void mis2(Context<S>& ctx, const Graph<S>& graph, std::type_identity_t<Span<const std::uint8_t, S>> is_active,
          std::type_identity_t<Span<std::uint8_t, S>> in_set, MisOrder order = MisOrder::random,
          const Layout<S>* window = nullptr);

}  // namespace amgsolve
