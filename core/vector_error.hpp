#pragma once

#include <string>

#include "core/errors.hpp"

namespace amgsolve {

/// An InputError about vectors beside the matrix, so that who has them from a file can name that file.
class VectorError : public InputError {
 public:
  enum class Role { near_nullspace, coordinates, right_hand_side, initial_guess };

  VectorError(Role role, const std::string& message) : InputError(message), role_(role) {}

  Role role() const noexcept { return role_; }

 private:
  Role role_;
};

}  // namespace amgsolve
