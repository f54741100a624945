#include "core/check_cuda.hpp"
#include "core/collectively.hpp"
#include "core/communicator_remembering.hpp"
#include "core/errors.hpp"
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

/// What a stream is given by work(), which is not done. Null where it cannot be recorded here, or nowhere since it
/// cannot be begun on some rank. Collective.
/// @param is_ready  whether to begin here
cudaGraphExec_t capture(const Communicator& ranks, bool is_ready, cudaStream_t stream,
                        const std::function<void()>& work) {
  const bool is_begun = is_ready && succeeds(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  // What is recorded of a message here is to be recorded there.
  const bool is_begun_by_all = !agree_on_step(ranks, !is_begun);
  const std::exception_ptr failure = is_begun_by_all ? failure_of(work) : nullptr;
  cudaGraph_t graph = nullptr;
  const bool is_ended = is_begun && succeeds(cudaStreamEndCapture(stream, &graph));
  const bool is_captured = is_ended && is_begun_by_all && failure == nullptr;
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

std::optional<RecordedWork::Circumstances> RecordedWork::circumstances(Context<Cuda>& ctx, const Communicator& ranks,
                                                                       const WorkArguments& arguments) {
  try {
    const WorkspaceScope<Cuda> of_one_block(ctx.workspace());  // nothing is to be allocated while work is recorded
  } catch (const OutOfMemoryError&) {                          // the others do not know, until work needs it here
    return std::nullopt;
  }
  return Circumstances{arguments, ctx.workspace().place(), ctx.profile().place(), &ranks};
}

bool RecordedWork::run(Context<Cuda>& ctx, const WorkArguments& arguments, const std::function<void()>& work,
                       const std::function<void()>& again) {
  const Communicator& ranks = ctx.communicator();
  const bool is_shared = ranks.size() > 1;
  if (!ctx.records_work() || (is_shared && !ranks.can_be_recorded()) || (is_refused_ && !is_shared)) {
    work();
    return false;
  }
  const Way way = is_refused_ ? Way::step_by_step : choose(ctx, arguments);
  if (way == Way::repeated) {
    repeat(ctx);
    return true;
  }
  const Context<Cuda>::PartsUnrecorded parts(
      ctx);  // on ranks their messages would not wait for others that are not recorded
  if (way == Way::recorded) {
    record(ctx, arguments, work, again);
  } else {
    work();
  }
  return false;
}

RecordedWork::Way RecordedWork::choose(Context<Cuda>& ctx, const WorkArguments& arguments) {
  const bool is_recorded = graph_ != nullptr && circumstances(ctx, ctx.communicator(), arguments) == of_graph_;
  const bool is_to_be_recorded = !is_recorded && last_.value_or(arguments) == arguments;
  const bool is_to_be_repeated = is_recorded && !ctx.times_phases();
  last_ = arguments;
  if (!agree_on_step(ctx.communicator(), !is_to_be_repeated)) {
    return Way::repeated;
  }
  return agree_on_step(ctx.communicator(), !is_to_be_repeated && !is_to_be_recorded) ? Way::step_by_step
                                                                                     : Way::recorded;
}

void RecordedWork::record(Context<Cuda>& ctx, const WorkArguments& arguments, const std::function<void()>& work,
                          const std::function<void()>& again) {
  const Communicator& ranks = ctx.communicator();
  graph_.reset();
  RememberingCommunicator remembering(ranks);
  const Context<Cuda>::Together together(ctx, remembering);
  work();
  remembering.repeat_answers();
  const Context<Cuda>::Uninterrupted whole(ctx);
  const Context<Cuda>::Untimed untimed(ctx, true);
  of_graph_ = circumstances(ctx, ranks, arguments);
  const std::vector<Profile::Node> nodes = ctx.profile().nodes();
  const Communicator::Messages sent = ranks.messages();
  graph_.reset(capture(ranks, of_graph_.has_value(), ctx.stream(), again));
  is_refused_ = agree_on_step(ranks, graph_ == nullptr);
  if (is_refused_) {
    graph_.reset();
  }
  bookings_ = ctx.profile().booked_since(nodes);
  ctx.profile().book(bookings_, -1);
  messages_ = ranks.messages();
  messages_.add(sent, -1);
  ranks.count(messages_, -1);
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
