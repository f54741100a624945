#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "core/buffer.hpp"
#include "core/communicator.hpp"
#include "core/device_stream.hpp"
#include "core/errors.hpp"
#include "core/event_timers.hpp"
#include "core/mailbox.hpp"
#include "core/profile.hpp"
#include "core/progress.hpp"
#include "core/replaced.hpp"
#include "core/workspace.hpp"

struct cusparseContext;

namespace amgsolve {

struct SharedBlocks;

/// What contexts of both memory spaces have: memory, scratch, profile, communicator, a listener for progress, a way to
/// be interrupted.
template <MemorySpace S>
class ContextBase {
 public:
  ContextBase(const ContextBase&) = delete;
  ContextBase& operator=(const ContextBase&) = delete;

  Memory<S>& memory() { return memory_; }
  Workspace<S>& workspace() { return workspace_; }
  Profile& profile() { return profile_; }
  const Profile& profile() const { return profile_; }
  const Communicator& communicator() const { return *communicator_; }

  /// Has those ranks work together while it lives.
  class Together : Replaced<const Communicator*> {
   public:
    Together(ContextBase& ctx, const Communicator& ranks) : Replaced<const Communicator*>(ctx.communicator_, &ranks) {}
  };

  /// Has every rank work by itself, as one with all rows, while it lives.
  class Alone : Together {
   public:
    explicit Alone(ContextBase& ctx) : Together(ctx, Communicator::serial()) {}
  };

  /// Where it is known what ranks share of the rows that sums are over, for SameRows; else null.
  const SharedBlocks* known_blocks() const { return known_blocks_; }
  class Known : Replaced<const SharedBlocks*> {
   public:
    Known(ContextBase& ctx, const SharedBlocks& blocks) : Replaced<const SharedBlocks*>(ctx.known_blocks_, &blocks) {}
  };

  void set_progress_listener(ProgressListener listener) { listener_ = std::move(listener); }
  void notify(const Progress& progress) const {
    if (listener_) {
      listener_(progress);
    }
    poll();
  }

  /// What is asked whether work should end: often, on the thread that works, at the beginning of each phase, within the
  /// loops of the host, and with every progress. Where it says so, InterruptedError is thrown from there, once: what
  /// follows, to tell how far the work came, is not interrupted again until this is called again. OutOfStepError where
  /// other ranks are not told so there.
  void set_stop(std::function<StopRequest()> stop) { stop_ = std::move(stop); }
  const std::function<StopRequest()>& stop() const { return stop_; }
  void poll() const {
    if (const StopRequest request = stop_ ? stop_() : false; request.is_asked) {
      stop_ = nullptr;
      if (!request.is_of_all) {
        throw OutOfStepError(profile_.current_path());
      }
      throw InterruptedError(profile_.current_path());
    }
  }

  /// Whether a loop of the host may end before all of it was done; else poll() is called only before it.
  bool interrupts_loops() const { return interrupts_loops_; }

  /// Has loops come to their end while it lives: for results that a caller keeps where work is interrupted.
  class WholeLoops : Replaced<bool> {
   public:
    explicit WholeLoops(ContextBase& ctx) : Replaced<bool>(ctx.interrupts_loops_, false) {}
  };

  /// Nothing is interrupted while it lives: for what hands over a result.
  class Uninterrupted : Replaced<std::function<StopRequest()>> {
   public:
    explicit Uninterrupted(ContextBase& ctx) : Replaced<std::function<StopRequest()>>(ctx.stop_, nullptr) {}
  };

 protected:
  ContextBase(MemorySource<S> source, const Communicator& communicator)
      : memory_(profile_, source), communicator_(&communicator) {}
  ~ContextBase() = default;

 private:
  Profile profile_;
  Memory<S> memory_;
  Workspace<S> workspace_{memory_};
  const Communicator* communicator_;
  const SharedBlocks* known_blocks_ = nullptr;
  ProgressListener listener_;
  mutable std::function<StopRequest()> stop_;
  bool interrupts_loops_ = true;
};

/// Throws ConfigurationError where no context on the host would take so many threads.
void validate_threads(int threads);

/// Where and how operations run: the first argument of every one, never global. Not copied, not shared between threads.
template <>
class Context<Host> : public ContextBase<Host> {
 public:
  /// @param threads  OpenMP threads to work with, at most 64 or four a core; 0: all that OpenMP offers, up to there
  ///                 (OMP_NUM_THREADS, else the cores). Throws ConfigurationError where it is negative or more.
  /// @param communicator  of the ranks that share the work; must outlive the context
  explicit Context(int threads = 0, const Communicator& communicator = Communicator::serial());

  int threads() const { return threads_; }

  /// Nothing is asynchronous on the host; here so that code written once for both spaces can say where it waits and
  /// where it is about to read the profile.
  void require_ready() const {}
  void synchronize() const {}
  void collect_times() const {}
  void set_records_work(bool) const {}
  struct Untimed {
    Untimed(Context&, bool) {}
  };

 private:
  int threads_;
};

/// One device and one stream; all work is asynchronous on that stream. Its device is the thread's current one, as
/// DeviceStream says. Used by one thread at a time.
template <>
class Context<Cuda> : private DeviceStream, public ContextBase<Cuda> {
 public:
  /// @param device  its number; −1: the thread's current device
  /// @param stream  borrowed: a stream of that device that outlives the context; nullptr: an own, non-blocking one
  /// @param communicator  of the ranks that share the work; must outlive the context
  /// Throws DeviceError where there is no such device or it cannot be used.
  explicit Context(int device = -1, CUstream_st* stream = nullptr,
                   const Communicator& communicator = Communicator::serial());

  using DeviceStream::device;
  using DeviceStream::stream;

  /// Throws std::invalid_argument where the stream is being captured into a graph, DeviceError where the device is
  /// lost.
  void require_ready();

  /// Wait until all work given to the stream is done. Throws DeviceError where any of it failed.
  void synchronize();

  /// Wait for the stream and bring the profile up to date: the seconds of device phases are booked here.
  void collect_times() { timers_.collect(); }
  EventTimers& timers() { return timers_; }

  /// While it lives the calls of phases are counted without timing them, unless it is told to do nothing. A timer's
  /// event keeps the device from beginning what follows before all that came before has ended: some 3 µs at each end of
  /// a phase, where a kernel of a small level takes 2.
  class Untimed : Replaced<bool> {
   public:
    Untimed(Context& ctx, bool untimed) : Replaced<bool>(ctx.times_phases_, ctx.times_phases_ && !untimed) {}
  };
  bool times_phases() const { return times_phases_; }

  /// Whether work that is repeated is recorded (RepeatedWork); not by default. Meanwhile nobody may wait for the device
  /// or query it as a whole, on any thread of the process, nor give the stream anything from another one: CUDA fails
  /// what does.
  bool records_work() const { return records_work_; }
  void set_records_work(bool records) { records_work_ = records; }

  /// No part of what repeats is recorded for itself while it lives.
  class PartsUnrecorded : Replaced<bool> {
   public:
    explicit PartsUnrecorded(Context& ctx) : Replaced<bool>(ctx.records_work_, false) {}
  };

  /// Page-locked host memory that small results pass through on their way from the device, since the driver would stage
  /// a copy into ordinary memory itself. Whoever copies into it synchronises before anyone else can.
  static constexpr std::size_t staging_bytes = 16384;
  void* staging() { return staging_.get(); }
  /// The way of the smallest ones.
  Mailbox& mailbox() { return mailbox_; }

  /// The vendor's library on this stream, made at the first use, which is slow.
  cusparseContext* cusparse();

 private:
  template <class T>
  using Handle = std::unique_ptr<T, void (*)(T*)>;

  EventTimers timers_;
  bool times_phases_ = true;
  bool records_work_ = false;
  Handle<void> staging_;
  Mailbox mailbox_;
  Handle<cusparseContext> cusparse_;
};

template <MemorySpace S>
Memory<S>& memory_of(Context<S>& ctx) {
  return ctx.memory();
}

}  // namespace amgsolve
