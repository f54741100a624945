#include <exception>

#include "core/check_cuda.hpp"
#include "core/collectively.hpp"
#include "core/repeated_work.hpp"
#include "core/timer.hpp"

namespace amgsolve {
namespace {

cudaGraphExec_t instantiate(cudaGraph_t graph) {
  cudaGraphExec_t executable = nullptr;
  if (cudaGraphInstantiate(&executable, graph, 0) != cudaSuccess) {
    executable = nullptr;
    cudaGetLastError();  // else the next launch would be blamed for it
  }
  return executable;
}

/// Whether the legacy default stream does not wait for it: what other threads give that one is an error while a stream
/// that it waits for is captured.
bool is_non_blocking(cudaStream_t stream) {
  unsigned flags = 0;
  AMGSOLVE_CUDA_CHECK(cudaStreamGetFlags(stream, &flags));
  return (flags & cudaStreamNonBlocking) != 0;
}

/// What a stream is given by work(), which is not done. Null where it cannot be recorded.
cudaGraphExec_t capture(cudaStream_t stream, const std::function<void()>& work) {
  if (!is_non_blocking(stream)) {
    return nullptr;
  }
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  const std::exception_ptr failure = failure_of(work);
  cudaGraph_t graph = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t executable = nullptr;
  if (status != cudaSuccess) {
    cudaGetLastError();
  } else if (failure == nullptr) {
    executable = instantiate(graph);
  }
  if (graph != nullptr) {
    cudaGraphDestroy(graph);
  }
  return executable;
}

}  // namespace

RecordedWork::RecordedWork() : graph_(nullptr, [](cudaGraphExec_t graph) { cudaGraphExecDestroy(graph); }) {}

RecordedWork::Circumstances::Circumstances(Context<Cuda>& ctx, const WorkArguments& arguments_)
    : arguments(arguments_), communicator(&ctx.communicator()) {
  { const WorkspaceScope<Cuda> of_one_block(ctx.workspace()); }  // nothing is to be allocated while work is recorded
  workspace = ctx.workspace().place();
  profile = ctx.profile().place();
}

RecordedWork::Way RecordedWork::choose(Context<Cuda>& ctx, const WorkArguments& arguments) {
  if (!ctx.communicator().can_be_recorded()) {
    return Way::done;
  }
  const bool is_recorded = graph_ != nullptr && Circumstances(ctx, arguments) == recorded_;
  Way way = Way::done;
  if (is_recorded && !ctx.times_phases()) {
    way = Way::repeated;
  } else if (!is_recorded && !is_refused_ && last_.value_or(arguments) == arguments) {
    way = Way::recorded;
  }
  last_ = arguments;
  return static_cast<Way>(ctx.communicator().max(static_cast<std::int64_t>(way)));
}

void RecordedWork::record(Context<Cuda>& ctx, const std::function<void()>& work) {
  const Context<Cuda>::Uninterrupted whole(ctx);
  const Untimed untimed(ctx, true);
  recorded_.emplace(ctx, *last_);
  const std::vector<Profile::Node> nodes = ctx.profile().nodes();
  const Communicator::Messages sent = ctx.communicator().messages();
  graph_.reset(capture(ctx.stream(), work));
  is_refused_ = graph_ == nullptr;
  bookings_ = ctx.profile().booked_since(nodes);
  ctx.profile().book(bookings_, -1);
  messages_ = ctx.communicator().messages();
  messages_.add(sent, -1);
  ctx.communicator().count(messages_, -1);
}

void RecordedWork::repeat(Context<Cuda>& ctx) {
  ctx.poll();
  AMGSOLVE_CUDA_CHECK(cudaGraphLaunch(graph_.get(), ctx.stream()));
  ctx.profile().book(bookings_, 1);
  ctx.communicator().count(messages_, 1);
}

void RecordedWork::forget() {
  graph_.reset();
  last_.reset();
}

}  // namespace amgsolve
