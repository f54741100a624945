#include "problems/elastic_stencil.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "problems/multilinear_integral.hpp"

namespace amgsolve {
namespace {

int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

void integrate_multilinear(ElasticStencil& stencil) {
  const int corners = 1 << stencil.dimensions;
  stencil.denominator = multilinear_denominator(stencil.dimensions);
  for (int a = 0; a < corners; ++a) {
    for (int b = 0; b < corners; ++b) {
      for (int p = 0; p < stencil.dimensions; ++p) {
        for (int q = 0; q < stencil.dimensions; ++q) {
          stencil.integral[a][b][p][q] = static_cast<std::int8_t>(multilinear_integral(stencil.dimensions, a, b, p, q));
        }
      }
    }
  }
}

/// Over the d! simplices of a cell, times d!. That of a permutation π has the corners v_k = e_π(1) + … + e_π(k), on
/// which 1 − x_π(1), x_π(k) − x_π(k+1) and x_π(d) are the basis functions.
void integrate_linear(ElasticStencil& stencil) {
  const int d = stencil.dimensions;
  stencil.denominator = factorial(d);
  std::array<int, 3> order{0, 1, 2};
  do {
    int corner_a = 0;
    for (int k = 0; k <= d; ++k) {
      int corner_b = 0;
      for (int l = 0; l <= d; ++l) {
        const auto add = [&](int p, int q, int value) {
          stencil.integral[corner_a][corner_b][p][q] =
              static_cast<std::int8_t>(stencil.integral[corner_a][corner_b][p][q] + value);
        };
        const auto axis = [&](int i) { return order[static_cast<std::size_t>(i)]; };
        // The gradient of function k has 1 in direction π(k) and −1 in π(k + 1), counted from 1.
        for (const int i : {k - 1, k}) {
          for (const int j : {l - 1, l}) {
            if (i >= 0 && i < d && j >= 0 && j < d) {
              add(axis(i), axis(j), (i < k ? 1 : -1) * (j < l ? 1 : -1));
            }
          }
        }
        corner_b |= l < d ? 1 << axis(l) : 0;
      }
      corner_a |= k < d ? 1 << order[static_cast<std::size_t>(k)] : 0;
    }
  } while (std::next_permutation(order.begin(), order.begin() + d));
}

/// ∫ φ over a cell of d dimensions, for a corner with `ones` coordinates that are 1: ones! (d − ones)! simplices have
/// it.
double corner_share(bool simplices, int d, int ones) {
  return simplices ? static_cast<double>(factorial(ones) * factorial(d - ones)) / factorial(d + 1)
                   : 1.0 / static_cast<double>(1 << d);
}

}  // namespace

ElasticStencil make_elastic_stencil(const GeneratedProblem& problem) {
  problem.validate();
  ElasticStencil stencil;
  stencil.dimensions = problem.grid.dimensions;
  std::copy(problem.grid.size.begin(), problem.grid.size.end(), stencil.size);
  for (int d = 0; d < stencil.dimensions; ++d) {
    stencil.fixed_before[d] = problem.is_fixed_before(d);
    stencil.fixed_after[d] = problem.is_fixed_after();
  }
  stencil.simplices = problem.discretization == Discretization::p1;
  const auto [lambda, mu] = lame_constants(problem.body);
  stencil.lambda = lambda;
  stencil.mu = mu;
  stencil.simplices ? integrate_linear(stencil) : integrate_multilinear(stencil);
  stencil.load = problem.body.load;
  stencil.spacing = problem.spacing();
  for (int corner = 0; corner < 1 << stencil.dimensions; ++corner) {
    const int ones = std::popcount(static_cast<unsigned>(corner));
    stencil.share[corner] = corner_share(stencil.simplices, stencil.dimensions, ones);
    stencil.face_share[corner] =
        (corner & 1) != 0 ? corner_share(stencil.simplices, stencil.dimensions - 1, ones - 1) : 0.0;
  }
  return stencil;
}

}  // namespace amgsolve
