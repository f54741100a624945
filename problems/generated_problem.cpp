#include "problems/generated_problem.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <type_traits>
#include <utility>

#include "core/format.hpp"
#include "core/mistakes.hpp"

namespace amgsolve {
namespace {

/// Squared distances within a block, in half cells, must fit in 64 bits.
constexpr std::int64_t largest_block = std::int64_t{1} << 28;

/// A value as a configuration has it.
template <class Value>
auto word_or_number(Value value) {
  if constexpr (std::is_enum_v<Value>) {
    return to_string(value);
  } else {
    return value;
  }
}

/// `key` below problem.generate, the value it has and what is wrong with that.
template <class Value>
void reject(Mistakes& mistakes, const char* key, const Value& value, const std::string& reason) {
  mistakes.add(format_text("problem.generate.{} is {}; {}", key, word_or_number(value), reason));
}

/// Of a key that has no use here.
template <class Value>
void reject_given(Mistakes& mistakes, const char* key, Value value, Value unset, const std::string& reason) {
  if (value != unset) {
    reject(mistakes, key, value, reason);
  }
}

/// Whether it is.
bool require_positive(Mistakes& mistakes, const char* key, double value) {
  const bool is_positive = std::isfinite(value) && value > 0.0;
  if (!is_positive) {
    reject(mistakes, key, value, "it must be positive and finite");
  }
  return is_positive;
}

/// Of what bodies alone have.
std::string reason_not_elastic(Pde pde, const char* what) {
  return format_text("pde {} has no {} (elasticity does)", to_string(pde), what);
}

void check_grid(const GeneratedProblem& problem, Mistakes& mistakes) {
  const int dimensions = problem.grid.dimensions;
  if (dimensions != 2 && dimensions != 3) {
    mistakes.add(format_text("problem.generate.grid has {} sizes; it must have 2 or 3", dimensions));
    return;
  }
  for (std::size_t d = 0; d < 3; ++d) {
    // Fewer would make an unknown its own neighbour, or leave it without any.
    const std::int64_t fewest = problem.boundary == Boundary::periodic         ? 3
                                : problem.is_fixed_before(static_cast<int>(d)) ? 1
                                                                               : 2;
    const std::int64_t size = problem.grid.size[d];
    const std::string key = format_text("grid[{}]", d);
    if (static_cast<int>(d) >= dimensions) {
      if (size != 1) {
        reject(mistakes, key.c_str(), size, format_text("a {}D grid has size 1 there", dimensions));
      }
    } else if (size < fewest || size > max_index) {
      reject(mistakes, key.c_str(), size,
             format_text("with boundary {} it must be from {} to {}", to_string(problem.boundary), fewest, max_index));
    }
  }
  const auto& [nx, ny, nz] = problem.grid.size;
  const double unknowns = static_cast<double>(nx) * static_cast<double>(ny) * static_cast<double>(nz) *
                          static_cast<double>(problem.components());
  constexpr double most = 1e17;  // so that entries and bytes can be counted, too
  if (unknowns > most) {
    reject(mistakes, "grid", format_text("{} x {} x {}", nx, ny, nz),
           format_text("that is {:.3g} unknowns; up to {:.0e} can be counted", unknowns, most));
  }
}

void check_stencil(const GeneratedProblem& problem, Mistakes& mistakes) {
  const bool plane = problem.grid.dimensions == 2;
  const int box = plane ? 9 : 27;
  const int star = plane ? 5 : 7;
  if (problem.discretization == Discretization::q1 || problem.discretization == Discretization::p1) {
    const int points = problem.discretization == Discretization::q1 ? box : plane ? 7 : 15;
    if (problem.stencil != 0 && problem.stencil != points) {
      reject(mistakes, "stencil", problem.stencil,
             format_text("{} on a {}D grid has stencil {}", to_string(problem.discretization), problem.grid.dimensions,
                         points));
    }
  } else if (problem.stencil != 0 && problem.stencil != star && problem.stencil != box) {
    reject(mistakes, "stencil", problem.stencil,
           format_text("a {}D grid has stencil {} or {}", problem.grid.dimensions, star, box));
  }
}

void check_anisotropy(const GeneratedProblem& problem, Mistakes& mistakes) {
  const auto& [epsilon, angle] = problem.anisotropy;
  const bool is_positive = require_positive(mistakes, "anisotropy.epsilon", epsilon);
  if (!std::isfinite(angle)) {
    reject(mistakes, "anisotropy.angle", angle, "it must be finite");
  } else if (epsilon == 1.0) {
    return;  // the same at any angle: sweeps over epsilon may end there
  } else if (is_positive && problem.pde != Pde::diffusion) {
    reject(mistakes, "anisotropy.epsilon", epsilon,
           format_text("pde {} has 1 (pde diffusion takes others)", to_string(problem.pde)));
  } else if (is_positive && problem.has_box_stencil()) {
    reject(mistakes, "anisotropy.epsilon", epsilon,
           format_text("fd with stencil {} has 1 (q1 takes others)", problem.stencil_points()));
  } else if (problem.discretization == Discretization::fd && std::remainder(angle, 90.0) != 0.0) {
    reject(mistakes, "anisotropy.angle", angle,
           format_text("fd with stencil {} needs a multiple of 90 (q1 takes any)", problem.stencil_points()));
  }
}

void check_coefficient(const GeneratedProblem& problem, Mistakes& mistakes) {
  const Coefficient& coefficient = problem.coefficient;
  const Coefficient unset;
  const auto reason = [&](const char* users) {
    return format_text("a {} coefficient has none ({} do)", to_string(coefficient.type), users);
  };
  if (coefficient.type == CoefficientType::constant || coefficient.type == CoefficientType::checkerboard) {
    reject_given(mistakes, "coefficient.seed", coefficient.seed, unset.seed, reason("random ones and inclusions"));
  }
  if (coefficient.type == CoefficientType::constant) {
    reject_given(mistakes, "coefficient.low", coefficient.low, unset.low, reason("those of other types"));
    reject_given(mistakes, "coefficient.high", coefficient.high, unset.high, reason("those of other types"));
    reject_given(mistakes, "coefficient.block", coefficient.block, unset.block, reason("those of other types"));
    check_constant_coefficient(problem.pde, coefficient.value, mistakes);
    return;
  }
  reject_given(mistakes, "coefficient.value", coefficient.value, unset.value, reason("constant ones"));
  if (problem.pde != Pde::diffusion) {
    reject(mistakes, "coefficient.type", coefficient.type,
           format_text("pde {} has constant (pde diffusion takes others)", to_string(problem.pde)));
  }
  const bool has_low = require_positive(mistakes, "coefficient.low", coefficient.low);
  const bool has_high = require_positive(mistakes, "coefficient.high", coefficient.high);
  if (has_low && has_high && coefficient.high < coefficient.low) {
    reject(mistakes, "coefficient.high", coefficient.high,
           format_text("it must not be below problem.generate.coefficient.low, {}", coefficient.low));
  }
  if (coefficient.block < 1 || coefficient.block > largest_block) {
    reject(mistakes, "coefficient.block", coefficient.block, format_text("it must be from 1 to {}", largest_block));
  }
}

void check_convection(const GeneratedProblem& problem, Mistakes& mistakes) {
  if (problem.pde != Pde::convection_diffusion) {
    const GeneratedProblem unset;
    const std::string reason =
        format_text("pde {} has no convection (convection_diffusion does)", to_string(problem.pde));
    reject_given(mistakes, "velocity", problem.velocity, unset.velocity, reason);
    reject_given(mistakes, "peclet", problem.peclet, unset.peclet, reason);
    reject_given(mistakes, "scheme", problem.scheme, unset.scheme, reason);
    return;
  }
  require_positive(mistakes, "peclet", problem.peclet);
  if (problem.discretization != Discretization::fd || problem.has_box_stencil()) {
    reject(mistakes, "stencil", problem.stencil_points(),
           format_text("pde convection_diffusion has fd with stencil {}", problem.grid.dimensions == 2 ? 5 : 7));
  }
  if (problem.boundary != Boundary::dirichlet) {
    reject(mistakes, "boundary", problem.boundary, "pde convection_diffusion has dirichlet");
  }
}

void check_elasticity(const GeneratedProblem& problem, Mistakes& mistakes) {
  check_body(problem.pde, problem.body, mistakes);
  if (problem.pde != Pde::elasticity) {
    if (problem.discretization == Discretization::p1) {
      reject(mistakes, "discretization", problem.discretization, reason_not_elastic(problem.pde, "linear elements"));
    }
    if (problem.boundary == Boundary::clamped_face) {
      reject(mistakes, "boundary", problem.boundary, reason_not_elastic(problem.pde, "side that is clamped alone"));
    }
    return;
  }
  if (problem.discretization == Discretization::fd) {
    reject(mistakes, "discretization", problem.discretization, "pde elasticity has q1 or p1");
  }
  if (problem.boundary == Boundary::periodic) {
    reject(mistakes, "boundary", problem.boundary, "pde elasticity has dirichlet, neumann or clamped_face");
  }
  if (problem.body.plane == PlaneState::stress && problem.grid.dimensions == 3) {
    reject(mistakes, "plane", problem.body.plane, "a 3D grid has no plane");
  }
}

}  // namespace

void check_constant_coefficient(Pde pde, double value, Mistakes& mistakes) {
  if (require_positive(mistakes, "coefficient.value", value) && pde != Pde::diffusion) {
    reject_given(mistakes, "coefficient.value", value, 1.0,
                 format_text("pde {} has 1 (pde diffusion takes others)", to_string(pde)));
  }
}

void check_body(Pde pde, const ElasticBody& body, Mistakes& mistakes) {
  if (pde == Pde::elasticity) {
    require_positive(mistakes, "young", body.young);
    if (const double highest = body.plane == PlaneState::stress ? 1.0 : 0.5;
        !(body.poisson > -1.0 && body.poisson < highest)) {
      reject(mistakes, "poisson", body.poisson, format_text("it must be above -1 and below {}", highest));
    }
    return;
  }
  const ElasticBody unset;
  reject_given(mistakes, "young", body.young, unset.young, reason_not_elastic(pde, "Young's modulus"));
  reject_given(mistakes, "poisson", body.poisson, unset.poisson, reason_not_elastic(pde, "Poisson's ratio"));
  reject_given(mistakes, "plane", body.plane, unset.plane, reason_not_elastic(pde, "state of stress"));
  reject_given(mistakes, "load", body.load, unset.load, reason_not_elastic(pde, "load"));
}

void GeneratedProblem::validate() const {
  Mistakes mistakes;
  check_grid(*this, mistakes);
  check_stencil(*this, mistakes);
  check_anisotropy(*this, mistakes);
  check_coefficient(*this, mistakes);
  check_convection(*this, mistakes);
  check_elasticity(*this, mistakes);
  mistakes.raise();
}

std::int64_t GeneratedProblem::unknowns() const { return count_unknowns(grid.unknowns(), components()); }

int GeneratedProblem::stencil_points() const {
  if (stencil != 0) {
    return stencil;
  }
  if (discretization == Discretization::q1) {
    return grid.dimensions == 2 ? 9 : 27;
  }
  if (discretization == Discretization::p1) {
    return grid.dimensions == 2 ? 7 : 15;
  }
  return grid.dimensions == 2 ? 5 : 7;
}

bool GeneratedProblem::has_box_stencil() const {
  return discretization == Discretization::fd && (stencil_points() == 9 || stencil_points() == 27);
}

DiffusionTensor GeneratedProblem::diffusion_tensor() const {
  double cosine = 1.0;
  double sine = 0.0;
  // The nearest doubles to multiples of a right angle have cosines that are not quite zero.
  const double quarter_turns = anisotropy.angle / 90.0;
  if (quarter_turns == std::floor(quarter_turns)) {
    if (std::fmod(quarter_turns, 2.0) != 0.0) {
      std::swap(cosine, sine);
    }
  } else {
    cosine = std::cos(anisotropy.angle * std::numbers::pi / 180.0);
    sine = std::sin(anisotropy.angle * std::numbers::pi / 180.0);
  }
  const double epsilon = anisotropy.epsilon;
  const double excess = 1.0 - epsilon;
  return {{epsilon + excess * cosine * cosine, epsilon + excess * sine * sine, epsilon}, excess * cosine * sine};
}

LameConstants lame_constants(const ElasticBody& body) {
  const auto& [young, poisson, plane, load] = body;
  const double lambda = plane == PlaneState::stress ? young * poisson / (1.0 - poisson * poisson)
                                                    : young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
  return {lambda, young / (2.0 * (1.0 + poisson))};
}

double GeneratedProblem::nonzeros() const {
  const auto unknowns = static_cast<double>(grid.unknowns());
  const auto block = static_cast<double>(components() * components());
  if (discretization == Discretization::p1) {
    // Pairs of which no coordinate of the second is below the first one's, in both orders.
    double pairs = 1.0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
      pairs *= 2.0 * static_cast<double>(grid.size[d]) - 1.0;
    }
    return block * (2.0 * pairs - unknowns);
  }
  const bool is_box = has_box_stencil() || discretization == Discretization::q1;
  double entries = is_box ? 1.0 : unknowns;
  for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
    const auto size = static_cast<double>(grid.size[d]);
    // Pairs of neighbours, in both orders.
    const double links = 2.0 * (boundary == Boundary::periodic ? size : size - 1.0);
    is_box ? entries *= size + links : entries += unknowns / size * links;
  }
  return block * entries;
}

bool GeneratedProblem::is_directed() const {
  constexpr double ratio = 10.0;
  return pde == Pde::diffusion && (anisotropy.epsilon * ratio < 1.0 || anisotropy.epsilon > ratio);
}

std::int64_t GeneratedProblem::cells(int d) const {
  if (d >= grid.dimensions) {
    return 0;
  }
  const std::int64_t size = grid.size[static_cast<std::size_t>(d)];
  if (boundary == Boundary::periodic || (boundary == Boundary::neumann && discretization == Discretization::fd)) {
    return size;
  }
  return size - 1 + (is_fixed_before(d) ? 1 : 0) + (is_fixed_after() ? 1 : 0);
}

double GeneratedProblem::spacing() const { return 1.0 / static_cast<double>(std::max({cells(0), cells(1), cells(2)})); }

double GeneratedProblem::first_unknown(int d) const {
  if (is_fixed_before(d)) {
    return 1.0;
  }
  return boundary == Boundary::neumann && discretization == Discretization::fd ? 0.5 : 0.0;
}

const char* to_string(Pde pde) {
  switch (pde) {
    case Pde::poisson:
      return "poisson";
    case Pde::diffusion:
      return "diffusion";
    case Pde::convection_diffusion:
      return "convection_diffusion";
    case Pde::elasticity:
      return "elasticity";
  }
  return "";
}

const char* to_string(Velocity velocity) {
  switch (velocity) {
    case Velocity::constant:
      return "constant";
    case Velocity::rotating:
      return "rotating";
    case Velocity::recirculating:
      return "recirculating";
  }
  return "";
}

const char* to_string(Scheme scheme) { return scheme == Scheme::upwind ? "upwind" : "central"; }

const char* to_string(PlaneState plane) { return plane == PlaneState::strain ? "strain" : "stress"; }

const char* to_string(Load load) {
  switch (load) {
    case Load::gravity:
      return "gravity";
    case Load::bending:
      return "bending";
    case Load::tension:
      return "tension";
  }
  return "";
}

const char* to_string(Discretization discretization) {
  switch (discretization) {
    case Discretization::fd:
      return "fd";
    case Discretization::q1:
      return "q1";
    case Discretization::p1:
      return "p1";
  }
  return "";
}

const char* to_string(Boundary boundary) {
  switch (boundary) {
    case Boundary::dirichlet:
      return "dirichlet";
    case Boundary::neumann:
      return "neumann";
    case Boundary::periodic:
      return "periodic";
    case Boundary::clamped_face:
      return "clamped_face";
  }
  return "";
}

const char* to_string(CoefficientType type) {
  switch (type) {
    case CoefficientType::constant:
      return "constant";
    case CoefficientType::checkerboard:
      return "checkerboard";
    case CoefficientType::random:
      return "random";
    case CoefficientType::inclusions:
      return "inclusions";
  }
  return "";
}

}  // namespace amgsolve
