#pragma once

#include <stdexcept>
#include <string>

namespace amgsolve::reference {

/// What a call says that refuses its arguments; "none" where it takes them.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

}  // namespace amgsolve::reference
