#include "core/library_nccl.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve::detail {

const LoadedLibrary& nccl_library() {
  static const LoadedLibrary loaded("libnccl.so.2");
  return loaded;
}

const Nccl& nccl() {
  static const Nccl functions;
  return functions;
}

void check_nccl(ncclResult_t status, const char* what) {
  if (status != ncclSuccess && status != ncclInProgress) {
    throw DeviceError(
        format_text("NCCL: {} failed: {} ({})", what, nccl().get_error_string(status), nccl().get_last_error(nullptr)));
  }
}

}  // namespace amgsolve::detail
