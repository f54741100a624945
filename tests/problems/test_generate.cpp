#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "problems/generate.hpp"
#include "problems/stencil.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/assembly.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/tolerance.hpp"

namespace amgsolve {
namespace {

using reference::grid;
using reference::poisson;

/// Problems of every discretisation and boundary, with everything else that they allow.
std::vector<GeneratedProblem> all_kinds() {
  const std::vector<Anisotropy> anisotropies{{1.0, 0.0}, {0.01, 90.0}, {0.05, 30.0}};
  const std::vector<Coefficient> coefficients{{CoefficientType::constant, 2.5},
                                              {CoefficientType::checkerboard, 1.0, 1.0, 1e4, 2},
                                              {CoefficientType::random, 1.0, 1e-3, 1e3, 1, 7},
                                              {CoefficientType::inclusions, 1.0, 1e-2, 10.0, 4, 3}};
  std::vector<GeneratedProblem> problems;
  for (const StructuredGrid& size : {grid({5, 4}), grid({3, 6}), grid({4, 5, 3}), grid({3, 3, 4})}) {
    for (const Discretization discretization : {Discretization::fd, Discretization::q1}) {
      for (const int stencil : {0, size.dimensions == 2 ? 9 : 27}) {
        for (const Boundary boundary : {Boundary::dirichlet, Boundary::neumann, Boundary::periodic}) {
          for (const Anisotropy& anisotropy : anisotropies) {
            for (const Coefficient& coefficient : coefficients) {
              problems.push_back({Pde::diffusion, size, discretization, stencil, boundary, anisotropy, coefficient});
              const bool differences = discretization == Discretization::fd;
              const bool rotated = anisotropy.angle == 30.0;
              const bool isotropic = anisotropy.epsilon == 1.0;
              if (differences && (rotated || (stencil != 0 && !isotropic))) {
                problems.pop_back();
              }
            }
          }
        }
      }
    }
  }
  return problems;
}

std::string describe(const GeneratedProblem& problem) {
  return std::string(to_string(problem.discretization)) + " " + std::to_string(problem.stencil_points()) + " " +
         to_string(problem.boundary) + " " + to_string(problem.coefficient.type) + " angle " +
         std::to_string(problem.anisotropy.angle);
}

double largest_magnitude(const CsrMatrix<double, Host>& A) {
  double largest = 0.0;
  for (const double value : A.values.span()) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

template <class I>
class GenerateMatrix : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(GenerateMatrix, reference::Instances, reference::InstanceNames);

TYPED_TEST(GenerateMatrix, IsWhatNaiveAssemblyGives) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  Context<Host> host;
  for (const GeneratedProblem& problem : all_kinds()) {
    SCOPED_TRACE(describe(problem));
    const CoefficientField field = make_stencil(problem).coefficient;
    const CsrMatrix<double, Host> expected = reference::assemble(
        host, problem,
        [&](std::int64_t x, std::int64_t y, std::int64_t z) { return coefficient_of_cell(field, x, y, z); });
    const auto actual = reference::download(ctx, generate_matrix<T>(ctx, problem));
    // An entry sums at most 8 elements, or 26 links, of 8 quadrature points and a 3 x 3 tensor in the reference.
    const double bound = reference::summation_bound<double>(26 * 8 * 9, largest_magnitude(expected)) +
                         reference::summation_bound<T>(1, largest_magnitude(expected));
    ASSERT_TRUE(reference::close(convert_values<double>(host, actual), expected, bound));
  }
}

TEST(GenerateMatrixSize, IsKnownBeforeTheMatrixIs) {
  Context<Host> ctx;
  for (const GeneratedProblem& problem : all_kinds()) {
    EXPECT_EQ(problem.nonzeros(), static_cast<double>(generate_matrix<double>(ctx, problem).nnz()))
        << describe(problem);
  }
}

std::vector<GeneratedProblem> convections() {
  std::vector<GeneratedProblem> problems;
  for (const StructuredGrid& size : {grid({5, 4}), grid({3, 6}), grid({4, 5, 3})}) {
    for (const Velocity velocity : {Velocity::constant, Velocity::rotating, Velocity::recirculating}) {
      for (const Scheme scheme : {Scheme::upwind, Scheme::central}) {
        for (const double peclet : {1e-3, 5.0, 1e6}) {
          GeneratedProblem problem = poisson(size, Discretization::fd);
          problem.pde = Pde::convection_diffusion;
          problem.velocity = velocity;
          problem.scheme = scheme;
          problem.peclet = peclet;
          problems.push_back(problem);
        }
      }
    }
  }
  return problems;
}

TYPED_TEST(GenerateMatrix, HasTheConvectionOfNaiveDifferencesForAnyNumberOfThreads) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  Context<Host> host;
  Context<Host> three(3);
  for (const GeneratedProblem& problem : convections()) {
    SCOPED_TRACE(std::string(to_string(problem.velocity)) + " " + to_string(problem.scheme));
    const auto expected = reference::assemble(host, problem, [](auto...) { return 1.0; });
    const auto actual = reference::download(ctx, generate_matrix<T>(ctx, problem));
    // An entry sums six terms, each of some five operations.
    const double bound = reference::summation_bound<double>(6 * 5, largest_magnitude(expected)) +
                         reference::summation_bound<T>(1, largest_magnitude(expected));
    ASSERT_TRUE(reference::close(convert_values<double>(host, actual), expected, bound));
    ASSERT_TRUE(reference::identical(actual, generate_matrix<T>(three, problem)));
  }
}

TYPED_TEST(GenerateMatrix, IsSymmetricToTheLastBit) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  Context<Host> host;
  for (const GeneratedProblem& problem : all_kinds()) {
    SCOPED_TRACE(describe(problem));
    const auto A = reference::download(ctx, generate_matrix<T>(ctx, problem));
    ASSERT_TRUE(reference::identical(transpose(host, A), A));
  }
}

TYPED_TEST(GenerateMatrix, HasRowSumsOfZeroWithoutDirichletBoundaries) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  int singular = 0;
  for (const GeneratedProblem& problem : all_kinds()) {
    SCOPED_TRACE(describe(problem));
    const auto A = reference::download(ctx, generate_matrix<T>(ctx, problem));
    bool all_zero = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
      double sum = 0.0;
      double magnitude = 0.0;
      for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]);
           ++k) {
        sum += static_cast<double>(A.values[k]);
        magnitude += std::abs(static_cast<double>(A.values[k]));
      }
      all_zero = all_zero && std::abs(sum) <= reference::summation_bound<T>(27 * 8, magnitude);
    }
    ASSERT_EQ(all_zero, problem.is_singular());
    singular += problem.is_singular() ? 1 : 0;
  }
  EXPECT_GT(singular, 0);
}

TYPED_TEST(GenerateMatrix, HasTheBitsOfOneThread) {
  using T = typename TypeParam::Value;
  std::vector<GeneratedProblem> problems = all_kinds();
  GeneratedProblem large = poisson(grid({37, 31, 17}), Discretization::q1);
  large.pde = Pde::diffusion;
  large.coefficient.type = CoefficientType::random;
  large.anisotropy = {0.1, 20.0};
  problems.push_back(large);
  Context<typename TypeParam::Space> ctx;
  Context<Host> one(1);
  Context<Host> three(3);
  for (const GeneratedProblem& problem : problems) {
    SCOPED_TRACE(describe(problem));
    const CsrMatrix<T, Host> expected = generate_matrix<T>(one, problem);
    ASSERT_TRUE(reference::identical(reference::download(ctx, generate_matrix<T>(ctx, problem)), expected));
    ASSERT_TRUE(reference::identical(generate_matrix<T>(three, problem), expected));
  }
}

/// The matrix whose rows these are, one below the other.
template <class T>
CsrMatrix<T, Host> stack(Context<Host>& ctx, Index cols, const std::vector<RankRows<T, Host>>& strips) {
  std::vector<Offset> offsets{0};
  std::vector<Index> columns;
  std::vector<T> values;
  for (const RankRows<T, Host>& strip : strips) {
    for (std::size_t i = 1; i < strip.row_offsets.size(); ++i) {
      offsets.push_back(std::ssize(columns) + strip.row_offsets[i]);
    }
    const auto& of_strip = std::get<Buffer<Index, Host>>(strip.col_indices).span();
    columns.insert(columns.end(), of_strip.begin(), of_strip.end());
    values.insert(values.end(), strip.values.span().begin(), strip.values.span().end());
  }
  CsrMatrix<T, Host> A;
  A.rows = static_cast<Index>(offsets.size() - 1);
  A.cols = cols;
  A.row_offsets = reference::upload_buffer(ctx, offsets);
  A.col_indices = reference::upload_buffer(ctx, columns);
  A.values = reference::upload_buffer(ctx, values);
  return A;
}

template <class T, MemorySpace S>
RankRows<T, Host> downloaded(Context<S>& ctx, Context<Host>& host, const RankRows<T, S>& rows) {
  const auto on_host = [&](const auto& buffer) {
    return reference::upload_buffer(host, reference::download(ctx, buffer.span()));
  };
  RankRows<T, Host> result;
  result.row_offsets = on_host(rows.row_offsets);
  std::visit([&](const auto& columns) { result.col_indices = on_host(columns); }, rows.col_indices);
  result.values = on_host(rows.values);
  return result;
}

TYPED_TEST(GenerateMatrix, IsMadeOfItsStrips) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  Context<Host> host;
  for (const GeneratedProblem& problem : all_kinds()) {
    SCOPED_TRACE(describe(problem));
    const auto whole = reference::download(ctx, generate_matrix<T>(ctx, problem));
    std::vector<RankRows<T, Host>> strips;
    // The third is empty, and the last reaches past the end.
    const std::int64_t borders[] = {0, 1, 9, 9, 10, 1000};
    for (std::size_t s = 0; s + 1 < std::size(borders); ++s) {
      strips.push_back(downloaded(ctx, host, generate_strip<T>(ctx, problem, {borders[s], borders[s + 1]})));
    }
    ASSERT_TRUE(reference::identical(stack(host, whole.cols, strips), whole));
  }
}

TYPED_TEST(GenerateMatrix, HasStripsOfMoreRowsThan32BitsCount) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<S> ctx;
  const auto columns_of = [&](const GeneratedProblem& problem, std::int64_t row) {
    const auto strip = generate_strip<T>(ctx, problem, {row, row + 1});
    EXPECT_EQ(strip.rows(), 1);
    return reference::download(ctx, std::get<Buffer<std::int64_t, S>>(strip.col_indices).span());
  };
  const std::int64_t n = 1400;
  const std::int64_t last = n * n * n - 1;
  using Columns = std::vector<std::int64_t>;
  GeneratedProblem cube = poisson(grid({n, n, n}), Discretization::fd);
  EXPECT_EQ(columns_of(cube, last), (Columns{last - n * n, last - n, last - 1, last}));
  const std::int64_t inner = last - n * n - n - 1;
  EXPECT_EQ(columns_of(cube, inner),
            (Columns{inner - n * n, inner - n, inner - 1, inner, inner + 1, inner + n, inner + n * n}));
  cube.boundary = Boundary::periodic;
  EXPECT_EQ(columns_of(cube, 0), (Columns{0, 1, n - 1, n, n * (n - 1), n * n, last + 1 - n * n}));
  cube = poisson(grid({n, n, n}), Discretization::q1);
  EXPECT_EQ(columns_of(cube, last), (Columns{last - n * n - n - 1, last - n * n - n, last - n * n - 1, last - n * n,
                                             last - n - 1, last - n, last - 1, last}));
  cube.pde = Pde::elasticity;
  const Columns three_of_each = columns_of(cube, 3 * last + 1);
  ASSERT_EQ(three_of_each.size(), 24U);
  EXPECT_EQ(three_of_each.front(), 3 * (last - n * n - n - 1));
  EXPECT_EQ(three_of_each.back(), 3 * last + 2);
}

TEST(StructuredGridSize, IsCountedIn64Bits) {
  EXPECT_EQ(grid({2000, 2000, 2000}).unknowns(), 8000000000);
  EXPECT_EQ(grid({2097151, 2097151, 2097151}).unknowns(), 9223358842721533951);
  EXPECT_THROW((void)grid({2097152, 2097152, 2097152}).unknowns(), InputError);
  const RowRange strip = grid({2000, 2000, 2000}).rows({7000000000, 9000000000});
  EXPECT_EQ(strip.first, 7000000000);
  EXPECT_EQ(strip.last, 8000000000);
  EXPECT_THROW((void)grid({2000, 2000, 2000}).rows({1, 3000000000}), InputError);
}

TEST(GenerateMatrixSize, MoreUnknownsThanRowsAreRefusedBeforeAnythingIsAllocated) {
  Context<Host> ctx;
  for (const StructuredGrid& size : {grid({65536, 32768}), grid({2000, 2000, 2000})}) {
    EXPECT_THROW(generate_matrix<double>(ctx, poisson(size, Discretization::fd)), InputError);
    EXPECT_THROW(generate_strip<double>(ctx, poisson(size, Discretization::fd), all_rows), InputError);
  }
  EXPECT_THROW(generate_matrix<double>(ctx, poisson(grid({max_index, max_index, max_index}), Discretization::fd)),
               ConfigurationError);
  EXPECT_EQ(ctx.memory().peak_bytes(), 0U);
}

TEST(GenerateMatrixSize, MemoryPastTheLimitIsRefusedAndGivenBack) {
  Context<Host> ctx;
  ctx.memory().set_limit(1 << 20);
  EXPECT_THROW(generate_matrix<double>(ctx, poisson(grid({300, 300}), Discretization::fd)), OutOfMemoryError);
  EXPECT_EQ(ctx.memory().bytes_in_use(), 0U);
}

}  // namespace
}  // namespace amgsolve
