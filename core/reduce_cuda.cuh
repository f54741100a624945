#pragma once

#include <algorithm>

#include "core/mailbox_cuda.cuh"
#include "core/parallel_cuda.cuh"
#include "core/reduce_tuning_cuda.hpp"

/// Reductions by any operation to a scalar on the host; see core/algorithms.hpp for those with a name.
namespace amgsolve {
namespace detail {

/// Joins map(i) for i in [0, n): each thread its items, a grid apart and in ascending order, then the block's threads
/// as a balanced tree. result(value) takes what a block comes to, on one thread.
template <class Value, class Map, class Combine, class Result>
__global__ void reduce_kernel(std::int64_t n, Value initial, Map map, Combine combine, Result result) {
  __shared__ Value values[default_block];
  Value value = initial;
  for (std::int64_t i = thread_index(); i < n; i += static_cast<std::int64_t>(gridDim.x) * default_block) {
    value = combine(value, map(i));
  }
  values[threadIdx.x] = value;
  for (unsigned distance = default_block / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (threadIdx.x < distance) {
      values[threadIdx.x] = combine(values[threadIdx.x], values[threadIdx.x + distance]);
    }
  }
  if (threadIdx.x == 0) {
    result(values[0]);
  }
}

template <class Value>
struct ForBlock {
  Value* values;
  __device__ void operator()(const Value& value) const { values[blockIdx.x] = value; }
};

template <class Value>
struct ForHost {
  static_assert(sizeof(Value) <= Mailbox::room && alignof(Value) <= Mailbox::alignment);

  Mailbox::Letter letter;
  __device__ void operator()(const Value& value) const {
    *reinterpret_cast<Value*>(letter.bytes) = value;
    seal(letter);
  }
};

template <class Value>
struct Element {
  const Value* values;
  __device__ Value operator()(std::int64_t i) const { return values[i]; }
};

}  // namespace detail

/// Joins map(i) for all i in [0, n) by an associative and commutative combine(a, b) of which `initial` is the neutral
/// element. The order depends on n alone, so that the bits are the same on any device. Synchronises. map and combine
/// are __device__ lambdas that capture by value; Value has no constructor of its own.
template <class Value, class Map, class Combine>
Value transform_reduce(Context<Cuda>& ctx, std::int64_t n, Value initial, const Map& map, const Combine& combine) {
  using ForHost = detail::ForHost<Value>;
  using ForBlock = detail::ForBlock<Value>;
  Mailbox& mailbox = ctx.mailbox();
  if (n <= detail::most_items_of_one_block) {
    launch(ctx, detail::reduce_kernel<Value, Map, Combine, ForHost>, {.blocks = 1}, n, initial, map, combine,
           ForHost{mailbox.next()});
  } else {
    using Element = detail::Element<Value>;
    const std::int64_t blocks = std::min(Grid::of_threads(n).blocks, detail::most_reduction_blocks);
    WorkspaceScope scope(ctx.workspace());
    const auto partial = scope.take<Value>(static_cast<std::size_t>(blocks));
    launch(ctx, detail::reduce_kernel<Value, Map, Combine, ForBlock>, {.blocks = blocks}, n, initial, map, combine,
           ForBlock{partial.data()});
    launch(ctx, detail::reduce_kernel<Value, Element, Combine, ForHost>, {.blocks = 1}, blocks, initial,
           Element{partial.data()}, combine, ForHost{mailbox.next()});
  }
  Value result;
  mailbox.await(ctx.stream(), &result, sizeof(Value));
  return result;
}

/// The first i in [0, n) with is_wanted(i); n where there is none. Looks at all of them. Synchronises.
template <class Predicate>
std::int64_t find_first(Context<Cuda>& ctx, std::int64_t n, const Predicate& is_wanted) {
  return transform_reduce(
      ctx, n, n, [=] __device__(std::int64_t i) { return is_wanted(i) ? i : n; },
      [] __device__(std::int64_t a, std::int64_t b) { return b < a ? b : a; });
}

}  // namespace amgsolve
