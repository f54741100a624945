#pragma once

#include <cstddef>
#include <source_location>

#include "core/check_cuda.hpp"
#include "core/context.hpp"

namespace amgsolve {

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
