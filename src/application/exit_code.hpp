#pragma once

#include <functional>

namespace amgsolve {

/// Run the body and return its exit code; an exception goes to the standard error as one message and becomes the number
/// of its Status.
int guard(const std::function<int()>& body);

}  // namespace amgsolve
