#pragma once

#include <type_traits>

#include "core/lane_scan_cuda.cuh"

/// Threads that work on a row together and go the same way as all others of their warp, or block: every one of them
/// makes every call, also for a row that has ended. What one group did alone, its warp would wait for.
namespace amgsolve {

/// `Lanes` neighbouring lanes of a warp (a power of two).
template <int Lanes>
struct LaneGroup {
  static constexpr int size = Lanes;

  __device__ static int rank() { return static_cast<int>(threadIdx.x) % Lanes; }
  __device__ static int index_in_block() { return static_cast<int>(threadIdx.x) / Lanes; }
  __device__ static void sync() { __syncwarp(); }

  /// Whether it is so for any thread of the groups that go the same way.
  __device__ static bool any(bool predicate) { return __any_sync(all_lanes, predicate); }
  /// The largest x of the groups that go the same way.
  __device__ static int most(int x) { return __reduce_max_sync(all_lanes, x); }

  /// Whether a warp can leave out what none of its threads is active in.
  __device__ static bool can_skip(bool /*is_active*/) { return false; }

  /// The threads of the group with the predicate; `before`: those of them before this one. Orders memory accesses.
  __device__ static int count(bool predicate) {
    int before;
    return count(predicate, before);
  }
  __device__ static int count(bool predicate, int& before) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const unsigned of_group = (Lanes == warp_size ? all_lanes : (1U << Lanes) - 1) << (lane - rank());
    const unsigned found = __ballot_sync(all_lanes, predicate) & of_group;
    __syncwarp();
    before = __popc(found & ((1U << lane) - 1));
    return __popc(found);
  }

  /// What each thread has, for all threads of the group to see.
  template <class Item>
  class Shared {
   public:
    __device__ explicit Shared(const Item& mine) : mine_(mine) {}

    /// A member of what thread `source` % size has.
    template <class Member>
    __device__ Member at(int source, Member Item::*member) const {
      if constexpr (std::is_empty_v<Member>) {
        return {};
      } else {
        return __shfl_sync(all_lanes, mine_.*member, source, Lanes);
      }
    }

   private:
    const Item& mine_;
  };
};

/// A block of `Threads` threads (a power of two).
template <int Threads>
struct BlockGroup {
  static constexpr int size = Threads;

  __device__ static int rank() { return static_cast<int>(threadIdx.x); }
  __device__ static int index_in_block() { return 0; }
  __device__ static void sync() { __syncthreads(); }

  __device__ static bool any(bool predicate) { return predicate; }
  __device__ static int most(int x) { return x; }
  __device__ static bool can_skip(bool is_active) { return !__any_sync(all_lanes, is_active); }

  __device__ static int count(bool predicate) { return __syncthreads_count(predicate); }
  __device__ static int count(bool predicate, int& before) {
    __shared__ int sums[Threads / warp_size];
    __syncthreads();  // an earlier call may still read its sums
    int found;
    before = sum_before_in_block<Threads>(predicate ? 1 : 0, sums, found);
    return found;
  }

  template <class Item>
  class Shared {
   public:
    __device__ explicit Shared(const Item& mine) {
      __shared__ Item items[Threads];
      items_ = items;
      __syncthreads();  // earlier ones may still be read
      items_[threadIdx.x] = mine;
      __syncthreads();
    }

    template <class Member>
    __device__ Member at(int source, Member Item::*member) const {
      return items_[source % Threads].*member;
    }

   private:
    Item* items_;
  };
};

/// Calls body(LaneGroup<lanes>()) for the power of two `lanes` in [Least, Most].
template <int Least, int Most, class Body>
void with_lanes(int lanes, const Body& body) {
  if constexpr (Least < Most) {
    if (lanes > Least) {
      return with_lanes<2 * Least, Most>(lanes, body);
    }
  }
  body(LaneGroup<Least>());
}

}  // namespace amgsolve
