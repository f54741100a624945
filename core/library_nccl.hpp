#pragma once

#include <nccl.h>

#include <string>

#include "core/loaded_library.hpp"

namespace amgsolve::detail {

/// NCCL's library, loaded when it is first asked for.
const LoadedLibrary& nccl_library();

/// A function of it; null where it has none of that name.
#define AMGSOLVE_NCCL(function) ::amgsolve::detail::nccl_library().find<decltype(::function)>(#function)

/// Its functions by their names.
struct Nccl {
  decltype(::ncclGetVersion)* get_version = AMGSOLVE_NCCL(ncclGetVersion);
  decltype(::ncclGetErrorString)* get_error_string = AMGSOLVE_NCCL(ncclGetErrorString);
  decltype(::ncclGetLastError)* get_last_error = AMGSOLVE_NCCL(ncclGetLastError);
  decltype(::ncclGetUniqueId)* get_unique_id = AMGSOLVE_NCCL(ncclGetUniqueId);
  decltype(::ncclCommInitRank)* comm_init_rank = AMGSOLVE_NCCL(ncclCommInitRank);
  decltype(::ncclCommAbort)* comm_abort = AMGSOLVE_NCCL(ncclCommAbort);
  decltype(::ncclCommDestroy)* comm_destroy = AMGSOLVE_NCCL(ncclCommDestroy);
  decltype(::ncclGroupStart)* group_start = AMGSOLVE_NCCL(ncclGroupStart);
  decltype(::ncclGroupEnd)* group_end = AMGSOLVE_NCCL(ncclGroupEnd);
  decltype(::ncclAllReduce)* all_reduce = AMGSOLVE_NCCL(ncclAllReduce);
  decltype(::ncclBroadcast)* broadcast = AMGSOLVE_NCCL(ncclBroadcast);
  decltype(::ncclSend)* send = AMGSOLVE_NCCL(ncclSend);
  decltype(::ncclRecv)* receive = AMGSOLVE_NCCL(ncclRecv);
};

const Nccl& nccl();

/// Throws DeviceError where a call of NCCL has failed.
void check_nccl(ncclResult_t status, const char* what);

}  // namespace amgsolve::detail
