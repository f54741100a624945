#pragma once

#include <string_view>
#include <utility>

#include "core/buffer.hpp"
#include "core/communicator.hpp"
#include "core/profile.hpp"
#include "core/progress.hpp"
#include "core/workspace.hpp"

namespace amgsolve {

/// What contexts of both memory spaces have: memory, scratch, profile, communicator, a listener for progress.
template <MemorySpace S>
class ContextBase {
 public:
  ContextBase(const ContextBase&) = delete;
  ContextBase& operator=(const ContextBase&) = delete;

  Memory<S>& memory() { return memory_; }
  Workspace<S>& workspace() { return workspace_; }
  Profile& profile() { return profile_; }
  const Profile& profile() const { return profile_; }
  const Communicator& communicator() const { return communicator_; }

  void set_progress_listener(ProgressListener listener) { listener_ = std::move(listener); }
  void notify(const Progress& progress) const {
    if (listener_) {
      listener_(progress);
    }
  }

 protected:
  ContextBase() = default;
  ~ContextBase() = default;

 private:
  Profile profile_;
  Memory<S> memory_{profile_};
  Workspace<S> workspace_{memory_};
  Communicator communicator_;
  ProgressListener listener_;
};

/// Where and how operations run: the first argument of every one, never global. Not copied, not shared between threads.
template <>
class Context<Host> : public ContextBase<Host> {
 public:
  /// @param threads  OpenMP threads to work with; 0: all that OpenMP offers (OMP_NUM_THREADS, else the cores).
  ///                 Throws ConfigurationError where it is negative.
  explicit Context(int threads = 0);

  int threads() const { return threads_; }

  /// Nothing is asynchronous on the host; here so that code written once for both spaces can say where it waits.
  void synchronize() const {}

 private:
  int threads_;
};

template <MemorySpace S>
Memory<S>& memory_of(Context<S>& ctx) {
  return ctx.memory();
}

}  // namespace amgsolve
