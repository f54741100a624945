#include "amg/optimal_polynomial.hpp"

#include <array>
#include <stdexcept>

#include "core/format.hpp"

namespace amgsolve {
namespace {

using Roots = std::array<double, highest_optimal_degree>;

/// In units of `upper`: those of the polynomials that the recurrence of the fourth kind makes of Lottes'
/// weights, which test_smoother.cpp repeats.
constexpr std::array<Roots, highest_optimal_degree> roots = {{
    {0.66666666666666667},
    {0.89442719099991550, 0.27639320225002232},
    {0.94790491639831331, 0.59100904850610084, 0.14596718059347595},
    {0.96890879587423539, 0.74222719896855976, 0.39493084363469753, 0.08952355430242048},
    {0.97932780217589598, 0.82386297338026424, 0.56229230046964042, 0.27766262392306297, 0.06034185494690048},
    {0.98525670199037282, 0.87240148359258568, 0.67254481727912226, 0.43147145676847858, 0.20440840370469766,
     0.04337306713826935},
}};

}  // namespace

std::vector<double> optimal_steps(int degree, double upper) {
  if (degree < 1 || degree > highest_optimal_degree) {
    throw std::invalid_argument(
        format_text("an optimal polynomial of degree {}: known are 1 to {}", degree, highest_optimal_degree));
  }
  std::vector<double> steps;
  for (int i = 0; i < degree; ++i) {
    steps.push_back(1.0 / (roots[static_cast<std::size_t>(degree - 1)][static_cast<std::size_t>(i)] * upper));
  }
  return steps;
}

}  // namespace amgsolve
