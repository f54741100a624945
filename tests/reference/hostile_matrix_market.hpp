#pragma once

#include <functional>
#include <string_view>

#include "core/context.hpp"

namespace amgsolve::reference {

/// Whether parse() takes what it reads, on one thread and with little memory allowed. InputError and OutOfMemoryError
/// are refusals, as it should be; anything else is passed on.
bool accepts_hostile(const std::function<void(Context<Host>&)>& parse);

/// Parses any bytes as a matrix and as vectors. Returns whether either was accepted; a matrix that is not well-formed
/// throws std::logic_error.
bool parse_hostile_text(std::string_view text);

}  // namespace amgsolve::reference
