#include <amgsolve/amgsolve.hpp>

#include "src/library/build_info.hpp"

namespace amgsolve {

std::string_view version() { return build_info().version; }

}  // namespace amgsolve
