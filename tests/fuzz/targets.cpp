#include "tests/fuzz/targets.hpp"

#include <array>

namespace amgsolve::fuzz {

std::span<const Target> targets() {
  static constexpr std::array all{Target{"configuration", configuration},
                                  Target{"matrix_market", matrix_market},
                                  Target{"binary_files", binary_files},
                                  Target{"meshes", meshes},
                                  Target{"system", system},
                                  Target{"vectors", vectors}};
  return all;
}

}  // namespace amgsolve::fuzz
