#include "src/library/backend.hpp"

#include "core/errors.hpp"

namespace amgsolve {

void require_backend(Backend backend) {
  if (backend == Backend::cuda) {
    throw DeviceError("this build of amgsolve has no CUDA backend; set 'solver.backend' to host or auto");
  }
}

}  // namespace amgsolve
