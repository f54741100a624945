#include "bench/robustness_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/robustness_problems.hpp"
#include "problems/generate.hpp"
#include "problems/matrix_market.hpp"

namespace amgsolve::bench {
namespace {

using Matrix = CsrMatrix<double, Host>;
using Make = decltype(RobustnessProblem::make);
using Problems = std::vector<RobustnessProblem>;

constexpr std::array<double, 4> weak = {1e-1, 1e-2, 1e-3, 1e-4};
constexpr std::array<double, 4> contrasts = {1e2, 1e4, 1e6, 1e8};

std::string power_of_ten(double value) { return fmt::format("1e{}", std::lround(std::log10(value))); }

std::array<Index, 3> cells(int dimensions, Index size) { return {size, size, dimensions == 2 ? 1 : size}; }

Make generated(int dimensions, const GeneratedProblem& problem) {
  return [=](Context<Host>& ctx, Index size) {
    GeneratedProblem sized = problem;
    sized.grid = {dimensions, {size, size, dimensions == 2 ? 1 : size}};
    return generate_matrix<double>(ctx, sized);
  };
}

Make elements(int dimensions, Anisotropy anisotropy = {}) {
  GeneratedProblem problem;
  problem.pde = Pde::diffusion;
  problem.discretization = Discretization::q1;
  problem.anisotropy = anisotropy;
  return generated(dimensions, problem);
}

Make jumps(int dimensions, CoefficientType type, double high, std::int64_t block) {
  GeneratedProblem problem;
  problem.pde = Pde::diffusion;
  problem.coefficient.type = type;
  problem.coefficient.high = high;
  problem.coefficient.block = block;
  return generated(dimensions, problem);
}

Make differences(int dimensions, std::array<double, 3> k) {
  return [=](Context<Host>& ctx, Index size) {
    return finite_volumes(ctx, cells(dimensions, size),
                          [=](int d, const std::array<Index, 3>&) { return k[static_cast<std::size_t>(d)]; });
  };
}

Make trilinear_elements(std::array<double, 3> k) {
  return [=](Context<Host>& ctx, Index size) { return trilinear(ctx, size, k); };
}

Make stretched_boxes(int dimensions, double ratio, std::array<bool, 3> directions) {
  return [=](Context<Host>& ctx, Index size) {
    const auto box = cells(dimensions, size);
    return finite_volumes(ctx, box, stretched(box, ratio, directions));
  };
}

Make log_normal_field(int dimensions, Index correlation) {
  return [=](Context<Host>& ctx, Index size) {
    const auto box = cells(dimensions, size);
    return finite_volumes(ctx, box, harmonic(box, log_normal(box, 3.0, correlation, 1)));
  };
}

void add_model_problems(Problems& all) {
  const std::vector<Index> plane{128, 256, 512, 1024};
  const std::vector<Index> cube{32, 48, 64, 101};
  all.push_back({"model", "P1", generated(2, {}), plane});
  all.push_back({"model", "P2", elements(2), plane});
  all.push_back({"model", "P3", generated(3, {}), cube});
  all.push_back({"model", "P4", elements(3), cube});
  all.push_back({"model", "P6", elements(2, {1e-3, 30.0}), plane});
  all.push_back({"model", "P7", jumps(3, CoefficientType::checkerboard, 1e4, 8), cube});
}

void add_directions(Problems& all) {
  for (const double epsilon : weak) {
    for (int degrees = 0; degrees <= 90; ++degrees) {
      const bool is_large = degrees % 15 == 0 || degrees == 17;
      all.push_back({"rotated", fmt::format("{} at {}", power_of_ten(epsilon), degrees),
                     elements(2, {epsilon, 1.0 * degrees}),
                     is_large ? std::vector<Index>{128, 256} : std::vector<Index>{128}});
    }
  }
  for (const double e : weak) {
    const std::string one = "one weak " + power_of_ten(e);
    const std::string two = "two weak " + power_of_ten(e);
    all.push_back({"five_points", one, differences(2, {1, e, 1}), {128, 256, 512}});
    all.push_back({"seven_points", one, differences(3, {1, 1, e}), {32, 48, 64}});
    all.push_back({"seven_points", two, differences(3, {1, e, e}), {32, 48, 64, 128}});
    all.push_back({"trilinear", one, trilinear_elements({1, 1, e}), {24, 48}});
    all.push_back({"trilinear", two, trilinear_elements({1, e, e}), {24, 48}});
  }
}

void add_fields(Problems& all) {
  const auto circular = [](Context<Host>& ctx, Index size) { return circular_field(ctx, size, 1e-3); };
  all.push_back({"field", "circular", circular, {128, 256, 512}});
  all.push_back({"field", "stretched 2D", stretched_boxes(2, 1e4, {true, true, false}), {128, 256, 384}});
  all.push_back({"field", "stretched 3D", stretched_boxes(3, 1e3, {false, false, true}), {32, 48, 64}});
  all.push_back({"field", "log-normal 2D", log_normal_field(2, 1), {128, 256, 384}});
  all.push_back({"field", "log-normal 3D", log_normal_field(3, 1), {32, 48, 64}});
  all.push_back({"field", "correlated 2D", log_normal_field(2, 6), {128, 256, 384}});
  all.push_back({"field", "correlated 3D", log_normal_field(3, 4), {32, 48, 64}});
}

void add_jumps(Problems& all) {
  for (const int dimensions : {2, 3}) {
    for (const CoefficientType type :
         {CoefficientType::checkerboard, CoefficientType::random, CoefficientType::inclusions}) {
      for (const std::int64_t block : {1, 2, 4, 8, 16}) {
        for (const double high : contrasts) {
          all.push_back({"jumps",
                         fmt::format("{} {}D block {} by {}", to_string(type), dimensions, block, power_of_ten(high)),
                         jumps(dimensions, type, high, block),
                         {dimensions == 2 ? 256 : 48}});
        }
      }
    }
  }
}

/// 1 along a direction in all of k dimensions, a tenth across.
std::vector<double> spring(std::mt19937_64& random, std::size_t k) {
  std::vector<double> direction(k);
  double length = 0.0;
  for (double& component : direction) {
    component = static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
    length += component * component;
  }
  std::vector<double> stiffness(k * k);
  for (std::size_t r = 0; r < k; ++r) {
    for (std::size_t c = 0; c < k; ++c) {
      stiffness[r * k + c] = direction[r] * direction[c] / length + (r == c ? 0.1 : 0.0);
    }
  }
  return stiffness;
}

void add_networks(Problems& all) {
  const auto add = [&](const std::string& name, Index unknowns, Coupling coupling) {
    const auto make = [unknowns, coupling = std::move(coupling)](Context<Host>& ctx, Index size) {
      return random_network(ctx, size * size * size, unknowns, coupling);
    };
    all.push_back({"networks", name, make, {16, 24, 32}});
  };
  const std::vector<double> phases = {1.0, 0.3, 0.1, 0.3, 1.2, 0.2, 0.1, 0.2, 0.8};
  add("one unknown", 1, [](std::mt19937_64&) { return std::vector{1.0}; });
  add("three phases", 3, [=](std::mt19937_64&) { return phases; });
  add("springs, 3 unknowns", 3, [](std::mt19937_64& random) { return spring(random, 3); });
  add("springs, 6 unknowns", 6, [](std::mt19937_64& random) { return spring(random, 6); });
}

void add_files(Problems& all, const std::filesystem::path& data) {
  const auto add = [&](const std::string& name, const std::string& file, auto make) {
    const std::filesystem::path path = data / file;
    all.push_back({"files", name, [=](Context<Host>& ctx, Index) { return make(ctx, path); }, {0}, path});
  };
  const auto read = [](Context<Host>& ctx, const std::filesystem::path& path) {
    return read_matrix_market<double>(ctx, path);
  };
  const auto negative = [=](Context<Host>& ctx, const std::filesystem::path& path) {
    Matrix A = read(ctx, path);
    for (double& value : A.values.span()) {
      value = -value;
    }
    return A;
  };
  const auto laplacian = [=](Context<Host>& ctx, const std::filesystem::path& path) {
    return grounded_laplacian(ctx, read(ctx, path));
  };
  const auto isotropic = [](Context<Host>& ctx, const std::filesystem::path& path) {
    return simplices(ctx, path, 1.0, 0.0);
  };
  const auto directed = [](Context<Host>& ctx, const std::filesystem::path& path) {
    return simplices(ctx, path, 1e-3, 30.0);
  };
  for (const char* name : {"1138_bus",
                           "494_bus",
                           "G2_circuit",
                           "Poisson4k",
                           "amgjl_lin_elastic_2d",
                           "bcsstk16",
                           "bcsstk17",
                           "bodyy5",
                           "crystm02",
                           "cvxbqp1",
                           "dc_case_ACTIVSg10k",
                           "fv1",
                           "gridgena",
                           "hypre_beam_tet_dof2475",
                           "hypre_tucker21935",
                           "jnlbrng1",
                           "nos3",
                           "nos7",
                           "pyamg_airfoil",
                           "pyamg_bar",
                           "pyamg_local_disc_galerkin_diffusion",
                           "pyamg_unit_cube",
                           "pyamg_unit_square",
                           "s3rmt3m3",
                           "stokes_cavity_A"}) {
    add(name, std::string(name) + ".mtx.xz", read);
  }
  add("lap3d_40, negated", "lap3d_40.mtx.xz", negative);
  add("usroads, grounded", "usroads.mtx.xz", laplacian);
  add("delaunay_n16, grounded", "delaunay_n16.mtx.xz", laplacian);
  for (const char* mesh : {"cmm2d", "anu", "backstep3d"}) {
    add(mesh, fmt::format("mesh_{}.txt.xz", mesh), isotropic);
    add(fmt::format("{}, 1e-3 at 30", mesh), fmt::format("mesh_{}.txt.xz", mesh), directed);
  }
}

std::vector<double> units_in_turn(const Matrix& A) {
  std::vector<double> units(static_cast<std::size_t>(A.rows));
  for (std::size_t i = 0; i < units.size(); ++i) {
    units[i] = i % 2 == 0 ? 1e3 : 1e-3;
  }
  return units;
}

/// Those in which the diagonal of A is 1.
std::vector<double> units_of_diagonal(const Matrix& A) {
  std::vector<double> units(static_cast<std::size_t>(A.rows));
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      if (static_cast<std::size_t>(A.col_indices[k]) == i) {
        units[i] = 1.0 / std::sqrt(std::abs(A.values[k]));
      }
    }
  }
  return units;
}

/// Problems from above, and an elastic body, with unknowns in units of their own.
void add_units(Problems& all) {
  GeneratedProblem body;
  body.pde = Pde::elasticity;
  body.discretization = Discretization::q1;
  Problems some = {{"units", "body", generated(2, body), {64}}};
  for (const auto& [family, name, size] : {std::tuple{"model", "P1", 128},
                                           {"model", "P2", 128},
                                           {"model", "P3", 32},
                                           {"model", "P4", 32},
                                           {"model", "P6", 128},
                                           {"model", "P7", 32},
                                           {"field", "circular", 128},
                                           {"field", "stretched 2D", 128},
                                           {"field", "log-normal 2D", 128},
                                           {"field", "log-normal 3D", 32},
                                           {"field", "correlated 2D", 128},
                                           {"jumps", "checkerboard 2D block 4 by 1e4", 128},
                                           {"jumps", "inclusions 2D block 8 by 1e4", 128},
                                           {"jumps", "random 3D block 2 by 1e4", 32},
                                           {"networks", "three phases", 16},
                                           {"files", "G2_circuit", 0},
                                           {"files", "bcsstk16", 0},
                                           {"files", "gridgena", 0},
                                           {"files", "bodyy5", 0},
                                           {"files", "dc_case_ACTIVSg10k", 0},
                                           {"files", "usroads, grounded", 0},
                                           {"files", "delaunay_n16, grounded", 0},
                                           {"files", "cmm2d", 0},
                                           {"files", "anu", 0}}) {
    const auto found = std::ranges::find_if(
        all, [&](const RobustnessProblem& problem) { return problem.family == family && problem.name == name; });
    some.push_back({"units", found->name, found->make, {size}, found->file});
  }
  for (const RobustnessProblem& in_one : some) {
    const auto add = [&](const std::string& units, std::function<std::vector<double>(const Matrix&)> make) {
      all.push_back({"units", in_one.name + ", " + units,
                     [of_one = in_one.make, make = std::move(make)](Context<Host>& ctx, Index size) {
                       Matrix A = of_one(ctx, size);
                       const std::vector<double> units_of_rows = make(A);
                       return in_units(std::move(A), units_of_rows);
                     },
                     in_one.sizes, in_one.file});
    };
    for (const double sigma : {0.2, 1.0, 3.0}) {
      add(fmt::format("exp({} N)", sigma), [sigma](const Matrix& A) { return random_units(A.rows, sigma); });
    }
    add("1e3 and 1e-3 in turn", units_in_turn);
    add("unit diagonal", units_of_diagonal);
  }
}

}  // namespace

std::vector<RobustnessProblem> robustness_problems(const std::filesystem::path& data) {
  Problems all;
  add_model_problems(all);
  add_directions(all);
  add_fields(all);
  add_jumps(all);
  add_networks(all);
  add_files(all, data);
  add_units(all);
  return all;
}

}  // namespace amgsolve::bench
