#pragma once

#include <type_traits>

#include "spgemm/nodes/node_pattern.hpp"
#include "spgemm/nodes/node_product.hpp"

/// The values of a product by nodes.
namespace amgsolve {

/// A matrix, and where its blocks are.
template <class T, MemorySpace S>
struct MatrixOfNodes {
  const CsrMatrix<T, S>& A;
  const NodePattern<S>& pattern;
};

/// values: those of A B, whose blocks C has, every one summed in the order of A's row.
template <class T>
void sum_by_nodes(Context<Host>& ctx, const NodeSizes& nodes, const MatrixOfNodes<T, Host>& A,
                  const MatrixOfNodes<T, Host>& B, const NodePattern<Host>& C, Span<T, Host> values);
template <class T>
void sum_by_nodes(Context<Cuda>& ctx, const NodeSizes& nodes, const MatrixOfNodes<T, Cuda>& A,
                  const MatrixOfNodes<T, Cuda>& B, const NodePattern<Cuda>& C, Span<T, Cuda> values);

/// Calls body(std::integral_constant<int, unknowns>()), for up to most_node_unknowns.
template <int Unknowns = 1, class Body>
void with_unknowns(Index unknowns, const Body& body) {
  if (unknowns == Unknowns) {
    body(std::integral_constant<int, Unknowns>());
  } else if constexpr (Unknowns < most_node_unknowns) {
    with_unknowns<Unknowns + 1>(unknowns, body);
  }
}

#define AMGSOLVE_INSTANTIATE_NODE_SUMS(T, S)                                                                        \
  template void sum_by_nodes(Context<S>&, const NodeSizes&, const MatrixOfNodes<T, S>&, const MatrixOfNodes<T, S>&, \
                             const NodePattern<S>&, Span<T, S>);

}  // namespace amgsolve
