#pragma once

#include "core/buffer.hpp"

namespace amgsolve {

/// An undirected graph as the adjacency lists of its nodes: the neighbours of node i are col_indices[row_offsets[i]] …
/// col_indices[row_offsets[i + 1] − 1], ascending, without i itself.
template <MemorySpace S>
struct Graph {
  Index nodes = 0;
  Buffer<Offset, S> row_offsets;
  Buffer<Index, S> col_indices;

  Graph() = default;
  Graph(Index nodes_, Buffer<Offset, S> row_offsets_, Buffer<Index, S> col_indices_)
      : nodes(nodes_), row_offsets(std::move(row_offsets_)), col_indices(std::move(col_indices_)) {}
};

}  // namespace amgsolve
