#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <string>

#include "core/errors.hpp"
#include "problems/generate.hpp"
#include "tests/reference/model_problems.hpp"

namespace amgsolve {
namespace {

struct Mistake {
  std::function<void(GeneratedProblem&)> make;  ///< in a 2D diffusion problem
  std::string message;

  friend std::ostream& operator<<(std::ostream& out, const Mistake& self) { return out << self.message; }
};

class GeneratedProblemMistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(GeneratedProblemMistakes, AreNamedInTheWordsOfTheConfiguration) {
  GeneratedProblem problem = reference::poisson(reference::grid({8, 9}), Discretization::fd);
  problem.pde = Pde::diffusion;
  ASSERT_NO_THROW(problem.validate());
  GetParam().make(problem);
  Context<Host> ctx;
  try {
    generate_matrix<double>(ctx, problem);
    FAIL() << "accepted, instead of: " << GetParam().message;
  } catch (const ConfigurationError& error) {
    EXPECT_EQ(error.what(), GetParam().message);
  }
}

void make_elastic(GeneratedProblem& problem) {
  problem.pde = Pde::elasticity;
  problem.discretization = Discretization::q1;
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST(GeneratedProblem, TellsOfAllMistakesAtOnce) {
  GeneratedProblem problem = reference::poisson(reference::grid({20, 20}), Discretization::p1);
  problem.coefficient.value = 2.0;
  problem.coefficient.type = CoefficientType::random;
  problem.velocity = Velocity::rotating;
  problem.scheme = Scheme::central;
  problem.body.young = 3.0;
  problem.body.load = Load::tension;
  try {
    problem.validate();
    FAIL() << "accepted";
  } catch (const ConfigurationError& error) {
    EXPECT_STREQ(error.what(),
                 "problem.generate.coefficient.value is 2; a random coefficient has none (constant ones do)\n"
                 "problem.generate.coefficient.type is random; pde poisson has constant (pde diffusion takes others)\n"
                 "problem.generate.velocity is rotating; pde poisson has no convection (convection_diffusion does)\n"
                 "problem.generate.scheme is central; pde poisson has no convection (convection_diffusion does)\n"
                 "problem.generate.young is 3; pde poisson has no Young's modulus (elasticity does)\n"
                 "problem.generate.load is tension; pde poisson has no load (elasticity does)\n"
                 "problem.generate.discretization is p1; pde poisson has no linear elements (elasticity does)");
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, GeneratedProblemMistakes,
    ::testing::Values(
        Mistake{[](GeneratedProblem& p) { p.grid.dimensions = 1; },
                "problem.generate.grid has 1 sizes; it must have 2 or 3"},
        Mistake{[](GeneratedProblem& p) { p.grid.dimensions = 4; },
                "problem.generate.grid has 4 sizes; it must have 2 or 3"},
        Mistake{[](GeneratedProblem& p) { p.grid.size[1] = 0; },
                "problem.generate.grid[1] is 0; with boundary dirichlet it must be from 1 to 2147483647"},
        Mistake{[](GeneratedProblem& p) { p.grid.size[0] = 2147483648; },
                "problem.generate.grid[0] is 2147483648; with boundary dirichlet it must be from 1 to 2147483647"},
        Mistake{[](GeneratedProblem& p) { p.grid.size[2] = 5; },
                "problem.generate.grid[2] is 5; a 2D grid has size 1 there"},
        Mistake{[](GeneratedProblem& p) {
                  p.grid.size[0] = 1;
                  p.boundary = Boundary::neumann;
                },
                "problem.generate.grid[0] is 1; with boundary neumann it must be from 2 to 2147483647"},
        Mistake{[](GeneratedProblem& p) {
                  p.grid.size[1] = 2;
                  p.boundary = Boundary::periodic;
                },
                "problem.generate.grid[1] is 2; with boundary periodic it must be from 3 to 2147483647"},
        Mistake{[](GeneratedProblem& p) { p.stencil = 7; },
                "problem.generate.stencil is 7; a 2D grid has stencil 5 or 9"},
        Mistake{[](GeneratedProblem& p) {
                  p.grid = reference::grid({3, 4, 5});
                  p.stencil = 9;
                },
                "problem.generate.stencil is 9; a 3D grid has stencil 7 or 27"},
        Mistake{[](GeneratedProblem& p) {
                  p.discretization = Discretization::q1;
                  p.stencil = 5;
                },
                "problem.generate.stencil is 5; q1 on a 2D grid has stencil 9"},
        Mistake{[](GeneratedProblem& p) {
                  p.grid = reference::grid({3, 4, 5});
                  p.discretization = Discretization::q1;
                  p.stencil = 7;
                },
                "problem.generate.stencil is 7; q1 on a 3D grid has stencil 27"},
        Mistake{[](GeneratedProblem& p) { p.anisotropy.epsilon = -0.5; },
                "problem.generate.anisotropy.epsilon is -0.5; it must be positive and finite"},
        Mistake{[](GeneratedProblem& p) { p.anisotropy.epsilon = not_a_number; },
                "problem.generate.anisotropy.epsilon is nan; it must be positive and finite"},
        Mistake{[](GeneratedProblem& p) { p.anisotropy.angle = HUGE_VAL; },
                "problem.generate.anisotropy.angle is inf; it must be finite"},
        Mistake{[](GeneratedProblem& p) {
                  p.pde = Pde::poisson;
                  p.anisotropy.epsilon = 0.1;
                },
                "problem.generate.anisotropy.epsilon is 0.1; pde poisson has 1 (pde diffusion takes others)"},
        Mistake{[](GeneratedProblem& p) {
                  p.stencil = 9;
                  p.anisotropy.epsilon = 0.1;
                },
                "problem.generate.anisotropy.epsilon is 0.1; fd with stencil 9 has 1 (q1 takes others)"},
        Mistake{[](GeneratedProblem& p) {
                  p.anisotropy = {0.1, 30.0};
                },
                "problem.generate.anisotropy.angle is 30; fd with stencil 5 needs a multiple of 90 (q1 takes any)"},
        Mistake{[](GeneratedProblem& p) {
                  p.pde = Pde::poisson;
                  p.coefficient.value = 2.0;
                },
                "problem.generate.coefficient.value is 2; pde poisson has 1 (pde diffusion takes others)"},
        Mistake{[](GeneratedProblem& p) { p.coefficient.value = 0.0; },
                "problem.generate.coefficient.value is 0; it must be positive and finite"},
        Mistake{[](GeneratedProblem& p) {
                  p.pde = Pde::poisson;
                  p.coefficient.type = CoefficientType::checkerboard;
                },
                "problem.generate.coefficient.type is checkerboard; pde poisson has constant (pde diffusion takes "
                "others)"},
        Mistake{[](GeneratedProblem& p) {
                  p.coefficient.type = CoefficientType::random;
                  p.coefficient.low = 0.0;
                },
                "problem.generate.coefficient.low is 0; it must be positive and finite"},
        Mistake{[](GeneratedProblem& p) {
                  p.coefficient.type = CoefficientType::random;
                  p.coefficient.high = HUGE_VAL;
                },
                "problem.generate.coefficient.high is inf; it must be positive and finite"},
        Mistake{[](GeneratedProblem& p) {
                  p.coefficient.type = CoefficientType::inclusions;
                  p.coefficient.low = 4.0;
                  p.coefficient.high = 3.0;
                },
                "problem.generate.coefficient.high is 3; it must not be below problem.generate.coefficient.low, 4"},
        Mistake{[](GeneratedProblem& p) {
                  p.coefficient.type = CoefficientType::inclusions;
                  p.coefficient.block = 0;
                },
                "problem.generate.coefficient.block is 0; it must be from 1 to 268435456"},
        Mistake{[](GeneratedProblem& p) { p.peclet = 2.0; },
                "problem.generate.peclet is 2; pde diffusion has no convection (convection_diffusion does)"},
        Mistake{[](GeneratedProblem& p) { p.velocity = Velocity::rotating; },
                "problem.generate.velocity is rotating; pde diffusion has no convection (convection_diffusion does)"},
        Mistake{[](GeneratedProblem& p) { p.scheme = Scheme::central; },
                "problem.generate.scheme is central; pde diffusion has no convection (convection_diffusion does)"},
        Mistake{[](GeneratedProblem& p) {
                  p.pde = Pde::convection_diffusion;
                  p.peclet = not_a_number;
                },
                "problem.generate.peclet is nan; it must be positive and finite"},
        Mistake{[](GeneratedProblem& p) {
                  p.pde = Pde::convection_diffusion;
                  p.coefficient.value = 2.0;
                },
                "problem.generate.coefficient.value is 2; pde convection_diffusion has 1 (pde diffusion takes others)"},
        Mistake{[](GeneratedProblem& p) {
                  p.pde = Pde::convection_diffusion;
                  p.discretization = Discretization::q1;
                },
                "problem.generate.stencil is 9; pde convection_diffusion has fd with stencil 5"},
        Mistake{[](GeneratedProblem& p) {
                  p.pde = Pde::convection_diffusion;
                  p.boundary = Boundary::periodic;
                },
                "problem.generate.boundary is periodic; pde convection_diffusion has dirichlet"},
        Mistake{[](GeneratedProblem& p) { p.discretization = Discretization::p1; },
                "problem.generate.discretization is p1; pde diffusion has no linear elements (elasticity does)"},
        Mistake{[](GeneratedProblem& p) { p.boundary = Boundary::clamped_face; },
                "problem.generate.boundary is clamped_face; pde diffusion has no side that is clamped alone "
                "(elasticity does)"},
        Mistake{[](GeneratedProblem& p) { p.body.young = 2.0; },
                "problem.generate.young is 2; pde diffusion has no Young's modulus (elasticity does)"},
        Mistake{[](GeneratedProblem& p) { p.body.poisson = 0.2; },
                "problem.generate.poisson is 0.2; pde diffusion has no Poisson's ratio (elasticity does)"},
        Mistake{[](GeneratedProblem& p) { p.body.plane = PlaneState::stress; },
                "problem.generate.plane is stress; pde diffusion has no state of stress (elasticity does)"},
        Mistake{[](GeneratedProblem& p) { p.body.load = Load::tension; },
                "problem.generate.load is tension; pde diffusion has no load (elasticity does)"},
        Mistake{[](GeneratedProblem& p) { p.pde = Pde::elasticity; },
                "problem.generate.discretization is fd; pde elasticity has q1 or p1"},
        Mistake{[](GeneratedProblem& p) {
                  make_elastic(p);
                  p.boundary = Boundary::periodic;
                },
                "problem.generate.boundary is periodic; pde elasticity has dirichlet, neumann or clamped_face"},
        Mistake{[](GeneratedProblem& p) {
                  make_elastic(p);
                  p.grid.size[1] = 1;
                  p.boundary = Boundary::clamped_face;
                },
                "problem.generate.grid[1] is 1; with boundary clamped_face it must be from 2 to 2147483647"},
        Mistake{[](GeneratedProblem& p) {
                  make_elastic(p);
                  p.grid.size = {1000000000, 1000000000, 1};
                },
                "problem.generate.grid is 1000000000 x 1000000000 x 1; that is 2e+18 unknowns; up to 1e+17 can be "
                "counted"},
        Mistake{[](GeneratedProblem& p) {
                  make_elastic(p);
                  p.body.young = -1.0;
                },
                "problem.generate.young is -1; it must be positive and finite"},
        Mistake{[](GeneratedProblem& p) {
                  make_elastic(p);
                  p.body.poisson = 0.5;
                },
                "problem.generate.poisson is 0.5; it must be above -1 and below 0.5"},
        Mistake{[](GeneratedProblem& p) {
                  make_elastic(p);
                  p.body.poisson = not_a_number;
                },
                "problem.generate.poisson is nan; it must be above -1 and below 0.5"},
        Mistake{[](GeneratedProblem& p) {
                  make_elastic(p);
                  p.body.plane = PlaneState::stress;
                  p.body.poisson = 1.0;
                },
                "problem.generate.poisson is 1; it must be above -1 and below 1"},
        Mistake{[](GeneratedProblem& p) {
                  make_elastic(p);
                  p.grid = reference::grid({3, 4, 5});
                  p.body.plane = PlaneState::stress;
                },
                "problem.generate.plane is stress; a 3D grid has no plane"},
        Mistake{[](GeneratedProblem& p) {
                  make_elastic(p);
                  p.discretization = Discretization::p1;
                  p.stencil = 9;
                },
                "problem.generate.stencil is 9; p1 on a 2D grid has stencil 7"},
        Mistake{[](GeneratedProblem& p) {
                  make_elastic(p);
                  p.coefficient.type = CoefficientType::random;
                },
                "problem.generate.coefficient.type is random; pde elasticity has constant (pde diffusion takes "
                "others)"}));

TEST(GeneratedProblem, FitsEveryDefaultStencil) {
  GeneratedProblem problem = reference::poisson(reference::grid({8, 9}), Discretization::fd);
  EXPECT_EQ(problem.stencil_points(), 5);
  problem.discretization = Discretization::q1;
  EXPECT_EQ(problem.stencil_points(), 9);
  problem.grid = reference::grid({8, 9, 7});
  EXPECT_EQ(problem.stencil_points(), 27);
  problem.discretization = Discretization::fd;
  EXPECT_EQ(problem.stencil_points(), 7);
  problem.discretization = Discretization::p1;
  EXPECT_EQ(problem.stencil_points(), 15);
}

TEST(GeneratedProblem, IsSingularWithoutDirichletBoundaries) {
  GeneratedProblem problem;
  EXPECT_FALSE(problem.is_singular());
  problem.boundary = Boundary::neumann;
  EXPECT_TRUE(problem.is_singular());
  problem.boundary = Boundary::periodic;
  EXPECT_TRUE(problem.is_singular());
}

TEST(GeneratedProblem, TurnsAnisotropyByRightAnglesExactly) {
  GeneratedProblem problem;
  problem.anisotropy.epsilon = 0.01;
  for (const double angle : {0.0, 90.0, 180.0, 270.0, -90.0, 450.0}) {
    problem.anisotropy.angle = angle;
    const DiffusionTensor K = problem.diffusion_tensor();
    const bool along_y = std::abs(std::remainder(angle, 180.0)) == 90.0;
    EXPECT_EQ(K.xy, 0.0) << angle;
    EXPECT_EQ(K.diagonal[along_y ? 1 : 0], 1.0) << angle;
    EXPECT_EQ(K.diagonal[along_y ? 0 : 1], 0.01) << angle;
    EXPECT_EQ(K.diagonal[2], 0.01) << angle;
  }
}

}  // namespace
}  // namespace amgsolve
