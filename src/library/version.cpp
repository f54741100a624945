#include <amgsolve/amgsolve.hpp>

namespace amgsolve {

std::string_view version() { return AMGSOLVE_VERSION; }

}  // namespace amgsolve
