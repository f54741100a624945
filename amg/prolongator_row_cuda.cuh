#pragma once

#include <cstdint>

#include "amg/prolongator.hpp"
#include "core/host_device.hpp"
#include "core/parallel_cuda.cuh"
#include "core/search_cuda.cuh"
#include "spgemm/csr_ref_cuda.hpp"

/// What the rows of a smoothed prolongator P are made of, whoever forms them; see prolongator.hpp.
namespace amgsolve::prolongator {

/// What an entry of A is to the rows of P: the aggregate of its column's node, or, above all aggregates, one of these.
using Label = std::uint32_t;
inline constexpr auto none = static_cast<Label>(Aggregates<Cuda>::none);
inline constexpr Label weak = none - 1;  ///< the filter drops the entry

__device__ inline int lane_of_warp() { return static_cast<int>(threadIdx.x) % warp_size; }
__device__ inline int warp_of_block() { return static_cast<int>(threadIdx.x) / warp_size; }

/// The operands, as kernels take them.
template <class T>
struct Smoothing {
  CsrRef<T> A;
  Index rows;
  const Offset* strong_offsets;  ///< null: no entry is dropped
  const Index* strong_neighbours;
  const Index* of_node;
  Index block_size;
  const T* basis;
  Index k;
  T damping;

  __device__ Index node(Index unknown) const { return block_size == 1 ? unknown : unknown / block_size; }
  __device__ Label aggregate(Index unknown) const { return static_cast<Label>(of_node[node(unknown)]); }
  __device__ T t(Index unknown, Index c) const { return basis[std::int64_t{unknown} * k + c]; }

  /// Whether the filter drops the entries of A in this row and column.
  __device__ bool is_weak(Index row, Index col) const {
    const Index mine = node(row);
    const Index other = node(col);
    if (strong_offsets == nullptr || other == mine) {
      return false;
    }
    const Offset last = strong_offsets[mine + 1];
    const Offset place = lower_bound(strong_neighbours, strong_offsets[mine], last, other);
    return place == last || strong_neighbours[place] != other;
  }
};

/// How the entries of a row of P follow from sums over its row of A.
template <class T>
struct RowFactors {
  T scale;
  T own_factor;

  RowFactors() = default;
  __device__ RowFactors(T diagonal, T dropped, T damping) {
    // Lumping may not turn the diagonal around: then the row keeps its own.
    const bool lumped = diagonal + dropped > T{0};
    const T filtered_diagonal = lumped ? diagonal + dropped : diagonal;
    scale = filtered_diagonal != T{0} ? -damping / filtered_diagonal : T{0};
    own_factor = T{1} + (lumped ? scale * dropped : T{0});
  }

  /// From Σ a_ij t_jc over the strong entries in an aggregate, and t_ic where the aggregate is the row's own.
  __device__ T entry(T sum, bool is_own, T t) const {
    const T smoothed = sum * scale;
    return is_own ? smoothed + own_factor * t : smoothed;
  }
};

}  // namespace amgsolve::prolongator
