#include <cstring>
#include <new>
#include <thread>

#include "core/check_cuda.hpp"
#include "core/launch_cuda.hpp"
#include "core/mailbox_cuda.cuh"

namespace amgsolve {
namespace {

constexpr int threads = 64;

/// One block.
__global__ void deliver_kernel(const std::byte* from, int count, Mailbox::Letter letter) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) {
    letter.bytes[i] = from[i];
  }
  __threadfence_system();  // each thread's bytes before the number
  __syncthreads();
  if (threadIdx.x == 0) {
    seal(letter);
  }
}

/// Looks at the number that often, some 50 µs, before it asks whether the stream failed. A host that sleeps meanwhile
/// takes 50 to 100 µs more for what it does next.
constexpr int looks_between_questions = 20'000;

}  // namespace

Mailbox::Mailbox() : box_(nullptr, [](Box* box) { cudaFreeHost(box); }) {
  void* memory = nullptr;
  AMGSOLVE_CUDA_CHECK(cudaMallocHost(&memory, sizeof(Box)));
  box_.reset(new (memory) Box{});
}

Mailbox::Letter Mailbox::next() { return {box_->bytes, reinterpret_cast<std::uint64_t*>(&box_->number), ++last_}; }

void Mailbox::await(CUstream_st* stream, void* to, std::size_t bytes) {
  for (int looks = 1; box_->number.load(std::memory_order_acquire) != last_; ++looks) {
    if (looks % looks_between_questions == 0) {
      if (detail::is_done(cudaStreamQuery(stream))) {
        break;
      }
      std::this_thread::yield();
    }
  }
  std::memcpy(to, box_->bytes, bytes);
}

void Mailbox::fetch(CUstream_st* stream, const void* from, void* to, std::size_t bytes) {
  launch(stream, deliver_kernel, Grid{1, threads}, static_cast<const std::byte*>(from), static_cast<int>(bytes),
         next());
  await(stream, to, bytes);
}

}  // namespace amgsolve
