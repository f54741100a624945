#pragma once

#include <functional>

namespace amgsolve {

/// Exit code of a bug in the program itself (EX_SOFTWARE of sysexits.h); everything a user can cause has a Status.
inline constexpr int internal_error = 70;

/// Run the body and return its exit code; an exception goes to the standard error as one message and becomes the number
/// of its Status.
int guard(const std::function<int()>& body);

}  // namespace amgsolve
