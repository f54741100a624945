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
  /// How work is to be done now.
  enum class Way {
    repeated,
    recorded,  ///< done, and then recorded
    done
  };

  RecordedWork();

  /// On one rank, where the context says so: repeated where the circumstances are those of the record and phases are
  /// not timed; recorded the first time of all, since work that is done once is mostly done again, and where arguments
  /// are those of the time before.
  Way choose(Context<Cuda>& ctx, const WorkArguments& arguments);

  /// Records work that was just given to the stream, while the device is still at it, without doing it. What cannot be
  /// recorded, since it waits for the device, is done each time.
  void record(Context<Cuda>& ctx, const WorkArguments& arguments, const std::function<void()>& work);
  /// Does it, and books it as it was booked.
  void repeat(Context<Cuda>& ctx);

  void forget();

 private:
  /// All that a record holds for.
  struct Circumstances {
    WorkArguments arguments;
    Workspace<Cuda>::Place workspace;
    Profile::Place profile;

    Circumstances(Context<Cuda>& ctx, const WorkArguments& arguments);
    bool operator==(const Circumstances&) const = default;
  };

  std::unique_ptr<CUgraphExec_st, void (*)(CUgraphExec_st*)> graph_;
  std::optional<Circumstances> of_graph_;
  std::optional<WorkArguments> last_;  ///< of the call before
  std::vector<Profile::Booking> bookings_;
  bool is_refused_ = false;
};

/// Work that is given to a stream again and again. A device gets it as a whole once it is recorded, which spares it the
/// time from each kernel to the next, of 2 µs or more, and the host that of giving them one by one.
template <class Result, MemorySpace S>
class RepeatedWork {
 public:
  /// work(), or the same again.
  /// @param work  returns a Result that depends on the circumstances alone; waits for nothing on the device
  template <class Work>
  Result run(Context<S>& ctx, const WorkArguments& arguments, const Work& work) {
    if constexpr (std::same_as<S, Cuda>) {
      const RecordedWork::Way way = record_.choose(ctx, arguments);
      if (way == RecordedWork::Way::repeated) {
        record_.repeat(ctx);
        return result_;
      }
      const Result result = work();
      if (way == RecordedWork::Way::recorded) {
        record_.record(ctx, arguments, [&] { result_ = work(); });
      }
      return result;
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
