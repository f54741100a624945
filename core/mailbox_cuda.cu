#include <cstring>
#include <new>
#include <thread>

#include "core/check_cuda.hpp"
#include "core/launch_cuda.hpp"
#include "core/mailbox.hpp"

namespace amgsolve {
namespace {

constexpr int threads = 64;

/// One block.
__global__ void deliver_kernel(const std::byte* from, int count, std::byte* to, std::uint64_t* number,
                               std::uint64_t value) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) {
    to[i] = from[i];
  }
  __threadfence_system();  // for the host, before the number
  __syncthreads();
  if (threadIdx.x == 0) {
    *const_cast<volatile std::uint64_t*>(number) = value;
  }
}

/// Looks at the number that often, some 50 µs, before it asks whether the stream failed. A host that sleeps meanwhile
/// takes 50 to 100 µs more for what it does next.
constexpr int looks_between_questions = 20'000;

}  // namespace

Mailbox::Mailbox() : letter_(nullptr, [](Letter* letter) { cudaFreeHost(letter); }) {
  void* memory = nullptr;
  AMGSOLVE_CUDA_CHECK(cudaMallocHost(&memory, sizeof(Letter)));
  letter_.reset(new (memory) Letter{});
}

void Mailbox::fetch(CUstream_st* stream, const void* from, void* to, std::size_t bytes) {
  ++last_;
  static_assert(sizeof(letter_->number) == sizeof(std::uint64_t));
  launch(stream, deliver_kernel, Grid{1, threads}, static_cast<const std::byte*>(from), static_cast<int>(bytes),
         letter_->bytes, reinterpret_cast<std::uint64_t*>(&letter_->number), last_);
  for (int looks = 1; letter_->number.load(std::memory_order_acquire) != last_; ++looks) {
    if (looks % looks_between_questions == 0) {
      if (detail::is_done(cudaStreamQuery(stream))) {
        break;
      }
      std::this_thread::yield();
    }
  }
  std::memcpy(to, letter_->bytes, bytes);
}

}  // namespace amgsolve
