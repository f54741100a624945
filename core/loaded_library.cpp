#include "core/loaded_library.hpp"

#include <dlfcn.h>

namespace amgsolve {

LoadedLibrary::LoadedLibrary(const std::string& name) : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) {
    problem_ = dlerror();
  }
}

void* LoadedLibrary::address(const char* name) const { return handle_ == nullptr ? nullptr : dlsym(handle_, name); }

}  // namespace amgsolve
