#include "core/copy.hpp"

#include <cstring>

#include "core/check_cuda.hpp"

namespace amgsolve::detail {

void upload_bytes(Context<Cuda>& ctx, const void* from, void* to, std::size_t bytes) {
  if (bytes > 0) {
    AMGSOLVE_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, ctx.stream()));
  }
}

void download_bytes(Context<Cuda>& ctx, const void* from, void* to, std::size_t bytes) {
  if (bytes == 0) {
    return;
  }
  if (bytes <= Mailbox::room) {
    ctx.mailbox().fetch(ctx.stream(), from, to, bytes);
    return;
  }
  const bool staged = bytes <= Context<Cuda>::staging_bytes;
  AMGSOLVE_CUDA_CHECK(cudaMemcpyAsync(staged ? ctx.staging() : to, from, bytes, cudaMemcpyDeviceToHost, ctx.stream()));
  ctx.synchronize();
  if (staged) {
    std::memcpy(to, ctx.staging(), bytes);
  }
}

void copy_bytes(Context<Cuda>& ctx, const void* from, void* to, std::size_t bytes) {
  if (bytes > 0) {
    AMGSOLVE_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, ctx.stream()));
  }
}

void zero_bytes(Context<Cuda>& ctx, void* x, std::size_t bytes) {
  if (bytes > 0) {
    AMGSOLVE_CUDA_CHECK(cudaMemsetAsync(x, 0, bytes, ctx.stream()));
  }
}

}  // namespace amgsolve::detail
