#include "problems/gmsh_session.hpp"

#if AMGSOLVE_HAVE_GMSH
#include <fmt/format.h>

#include <utility>

namespace amgsolve {
namespace {

/// As the loader knows the version that the header is of.
std::string library_name() { return fmt::format("libgmsh.so.{}.{}", GMSH_API_VERSION_MAJOR, GMSH_API_VERSION_MINOR); }

}  // namespace

GmshSession::GmshSession(std::string what)
    : what_(std::move(what)), library_(dlopen(library_name().c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) {
    throw InputError(fmt::format("{}: this takes Gmsh, whose library cannot be loaded (Debian's libgmsh{}.{}): {}",
                                 what_, GMSH_API_VERSION_MAJOR, GMSH_API_VERSION_MINOR, dlerror()));
  }
  constexpr int no_configuration_files = 0;
  AMGSOLVE_GMSH(*this, gmshInitialize, 0, nullptr, no_configuration_files);
  // Nothing is printed, and the first error ends the call.
  for (const auto& [option, value] : {std::pair("General.Terminal", 0.0), std::pair("General.AbortOnError", 2.0)}) {
    AMGSOLVE_GMSH(*this, gmshOptionSetNumber, option, value);
  }
}

GmshSession::~GmshSession() {
  int error = 0;
  reinterpret_cast<decltype(gmshFinalize)*>(find("gmshFinalize"))(&error);
}

void* GmshSession::find(const char* name) const {
  void* const function = dlsym(library_, name);
  if (function == nullptr) {
    throw InputError(fmt::format("{}: {} does not have '{}'", what_, library_name(), name));
  }
  return function;
}

void GmshSession::require(int error) const {
  if (error == 0) {
    return;
  }
  char* text = nullptr;
  int ignored = 0;
  reinterpret_cast<decltype(gmshLoggerGetLastError)*>(find("gmshLoggerGetLastError"))(&text, &ignored);
  const std::string reason = text == nullptr || *text == '\0' ? fmt::format("error {}", error) : std::string(text);
  free(text);
  throw InputError(fmt::format("{}: Gmsh says: {}", what_, reason));
}

}  // namespace amgsolve
#endif
