#include "core/check_cuda.hpp"
#include "tests/dist/poison.hpp"

namespace amgsolve::ranks {

void poison(std::span<std::byte> bytes, CUstream_st* stream) {
  AMGSOLVE_CUDA_CHECK(cudaMemsetAsync(bytes.data(), 0xff, bytes.size(), stream));
}

}  // namespace amgsolve::ranks
