#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/context.hpp"

struct CUgraphExec_st;

namespace amgsolve {

/// What work depends on beside the contents of memory: addresses of arrays, and what changes with those it knows.
using WorkArguments = std::array<std::uint64_t, 2>;

/// A CUDA graph of what some work gives to a stream.
class RecordedWork {
 public:
  RecordedWork();

  /// Does work, or what was recorded of it. It is recorded where the context says so, and messages on streams can be:
  /// the first time of all, since work that is done once is mostly done again, and where arguments are those of the
  /// time before; while the device is at what was just done. It is done step by step where phases are timed, and what
  /// cannot be recorded on every rank, since it waits for the device, each time. Collective.
  /// @param again  the same work, which gives the stream what is recorded and not done
  /// @return       whether it was what is recorded
  bool run(Context<Cuda>& ctx, const WorkArguments& arguments, const std::function<void()>& work,
           const std::function<void()>& again);

  void forget();

 private:
  /// All that a record holds for.
  struct Circumstances {
    WorkArguments arguments;
    Workspace<Cuda>::Place workspace;
    Profile::Place profile;
    const Communicator* communicator;

    bool operator==(const Circumstances&) const = default;
  };
  enum class Way { repeated, recorded, step_by_step };

  /// Those of now; none where there is no memory for work to be recorded.
  static std::optional<Circumstances> circumstances(Context<Cuda>& ctx, const Communicator& ranks,
                                                    const WorkArguments& arguments);
  /// The same on all ranks. Collective.
  Way choose(Context<Cuda>& ctx, const WorkArguments& arguments);
  void record(Context<Cuda>& ctx, const WorkArguments& arguments, const std::function<void()>& work,
              const std::function<void()>& again);
  /// Does it, and books it and its messages as they were booked.
  void repeat(Context<Cuda>& ctx);

  std::unique_ptr<CUgraphExec_st, void (*)(CUgraphExec_st*)> graph_;
  std::optional<Circumstances> of_graph_;
  std::optional<WorkArguments> last_;  ///< of the call before
  std::vector<Profile::Booking> bookings_;
  Communicator::Messages messages_;
  bool is_refused_ = false;
};

/// Work that is given to a stream again and again. A device gets it as a whole once it is recorded, which spares it the
/// time from each kernel to the next, of 2 µs or more, and the host that of giving them one by one. Such work within
/// such work is a part of it, and not recorded by itself.
template <class Result, MemorySpace S>
class RepeatedWork {
 public:
  /// work(), or the same again. Collective.
  /// @param work  returns a Result that depends on the circumstances alone; waits for nothing on the device
  template <class Work>
  Result run(Context<S>& ctx, const WorkArguments& arguments, const Work& work) {
    if constexpr (std::same_as<S, Cuda>) {
      Result result{};
      const bool is_recorded = record_.run(
          ctx, arguments, [&] { result = work(); }, [&] { result_ = work(); });
      return is_recorded ? result_ : result;
    } else {
      return work();
    }
  }

  /// To be called where memory that the work knows is given back.
  void forget() {
    if constexpr (std::same_as<S, Cuda>) {
      record_.forget();
    }
  }

 private:
  struct Nothing {};
  [[no_unique_address]] std::conditional_t<std::same_as<S, Cuda>, RecordedWork, Nothing> record_;
  Result result_{};  ///< of the work that is recorded
};

}  // namespace amgsolve
