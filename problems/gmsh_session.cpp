#include "problems/gmsh_session.hpp"

#if AMGSOLVE_HAVE_GMSH

#include <utility>

#include "core/format.hpp"

namespace amgsolve {
namespace {

/// As the loader knows the version that the header is of.
std::string library_name() { return format_text("libgmsh.so.{}.{}", GMSH_API_VERSION_MAJOR, GMSH_API_VERSION_MINOR); }

}  // namespace

GmshSession::GmshSession(std::string what) : what_(std::move(what)), library_(library_name()) {
  if (!library_.problem().empty()) {
    throw InputError(format_text("{}: this takes Gmsh, whose library cannot be loaded (Debian's libgmsh{}.{}): {}",
                                 what_, GMSH_API_VERSION_MAJOR, GMSH_API_VERSION_MINOR, library_.problem()));
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
  find<decltype(gmshFinalize)>("gmshFinalize")(&error);
}

void GmshSession::throw_missing(const char* name) const {
  throw InputError(format_text("{}: {} does not have '{}'", what_, library_name(), name));
}

void GmshSession::require(int error) const {
  if (error == 0) {
    return;
  }
  char* text = nullptr;
  int ignored = 0;
  find<decltype(gmshLoggerGetLastError)>("gmshLoggerGetLastError")(&text, &ignored);
  const std::string reason = text == nullptr || *text == '\0' ? format_text("error {}", error) : std::string(text);
  free(text);
  throw InputError(format_text("{}: Gmsh says: {}", what_, reason));
}

}  // namespace amgsolve
#endif
