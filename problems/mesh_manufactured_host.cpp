#include "problems/mesh_manufactured.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/parallel_host.hpp"
#include "problems/manufactured_mode.hpp"
#include "problems/simplex.hpp"

namespace amgsolve {
namespace {

/// The mode of a box, at one point at a time.
class BoxMode {
 public:
  explicit BoxMode(const MeshProblem& problem) : dimensions_(problem.mesh.dimensions()) {
    mode_.components = problem.components;
    for (int d = 0; d < dimensions_; ++d) {
      double low = problem.mesh.point(0)[d];
      double high = low;
      for (Index node = 1; node < problem.mesh.nodes(); ++node) {
        low = std::min(low, problem.mesh.point(node)[d]);
        high = std::max(high, problem.mesh.point(node)[d]);
      }
      first_[static_cast<std::size_t>(d)] = low;
      mode_.wave_number[d] = std::numbers::pi / (high - low);
      mode_.eigenvalue += mode_.wave_number[d] * mode_.wave_number[d];
    }
    mode_.load_scale = problem.coefficient[0];
    if (problem.components > 1) {
      mode_.eigenvalue *= problem.lame.mu;
      mode_.compression = problem.lame.lambda + problem.lame.mu;
    }
  }

  /// Calls body(mode) with a mode whose only point lies there.
  template <class Body>
  auto at(const double* point, const Body& body) const {
    std::array<double, 9> table{1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0};
    for (int d = 0; d < dimensions_; ++d) {
      const double angle = mode_.wave_number[d] * (point[d] - first_[static_cast<std::size_t>(d)]);
      table[3 * static_cast<std::size_t>(d)] = std::sin(angle);
      table[3 * static_cast<std::size_t>(d) + 1] = mode_.wave_number[d] * std::cos(angle);
    }
    ManufacturedMode mode = mode_;
    mode.table = table.data();
    return body(mode);
  }

 private:
  int dimensions_;
  std::array<double, 3> first_{};
  ManufacturedMode mode_;
};

/// ∫ f φ over the elements around a node, f linear with its values at the corners.
template <std::size_t D>
double linear_load(const MeshProblem& problem, const BoxMode& box, Index node, Index component) {
  const auto f = [&](Index i) {
    return box.at(problem.mesh.point(i), [&](const ManufacturedMode& mode) { return mode.load(component); });
  };
  const double own = f(node);
  double load = 0.0;
  for (const Index element : problem.around.of(node)) {
    double sum = own;
    for (const Index corner : problem.mesh.element(element)) {
      sum += f(corner);
    }
    load += Simplex<D>(problem.mesh, element).volume / ((D + 1) * (D + 2)) * sum;
  }
  return load;
}

/// The volume that a node stands for.
double share_of(const MeshProblem& problem, Index node) {
  return with_dimensions(problem.mesh, [&](auto dimensions) {
    double share = 0.0;
    for (const Index element : problem.around.of(node)) {
      share += Simplex<dimensions>(problem.mesh, element).volume / (dimensions + 1);
    }
    return share;
  });
}

}  // namespace

void set_manufactured(Context<Host>& ctx, MeshProblem& problem) {
  const BoxMode box(problem);
  const Index components = problem.components;
  std::ranges::fill(problem.is_fixed.span(), char{0});
  std::ranges::fill(problem.source.view().span(), 0.0);
  const Buffer<Index, Host> across = elements_across(ctx, problem.mesh, problem.around);
  for (const Index node : boundary_sides(ctx, problem.mesh, across.span())) {
    std::fill_n(problem.is_fixed.data() + std::int64_t{node} * components, components, char{1});
  }
  number_free_nodes(problem);
  parallel_for(
      ctx, problem.mesh.nodes(),
      [&](std::int64_t i) {
        const auto node = static_cast<Index>(i);
        for (Index p = 0; p < components; ++p) {
          problem.load.data()[i * components + p] = with_dimensions(
              problem.mesh, [&](auto dimensions) { return linear_load<dimensions>(problem, box, node, p); });
          problem.fixed.data()[i * components + p] =
              problem.is_fixed_at(node, p)
                  ? box.at(problem.mesh.point(node), [&](const ManufacturedMode& mode) { return mode.solution(p); })
                  : 0.0;
        }
      },
      work_of_node);
}

std::vector<DiscretizationError> mesh_discretization_error(Context<Host>& ctx, const MeshProblem& problem,
                                                           MultiVectorView<const double, Host> values) {
  const BoxMode box(problem);
  std::vector<DiscretizationError> errors;
  for (Index j = 0; j < values.columns; ++j) {
    const DiscretizationError sum = parallel_reduce(
        ctx, problem.mesh.nodes(), DiscretizationError{},
        [&](std::int64_t begin, std::int64_t end) {
          DiscretizationError block;
          for (auto node = static_cast<Index>(begin); node < end; ++node) {
            const double share = share_of(problem, node);
            for (Index p = 0; p < problem.components; ++p) {
              const double u =
                  box.at(problem.mesh.point(node), [&](const ManufacturedMode& mode) { return mode.solution(p); });
              const std::int64_t row = std::int64_t{node} * problem.components + p;
              const double error = std::abs(values.data[row * values.columns + j] - u);
              block.l2 += share * error * error;
              block.max = std::max(block.max, error);
            }
          }
          return block;
        },
        [](const DiscretizationError& a, const DiscretizationError& b) {
          return DiscretizationError{a.l2 + b.l2, std::max(a.max, b.max)};
        });
    errors.push_back({std::sqrt(sum.l2), sum.max});
  }
  return errors;
}

MultiVector<double, Host> mesh_pointwise_error(Context<Host>& ctx, const MeshProblem& problem,
                                               MultiVectorView<const double, Host> values) {
  const BoxMode box(problem);
  MultiVector<double, Host> errors(ctx, values.rows, values.columns);
  parallel_for(
      ctx, values.rows,
      [&](std::int64_t row) {
        const auto node = static_cast<Index>(row / problem.components);
        const double u = box.at(problem.mesh.point(node),
                                [&](const ManufacturedMode& mode) { return mode.solution(row % problem.components); });
        for (std::int64_t k = row * values.columns; k < (row + 1) * values.columns; ++k) {
          errors.data()[k] = values.data[k] - u;
        }
      },
      work_of_node);
  return errors;
}

}  // namespace amgsolve
