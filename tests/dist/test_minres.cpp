#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "spmv/conversions.hpp"
#include "tests/dist/shared_problems.hpp"
#include "tests/dist/shared_solves.hpp"

namespace amgsolve {
namespace {

using ranks::poisson;
using ranks::Problem;

/// A whose diagonal entries are changed; those that become zero are left out.
template <class Change>
CsrMatrix<double, Host> with_diagonal(Context<Host>& host, const CsrMatrix<double, Host>& A, const Change& change) {
  return reference::changed_entries<double>(
      host, A, [&](Index i, Index j, double value) { return i == j ? change(i, value) : value; });
}

std::vector<Problem> indefinite_problems(Context<Host>& host) {
  const auto cube = generate_matrix<double>(host, poisson({19, 21, 23}, Discretization::fd));
  const auto square = generate_matrix<double>(host, poisson({60, 70}, Discretization::fd));
  GeneratedProblem body = poisson({45, 40}, Discretization::q1);
  body.pde = Pde::elasticity;
  const auto shifted = [](double shift) { return [shift](Index, double value) { return value - shift; }; };
  std::vector<Problem> all;
  all.push_back({"shifted past some eigenvalues", with_diagonal(host, cube, shifted(0.25))});
  all.push_back({"rows without a diagonal entry, and of both signs", with_diagonal(host, square, [](Index i, double x) {
                   return i % 7 == 0 ? 0.0 : i % 5 == 0 ? -x : x;
                 })});
  const auto units = [](Index i) { return std::exp(1e-3 * (i % 4000)); };
  all.push_back({"other units", reference::changed_entries<double>(
                                    host, with_diagonal(host, square, shifted(0.05)),
                                    [&](Index i, Index j, double value) { return value * units(i) * units(j); })});
  all.push_back({"a negative one", convert_values<double>(host, cube, -1.0)});
  all.push_back({"two unknowns a node", with_diagonal(host, generate_matrix<double>(host, body), shifted(0.01)), 2});
  return all;
}

template <class I>
class SharedMinres : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(SharedMinres, reference::Instances, reference::InstanceNames);

TYPED_TEST(SharedMinres, HasTheBitsOfOneRank) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  for (const Problem& problem : indefinite_problems(host)) {
    SCOPED_TRACE(problem.name);
    const auto A = convert_values<T>(host, problem.A);
    const auto b = reference::random_values<T>(static_cast<std::size_t>(A.rows), 1);
    const SolverOptions by{.method = Method::minres, .max_iterations = 12};
    ranks::expect_bits_of_one_rank<T, S>(A, b, ranks::small_levels(), by, problem.unknowns);
  }
}

// Which ranks find out after the diagonal was raised, and the sign turned.
TEST(SharedSolver, SolvesIndefiniteMatricesThatCannotBeShared) {
  Context<Host> whole(1);
  const auto square = generate_matrix<double>(whole, poisson({30, 30}, Discretization::fd));
  const auto positive = ranks::with_hub(whole, square);
  std::vector<CsrMatrix<double, Host>> all;
  all.push_back(with_diagonal(whole, positive, [](Index i, double x) { return i % 11 == 3 ? -x : x; }));
  all.push_back(convert_values<double>(whole, positive, -1.0));
  for (const CsrMatrix<double, Host>& A : all) {
    const auto b = reference::random_values<double>(static_cast<std::size_t>(A.rows), 1);
    AmgOptions options = ranks::small_levels();
    options.replicate_below = 0;
    ranks::expect_bits_of_one_rank<double, Host>(A, b, options, {.method = Method::minres}, 1, false);
  }
}

}  // namespace
}  // namespace amgsolve
