#pragma once

#include "amg/mis2.hpp"

/// What the rounds of mis2 are made of. A node's status says what it is itself, and the lowest status what is around
/// it.
namespace amgsolve::detail {

/// The first priorities as status and lowest status of the nodes that take part, whose flags are 1; for the others
/// mis_out, mis_absent and 0.
void start_mis2(Context<Host>& ctx, const Graph<Host>& graph, Span<const std::uint8_t, Host> takes_part,
                Span<MisStatus, Host> status, Span<MisStatus, Host> lowest, Span<std::uint8_t, Host> flags);
void start_mis2(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const std::uint8_t, Cuda> takes_part,
                Span<MisStatus, Cuda> status, Span<MisStatus, Cuda> lowest, Span<std::uint8_t, Cuda> flags);

/// flags_i = 1 where the (lowest) status of node nodes_i is a priority, else 0.
void flag_priorities(Context<Host>& ctx, Span<const MisStatus, Host> status, Span<const Index, Host> nodes,
                     Span<std::uint8_t, Host> flags);
void flag_priorities(Context<Cuda>& ctx, Span<const MisStatus, Cuda> status, Span<const Index, Cuda> nodes,
                     Span<std::uint8_t, Cuda> flags);

/// Replaces places in a list of nodes by the nodes that stand there.
void look_up(Context<Host>& ctx, Span<const Index, Host> nodes, Span<Index, Host> places);
void look_up(Context<Cuda>& ctx, Span<const Index, Cuda> nodes, Span<Index, Cuda> places);

/// lowest_i of the nodes listed: the lowest status of node i and its neighbours, but mis_out where one of them is in
/// the set, since all of them are within two edges of it.
void find_lowest(Context<Host>& ctx, const Graph<Host>& graph, Span<const Index, Host> nodes,
                 Span<const MisStatus, Host> status, Span<MisStatus, Host> lowest);
void find_lowest(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const Index, Cuda> nodes,
                 Span<const MisStatus, Cuda> status, Span<MisStatus, Cuda> lowest);

/// status_i of the nodes listed: out of the set where a member is within two edges, in it where no status there is
/// lower than the node's own, else the priority of the next round.
void decide(Context<Host>& ctx, const Graph<Host>& graph, Span<const Index, Host> nodes, std::uint32_t next_round,
            Span<const MisStatus, Host> lowest, Span<MisStatus, Host> status);
void decide(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const Index, Cuda> nodes, std::uint32_t next_round,
            Span<const MisStatus, Cuda> lowest, Span<MisStatus, Cuda> status);

/// in_set_i = 1 where status_i is mis_in, else 0.
void flag_members(Context<Host>& ctx, Span<const MisStatus, Host> status, Span<std::uint8_t, Host> in_set);
void flag_members(Context<Cuda>& ctx, Span<const MisStatus, Cuda> status, Span<std::uint8_t, Cuda> in_set);

}  // namespace amgsolve::detail
