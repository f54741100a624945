#include "src/application/presets.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve {
namespace {

using Setting = Preset::Setting;

constexpr Setting poisson_2d[] = {
    {"problem.generate.pde", "poisson"},
    {"problem.generate.grid", "[512, 512]"},
};
constexpr Setting poisson_3d[] = {
    {"problem.generate.pde", "poisson"},
    {"problem.generate.grid", "[128, 128, 128]"},
};
constexpr Setting anisotropic[] = {
    {"problem.generate.pde", "diffusion"},       {"problem.generate.grid", "[512, 512]"},
    {"problem.generate.discretization", "q1"},   {"problem.generate.anisotropy.epsilon", "1e-3"},
    {"problem.generate.anisotropy.angle", "30"},
};
constexpr Setting jumps[] = {
    {"problem.generate.pde", "diffusion"},
    {"problem.generate.grid", "[100, 100, 100]"},
    {"problem.generate.coefficient.type", "checkerboard"},
    {"problem.generate.coefficient.block", "8"},
    {"problem.generate.coefficient.high", "1e4"},
};
constexpr Setting neumann[] = {
    {"problem.generate.pde", "poisson"},
    {"problem.generate.grid", "[512, 512]"},
    {"problem.generate.boundary", "neumann"},
    {"problem.rhs", "random"},
};

constexpr Setting graph[] = {
    {"problem.generate.pde", "diffusion"},
    {"problem.generate.grid", "[512, 512]"},
    {"problem.generate.boundary", "neumann"},
    {"problem.generate.coefficient.type", "random"},
    {"problem.generate.coefficient.block", "1"},
    {"problem.generate.coefficient.high", "1e4"},
    {"problem.rhs", "random"},
};

constexpr Setting elasticity_3d[] = {
    {"problem.generate.pde", "elasticity"},    {"problem.generate.grid", "[64, 33, 33]"},
    {"problem.generate.discretization", "q1"}, {"problem.generate.boundary", "clamped_face"},
    {"problem.generate.load", "bending"},      {"problem.rhs", "load"},
};

constexpr Preset all_presets[] = {
    {"poisson-2d", "Poisson's equation on a square, 5-point finite differences", poisson_2d},
    {"poisson-3d", "Poisson's equation on a cube, 7-point finite differences", poisson_3d},
    {"anisotropic", "Diffusion a thousand times stronger in a direction 30 degrees off the grid, bilinear elements",
     anisotropic},
    {"jumps", "Diffusion whose coefficient jumps between 1 and 10000 from block to block of a cube", jumps},
    {"elasticity-3d", "A bar of trilinear elements, clamped at one end and bent at the other", elasticity_3d},
    {"neumann", "Poisson's equation with nothing but Neumann conditions: a singular matrix", neumann},
    {"graph", "The Laplacian of a grid as a graph, its edges weighted at random between 1 and 10000: a singular matrix",
     graph},
};

}  // namespace

std::span<const Preset> presets() { return all_presets; }

const Preset& preset(std::string_view name) {
  const auto found = std::ranges::find(all_presets, name, &Preset::name);
  if (found == std::end(all_presets)) {
    std::vector<std::string_view> names;
    std::ranges::transform(all_presets, std::back_inserter(names), &Preset::name);
    throw ConfigurationError(
        format_text("--preset {}: there is no such preset; there are {}", name, fmt::join(names, ", ")));
  }
  return *found;
}

}  // namespace amgsolve
