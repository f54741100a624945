#include "src/application/file_at_fault.hpp"

#include "core/vector_error.hpp"

namespace amgsolve {

const std::filesystem::path& file_at_fault(const ProblemConfiguration& problem, const InputError& error) {
  if (const auto* of_vectors = dynamic_cast<const VectorError*>(&error)) {
    switch (of_vectors->role()) {
      case VectorError::Role::near_nullspace:
        return problem.near_nullspace.file;
      case VectorError::Role::coordinates:
        return problem.coordinates;
      case VectorError::Role::right_hand_side:
        return problem.rhs.file;
      case VectorError::Role::initial_guess:
        return problem.initial_guess.file;
    }
  }
  return problem.matrix;
}

}  // namespace amgsolve
