#pragma once

#include "spmv/storages.hpp"

/// The connected components of a matrix's graph.
namespace amgsolve::detail {

/// lowest_i = the lowest node that node i is connected with, itself included, by entries of A between unknowns of nodes
/// of block_size each, either way round, that are not zero. On the host a union-find that joins by the
/// lower root; on a device FastSV (Zhang, Azad, Hu 2020), about log(nodes) passes over the entries, each of which
/// waits for the device. O(entries) a pass.
template <class Ref>
void find_lowest_connected(Context<Host>& ctx, const Ref& A, Index block_size, Span<Index, Host> lowest);
template <class Ref>
void find_lowest_connected(Context<Cuda>& ctx, const Ref& A, Index block_size, Span<Index, Cuda> lowest);

}  // namespace amgsolve::detail
