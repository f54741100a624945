#pragma once

#include <cstdint>

#include "core/buffer.hpp"

namespace amgsolve {

/// An undirected graph as the adjacency lists of its nodes: the neighbours of node i are col_indices[row_offsets[i]] …
/// col_indices[row_offsets[i + 1] − 1], ascending, without i itself.
template <MemorySpace S>
struct Graph {
  Index nodes = 0;
  std::int64_t first_node = 0;  ///< what node 0 is in a graph that this is a strip of
  Buffer<Offset, S> row_offsets;
  Buffer<Index, S> col_indices;

  Graph() = default;
  Graph(Index nodes_, Buffer<Offset, S> row_offsets_, Buffer<Index, S> col_indices_)
      : nodes(nodes_), row_offsets(std::move(row_offsets_)), col_indices(std::move(col_indices_)) {}

  Span<const Index, S> neighbours(std::size_t node) const requires std::same_as<S, Host> {
    return col_indices.span().subspan(static_cast<std::size_t>(row_offsets[node]),
                                      static_cast<std::size_t>(row_offsets[node + 1] - row_offsets[node]));
  }
};

}  // namespace amgsolve
