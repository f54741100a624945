#include <cstring>
#include <new>

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

/// Looks at the number that often before it sleeps until the stream is done: some 50 µs.
constexpr int most_looks = 20'000;

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
  int looks = 0;
  while (letter_->number.load(std::memory_order_acquire) != last_) {
    if (++looks == most_looks) {
      AMGSOLVE_CUDA_CHECK(cudaStreamSynchronize(stream));
      break;
    }
  }
  std::memcpy(to, letter_->bytes, bytes);
}

}  // namespace amgsolve
