#pragma once

#include <string>

#include "src/application/command_option.hpp"
#include "src/library/schema.hpp"

namespace amgsolve {

/// The manual page of the command, amgsolve(1), in the roff of man(7).
std::string manual_page(const CommandDescription& command, const Schema& schema);

}  // namespace amgsolve
