#pragma once

#include <cstdint>

#include "amg/lumping.hpp"
#include "amg/prolongator_steps.hpp"
#include "core/host_device.hpp"
#include "core/parallel_cuda.cuh"
#include "core/search.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/node_of.hpp"

/// What the rows of a smoothed prolongator P are made of, whoever forms them; see prolongator.hpp.
namespace amgsolve::prolongator {

/// What an entry of A is to the rows of P: the aggregate of its column's node, or, above all aggregates, one of these.
using Label = std::uint32_t;
inline constexpr auto none = static_cast<Label>(Aggregates<Cuda>::none);
inline constexpr Label weak = none - 1;  ///< the entry is dropped

/// ProlongatorOperands as kernels take them.
template <class T>
struct Smoothing {
  CsrRef<T> A;
  Index rows;
  Index first;                   ///< the unknown of the first row
  const Offset* strong_offsets;  ///< null: no entry is dropped
  const Index* strong_neighbours;
  const Index* of_node;
  Index block_size;
  const T* basis;
  Index k;
  T damping;

  __device__ Index node(Index unknown) const { return node_of(unknown, block_size); }
  __device__ Label aggregate(Index unknown) const { return static_cast<Label>(of_node[node(unknown)]); }
  __device__ T t(Index unknown, Index c) const { return basis[std::int64_t{unknown} * k + c]; }

  /// Whether any entry may be dropped.
  __device__ bool drops() const { return strong_offsets != nullptr || damping == T{0}; }

  /// Whether the entry of A in this row and column is dropped: by the filter, or as the row is that of T.
  __device__ bool is_weak(Index row, Index col) const {
    if (!drops()) {
      return false;
    }
    const Index mine = node(row);
    const Index other = node(col);
    if (other == mine) {
      return false;
    }
    if (damping == T{0} && of_node[mine] != Aggregates<Cuda>::none) {
      return true;
    }
    if (strong_offsets == nullptr) {
      return false;
    }
    return find_sorted(strong_neighbours, strong_offsets[mine], strong_offsets[mine + 1], other) < 0;
  }
};

template <class T>
Smoothing<T> kernel_operands(const ProlongatorOperands<T, Cuda>& operands) {
  const Graph<Cuda>* strong = operands.strong;
  return {.A = ref_of(operands.A),
          .rows = operands.A.rows,
          .first = operands.rows.first,
          .strong_offsets = strong != nullptr ? strong->row_offsets.data() : nullptr,
          .strong_neighbours = strong != nullptr ? strong->col_indices.data() : nullptr,
          .of_node = operands.aggregates.of_node.data(),
          .block_size = operands.block_size,
          .basis = operands.tentative.basis.data(),
          .k = operands.candidates(),
          .damping = operands.damping};
}

}  // namespace amgsolve::prolongator
