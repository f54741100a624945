#include "src/library/configuration.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "amg/optimal_polynomial.hpp"
#include "amg/residual_polynomial.hpp"
#include "core/context.hpp"
#include "core/format.hpp"
#include "core/mistakes.hpp"

namespace amgsolve {
namespace {

/// Sweeps, cycle and method.
void check_cycle(const Configuration& configuration, Mistakes& mistakes) {
  const int pre = configuration.amg.smoother.pre_sweeps;
  const int post = configuration.amg.smoother.post_sweeps;
  if (pre == 0 && post == 0) {
    mistakes.add("'amg.pre_sweeps' and 'amg.post_sweeps' are both 0; one of them must be at least 1");
  }
  const Method method = configuration.solver.method;
  const bool needs_symmetry = method == Method::cg || method == Method::minres;
  const char* const flexible = method == Method::cg ? "fcg" : "fgmres";
  if (needs_symmetry && pre != post) {
    mistakes.add(
        format_text("'amg.pre_sweeps' is {} and 'amg.post_sweeps' is {}; 'solver.method' {} needs a symmetric "
                    "preconditioner, so they must be equal ({} takes any)",
                    pre, post, name(method), flexible));
  }
  if (needs_symmetry && configuration.amg.cycle == CycleType::f) {
    mistakes.add(
        format_text("'amg.cycle' is F, which is not symmetric; 'solver.method' {} needs a symmetric preconditioner ({} "
                    "takes any)",
                    name(method), flexible));
  }
  if (configuration.amg.cycle == CycleType::k && (needs_symmetry || method == Method::gmres)) {
    mistakes.add(
        format_text("'amg.cycle' is K, which varies from step to step; 'solver.method' {} needs a preconditioner that "
                    "does not ({} takes any)",
                    name(method), flexible));
  }
}

void check_smoother(const Configuration& configuration, Mistakes& mistakes) {
  const Method method = configuration.solver.method;
  const SmootherOptions& smoother = configuration.amg.smoother;
  const bool is_optimal =
      smoother.type == SmootherType::chebyshev_opt_fourth || smoother.type == SmootherType::block_chebyshev;
  if (is_optimal && smoother.degree > highest_optimal_degree) {
    mistakes.add(
        format_text("'amg.smoother.degree' is {}; the optimised polynomials are known up to degree {} (chebyshev takes "
                    "any)",
                    *smoother.degree, highest_optimal_degree));
  }
  if (smoother.type == SmootherType::gmres_polynomial &&
      (method == Method::cg || method == Method::fcg || method == Method::minres)) {
    mistakes.add(
        format_text("'amg.smoother.type' is gmres_polynomial, of which a cycle need not be positive definite; "
                    "'solver.method' {} needs that it is (gmres, fgmres and bicgstab take any)",
                    name(method)));
  }
  if (smoother.type == SmootherType::gmres_polynomial && smoother.degree > highest_residual_degree) {
    mistakes.add(format_text("'amg.smoother.degree' is {}; that of gmres_polynomial is at most {}", *smoother.degree,
                             highest_residual_degree));
  }
}

void check_prolongator(const AmgOptions& amg, Mistakes& mistakes) {
  if (amg.prolongator_steps == 2 && amg.prolongator_damping != default_prolongator_damping) {
    mistakes.add(format_text("'amg.prolongator_damping' is {}, which is that of one step; 'amg.prolongator_steps' is 2",
                             amg.prolongator_damping));
  }
}

void check_products(const Configuration& configuration, Mistakes& mistakes) {
  if (configuration.solver.reuse == Reuse::pattern && configuration.amg.spgemm.drop_zeros) {
    mistakes.add("'spgemm.drop_zeros' lets patterns depend on values, which 'solver.reuse' pattern keeps");
  }
  const auto& bins = configuration.amg.spgemm.bins;
  if (!std::ranges::is_sorted(bins)) {
    mistakes.add(format_text("'spgemm.bins' is {}; its numbers must ascend", bins));
  }
  if (!std::ranges::equal(bins, largest_bins, std::ranges::less_equal())) {
    mistakes.add(format_text("'spgemm.bins' is {}; its numbers are at most {}", bins, largest_bins));
  }
}

}  // namespace

void validate(const Configuration& configuration) {
  Mistakes mistakes;
  mistakes.gather([&] { validate_threads(configuration.threads); });
  check_cycle(configuration, mistakes);
  check_smoother(configuration, mistakes);
  check_prolongator(configuration.amg, mistakes);
  check_products(configuration, mistakes);
  mistakes.raise();
}

}  // namespace amgsolve
