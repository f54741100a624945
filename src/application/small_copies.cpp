#include "src/application/small_copies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "amg/approach.hpp"
#include "amg/measured_step.hpp"
#include "amg/solver.hpp"
#include "core/errors.hpp"
#include "src/application/linear_system.hpp"

namespace amgsolve {
namespace {

/// Of the larger copy. The other one has half as many points in a direction.
constexpr double most_rows = 40'000.0;
constexpr double most_entries = 1e6;

/// Levels of fewer rows have more chance than rule in them.
constexpr double fewest_rows = 100.0;

/// Points in a direction of the larger copy, where there are as many.
std::int64_t points_of_copy(const GeneratedProblem& problem) {
  const auto unknowns = static_cast<double>(problem.unknowns());
  const double most = std::min(most_rows, most_entries * unknowns / problem.nonzeros());
  const std::array<std::int64_t, 3>& size = problem.grid.size;
  const auto rows = [&](std::int64_t points) {
    double product = problem.components();
    for (const std::int64_t n : size) {
      product *= static_cast<double>(std::min(n, points));
    }
    return product;
  };
  std::int64_t points = 2;
  while (points < *std::ranges::max_element(size) && rows(points + 1) <= most) {
    ++points;
  }
  return points;
}

/// Points after which the rows along a grid line repeat: those of a node, and of blocks that take turns where that is
/// little of a copy.
std::int64_t period(const GeneratedProblem& problem, const AmgOptions& amg, std::int64_t points) {
  const std::int64_t of_node = problem.components() == 1 ? amg.block_size.value_or(1) : 1;
  const std::int64_t of_blocks =
      problem.coefficient.type == CoefficientType::checkerboard ? 2 * problem.coefficient.block : 1;
  const std::int64_t of_both = std::lcm(of_node, of_blocks);
  return 4 * of_both <= points ? of_both : of_node;
}

/// The grid with about `points` in each direction that has more than `most`, and ends of lines as before.
StructuredGrid cut(StructuredGrid grid, std::int64_t most, std::int64_t points, std::int64_t period) {
  for (std::int64_t& n : grid.size) {
    if (n > most) {
      n -= (n - points) / period * period;
    }
  }
  return grid;
}

class SmallCopy {
 public:
  SmallCopy(const JobConfiguration& configuration, const StructuredGrid& grid, const Context<Host>& host)
      : configuration_(configuration), ctx_(host.threads()) {
    ctx_.set_stop(host.stop());
    GeneratedProblem& problem = configuration_.problem.generate;
    const double spacing = problem.spacing();
    problem.grid = grid;
    if (problem.pde == Pde::convection_diffusion) {
      problem.peclet *= spacing / problem.spacing();
    }
    configuration_.problem.columns = 1;
    for (Index* const rows : {&configuration_.amg.coarse_size, &configuration_.amg.direct_solve_limit}) {
      *rows = std::min(*rows, static_cast<Index>(fewest_rows));
    }
    solver_ = {configuration_.amg, configuration_.solver};
    MatrixSource source(ctx_, configuration_.problem);
    std::vector<std::string> warnings;  // which are for the problem itself to give
    system_ = load_system(ctx_, ctx_, configuration_.problem, source, warnings);
  }

  double rows() const { return system_.b.rows(); }

  /// What the first look at the matrix tells.
  void survey(SystemSize& size) {
    solver_.survey(ctx_, system_.A, {}, std::as_const(system_.coordinates), size);
    if (!configuration_.problem.generate.repeats_rows()) {
      SystemSize found;
      measure_patterns(ctx_, system_.A, found);
      size.different_slices = found.different_slices;
    }
  }

  /// @param value_bytes  of the hierarchy
  std::vector<StepSizes> set_up(double value_bytes) {
    solver_.setup(ctx_, std::move(system_.A), {}, std::as_const(system_.coordinates));
    const std::vector<LevelSummary> levels = solver_.summary().levels;
    std::vector<StepSizes> steps = measure_steps(ctx_, solver_, configuration_.amg.storage, value_bytes);
    if (levels.back().rows > configuration_.amg.coarse_size && std::ssize(levels) < configuration_.amg.max_levels) {
      steps.emplace_back();  // there is no coarser one
    }
    return steps;
  }

  double iterations() {
    const SolveResult result = solver_.solve(ctx_, std::as_const(system_.b), system_.x);
    if (result.reason == StopReason::interrupted) {
      throw InterruptedError(ctx_.profile().current_path());
    }
    return result.iterations;
  }

 private:
  JobConfiguration configuration_;
  Context<Host> ctx_;
  LinearSystem<Host> system_;
  AmgSolver<double, Host> solver_{{}, {}};
};

/// From two copies to the whole.
class Extrapolation {
 public:
  Extrapolation(const StructuredGrid& whole, const StructuredGrid& larger, const StructuredGrid& smaller) {
    for (std::size_t d = 0; d < whole.size.size(); ++d) {
      if (larger.size[d] > smaller.size[d]) {
        directions_.push_back({static_cast<double>(whole.size[d]), static_cast<double>(larger.size[d]),
                               static_cast<double>(smaller.size[d])});
      }
    }
  }

  /// Of a quantity.
  double operator()(double of_larger, double of_smaller) const {
    if (directions_.empty() || of_smaller <= 0.0) {
      return of_larger;
    }
    const double ratio = std::pow(of_larger / of_smaller, 1.0 / static_cast<double>(directions_.size()));
    const double larger = mean(&Direction::larger);
    const double smaller = mean(&Direction::smaller);
    // More than that comes of chance, or of copies that are coarsened in different ways.
    const double c = std::clamp((ratio * smaller - larger) / (ratio - 1.0), -smaller / 8.0, smaller / 2.0);
    double result = of_larger;
    for (const Direction& n : directions_) {
      result *= (n.whole - c) / (n.larger - c);
    }
    return result;
  }

  StepSizes operator()(const StepSizes& of_larger, const StepSizes& of_smaller) const {
    StepSizes sizes;
    for (double StepSizes::*const size :
         {&StepSizes::coarse_rows, &StepSizes::P_nnz, &StepSizes::AP_nnz, &StepSizes::coarse_nnz, &StepSizes::stored,
          &StepSizes::stored_P_and_R, &StepSizes::smoothing}) {
      sizes.*size = (*this)(of_larger.*size, of_smaller.*size);
    }
    return sizes;
  }

 private:
  struct Direction {
    double whole;
    double larger;
    double smaller;
  };

  double mean(double Direction::*points) const {
    double logarithms = 0.0;
    for (const Direction& direction : directions_) {
      logarithms += std::log(direction.*points);
    }
    return std::exp(logarithms / static_cast<double>(directions_.size()));
  }

  std::vector<Direction> directions_;  ///< in which copies differ
};

bool has_vectors_from_files(const ProblemConfiguration& problem) {
  return !problem.near_nullspace.file.empty() || !problem.rhs.file.empty() || !problem.initial_guess.file.empty() ||
         !problem.coordinates.empty();
}

/// Iterations grow with the logarithm of the points, if at all.
double extrapolated_iterations(double of_larger, double of_smaller, double whole, double larger, double smaller) {
  return of_larger +
         std::max(of_larger - of_smaller, 0.0) * std::log(whole / larger) / std::max(std::log(larger / smaller), 1.0);
}

SystemSize measured(const JobConfiguration& configuration, const Context<Host>& host, SystemSize size) {
  const GeneratedProblem& problem = configuration.problem.generate;
  const std::int64_t points = points_of_copy(problem);
  const std::int64_t repeated = period(problem, configuration.amg, points);
  const StructuredGrid larger_grid = cut(problem.grid, points, points, repeated);
  const StructuredGrid smaller_grid = cut(problem.grid, points, points / 2, repeated);
  SmallCopy larger(configuration, larger_grid, host);
  SmallCopy smaller(configuration, smaller_grid, host);
  smaller.survey(size);
  size.steps.clear();
  const double value_bytes = *size.is_mixed ? sizeof(float) : sizeof(double);
  const std::vector<StepSizes> of_larger = larger.set_up(value_bytes);
  const std::vector<StepSizes> of_smaller = smaller.set_up(value_bytes);
  const Extrapolation whole(problem.grid, larger_grid, smaller_grid);
  double rows = smaller.rows();
  for (std::size_t l = 0; l < std::min(of_larger.size(), of_smaller.size()) && rows >= fewest_rows; ++l) {
    if ((of_larger[l].coarse_rows == 0.0) != (of_smaller[l].coarse_rows == 0.0)) {
      break;
    }
    size.steps.push_back(whole(of_larger[l], of_smaller[l]));
    rows = of_smaller[l].coarse_rows;
  }
  const Method method = method_for(configuration.solver.method, configuration.amg, size.is_symmetric);
  if (method == Method::gmres || method == Method::fgmres) {
    size.iterations =
        extrapolated_iterations(larger.iterations(), smaller.iterations(), size.rows, larger.rows(), smaller.rows());
  }
  return size;
}

}  // namespace

void measure_on_copies(const JobConfiguration& configuration, const Context<Host>& host, SystemSize& size) {
  if (has_vectors_from_files(configuration.problem)) {
    return;
  }
  size = measured(configuration, host, size);
}

}  // namespace amgsolve
