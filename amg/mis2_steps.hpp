#pragma once

#include "amg/mis2.hpp"
#include "core/workspace.hpp"

/// What the rounds of mis2 are made of. A node's status says what it is itself, and the lowest status what is around
/// it.
namespace amgsolve::detail {

/// The nodes that a step of the rounds works on: all of them at first, and from then on those that it left unsettled.
template <MemorySpace S>
struct UnsettledNodes;

/// In their order. Those of each block of nodes stand where the block begins, so that threads need not wait for each
/// other.
template <>
struct UnsettledNodes<Host> {
  static constexpr Index block = 1024;

  Index all;                     ///< nodes of the graph
  Index count;                   ///< that are unsettled
  bool are_listed = false;       ///< else all are
  Span<Index, Host> nodes;       ///< room for all
  Span<Index, Host> of_block{};  ///< how many are listed of each block
};

/// In no particular order. How many they are is known on the device; the host looks now and then.
template <>
struct UnsettledNodes<Cuda> {
  Index most;               ///< that the host knows of
  int steps = 0;            ///< taken: step s reads the count s % 3, writes the next and clears the one after that
  Span<Index, Cuda> nodes;  ///< room for all, as `next`
  Span<Index, Cuda> next;
  Span<Index, Cuda> counts;  ///< 3
};

/// The nodes of find_lowest() and of decide().
template <MemorySpace S>
struct UnsettledLists {
  UnsettledNodes<S> uncovered;
  UnsettledNodes<S> undecided;
};

/// Lists of all nodes, with room from the scope.
UnsettledLists<Host> all_unsettled(Context<Host>& ctx, const Graph<Host>& graph, WorkspaceScope<Host>& scope);
UnsettledLists<Cuda> all_unsettled(Context<Cuda>& ctx, const Graph<Cuda>& graph, WorkspaceScope<Cuda>& scope);

/// Whether there may be undecided nodes. A device's host looks, and synchronises, after every round where they are
/// many, else seldom.
bool may_go_on(Context<Host>& ctx, UnsettledLists<Host>& lists);
bool may_go_on(Context<Cuda>& ctx, UnsettledLists<Cuda>& lists);

/// The first priorities as status and lowest status of the active nodes; for the others mis_out.
void start_mis2(Context<Host>& ctx, const Graph<Host>& graph, Span<const std::uint8_t, Host> is_active,
                const MisPriorities& priority, Span<MisStatus, Host> status, Span<MisStatus, Host> lowest);
void start_mis2(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const std::uint8_t, Cuda> is_active,
                const MisPriorities& priority, Span<MisStatus, Cuda> status, Span<MisStatus, Cuda> lowest);

/// lowest_i: the lowest status of node i and its neighbours. mis_in, where one of them is in the set and so all of them
/// are within two edges of it, settles the node, as does mis_out, where none of them is undecided or it is not active.
void find_lowest(Context<Host>& ctx, const Graph<Host>& graph, UnsettledNodes<Host>& nodes,
                 Span<const MisStatus, Host> status, Span<MisStatus, Host> lowest);
void find_lowest(Context<Cuda>& ctx, const Graph<Cuda>& graph, UnsettledNodes<Cuda>& nodes,
                 Span<const MisStatus, Cuda> status, Span<MisStatus, Cuda> lowest);

/// status_i: out of the set where a member is within two edges, in it where no status there is lower than the node's
/// own, unless that waits; both settle it. Else the priority of the next round.
void decide(Context<Host>& ctx, const Graph<Host>& graph, UnsettledNodes<Host>& nodes, const MisPriorities& priority,
            std::uint32_t next_round, Span<const MisStatus, Host> lowest, Span<MisStatus, Host> status);
void decide(Context<Cuda>& ctx, const Graph<Cuda>& graph, UnsettledNodes<Cuda>& nodes, const MisPriorities& priority,
            std::uint32_t next_round, Span<const MisStatus, Cuda> lowest, Span<MisStatus, Cuda> status);

/// Whether a graph is so small that settle_all() takes less time than rounds one by one, which nothing is on the host.
inline bool is_settled_at_once(const Graph<Host>&) { return false; }
bool is_settled_at_once(const Graph<Cuda>& graph);

/// All rounds from what start_mis2() has left, without the host.
void settle_all(Context<Cuda>& ctx, const Graph<Cuda>& graph, const MisPriorities& priority,
                Span<MisStatus, Cuda> status, Span<MisStatus, Cuda> lowest);

/// in_set_i = 1 where status_i is mis_in, else 0.
void flag_members(Context<Host>& ctx, Span<const MisStatus, Host> status, Span<std::uint8_t, Host> in_set);
void flag_members(Context<Cuda>& ctx, Span<const MisStatus, Cuda> status, Span<std::uint8_t, Cuda> in_set);

}  // namespace amgsolve::detail
