#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <source_location>
#include <string>

#include "core/check_cuda.hpp"
#include "core/context.hpp"
#include "core/errors.hpp"

namespace amgsolve {

/// The most numbers that DeviceScan and DeviceSelect take: those of a CUDA older than 12.9 count in 32 bits.
constexpr std::int64_t most_cub_count() {
  return CUDART_VERSION < 12090 ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
}

/// n as they take it. Throws DeviceError where it is more.
inline std::int64_t cub_count(std::size_t n) {
  if (n > static_cast<std::size_t>(most_cub_count())) {
    throw DeviceError(std::to_string(n) + " numbers are too many for this build; one by CUDA 12.9 or newer takes them");
  }
  return static_cast<std::int64_t>(n);
}

/// Runs a device-wide algorithm of CUB with scratch from the workspace. Throws DeviceError with the caller's place.
/// @param call  call(scratch, bytes) → cudaError_t; asked with a null scratch it only sets `bytes`, as all of them do
template <class Call>
void run_cub(Context<Cuda>& ctx, const Call& call, std::source_location where = std::source_location::current()) {
  const auto check = [&](cudaError_t status) {
    if (status != cudaSuccess) {
      detail::throw_cuda_error(status, "CUB's algorithm", where.file_name(), static_cast<int>(where.line()));
    }
  };
  std::size_t bytes = 0;
  cudaGetLastError();  // else CUB would be blamed for a call of the application's
  check(call(nullptr, bytes));
  WorkspaceScope scope(ctx.workspace());
  check(call(scope.take<std::byte>(bytes).data(), bytes));
}

}  // namespace amgsolve
