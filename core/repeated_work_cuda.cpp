#include "core/check_cuda.hpp"
#include "core/collectively.hpp"
#include "core/repeated_work.hpp"
#include "core/timer.hpp"

namespace amgsolve {
namespace {

bool succeeds(cudaError_t status) {
  if (status != cudaSuccess) {
    cudaGetLastError();  // else the next launch would be blamed for it
  }
  return status == cudaSuccess;
}

/// What a stream is given by work(), which is not done. Null where it cannot be recorded.
cudaGraphExec_t capture(cudaStream_t stream, const std::function<void()>& work) {
  if (!succeeds(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal))) {
    return nullptr;
  }
  const std::exception_ptr failure = failure_of(work);
  cudaGraph_t graph = nullptr;
  const bool is_captured = succeeds(cudaStreamEndCapture(stream, &graph)) && failure == nullptr;
  cudaGraphExec_t executable = nullptr;
  if (is_captured && !succeeds(cudaGraphInstantiate(&executable, graph, 0))) {
    executable = nullptr;
  }
  if (graph != nullptr) {
    cudaGraphDestroy(graph);
  }
  // What memory the graph takes of the device it takes now.
  if (executable != nullptr && !succeeds(cudaGraphUpload(executable, stream))) {
    cudaGraphExecDestroy(executable);
    executable = nullptr;
  }
  return executable;
}

}  // namespace

RecordedWork::RecordedWork() : graph_(nullptr, [](cudaGraphExec_t graph) { cudaGraphExecDestroy(graph); }) {}

RecordedWork::Circumstances::Circumstances(Context<Cuda>& ctx, const WorkArguments& arguments_)
    : arguments(arguments_) {
  { const WorkspaceScope<Cuda> of_one_block(ctx.workspace()); }  // nothing is to be allocated while work is recorded
  workspace = ctx.workspace().place();
  profile = ctx.profile().place();
}

RecordedWork::Way RecordedWork::choose(Context<Cuda>& ctx, const WorkArguments& arguments) {
  if (!ctx.records_work() || ctx.communicator().size() > 1 || is_refused_) {
    return Way::done;
  }
  const bool is_recorded = graph_ != nullptr && Circumstances(ctx, arguments) == of_graph_;
  const bool is_expected_again = last_.value_or(arguments) == arguments;
  last_ = arguments;
  if (is_recorded) {
    return ctx.times_phases() ? Way::done : Way::repeated;
  }
  return is_expected_again ? Way::recorded : Way::done;
}

void RecordedWork::record(Context<Cuda>& ctx, const WorkArguments& arguments, const std::function<void()>& work) {
  const Context<Cuda>::Uninterrupted whole(ctx);
  const Untimed untimed(ctx, true);
  graph_.reset();
  of_graph_.emplace(ctx, arguments);
  const std::vector<Profile::Node> nodes = ctx.profile().nodes();
  graph_.reset(capture(ctx.stream(), work));
  is_refused_ = graph_ == nullptr;
  bookings_ = ctx.profile().booked_since(nodes);
  ctx.profile().book(bookings_, -1);
}

void RecordedWork::repeat(Context<Cuda>& ctx) {
  ctx.poll();
  AMGSOLVE_CUDA_CHECK(cudaGraphLaunch(graph_.get(), ctx.stream()));
  ctx.profile().book(bookings_, 1);
}

void RecordedWork::forget() {
  graph_.reset();
  last_.reset();
}

}  // namespace amgsolve
