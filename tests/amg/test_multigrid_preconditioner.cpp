#include "amg/multigrid_preconditioner.hpp"

#include <gtest/gtest.h>

#include <type_traits>
#include <variant>
#include <vector>

#include "amg/check_matrix.hpp"
#include "problems/generate.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class Instance>
class MultigridPreconditionerTest : public reference::SpaceTest<typename Instance::Space> {};
TYPED_TEST_SUITE(MultigridPreconditionerTest, reference::DoubleInstances, reference::InstanceNames);

/// One number makes all that a cycle formed in float what the method asks for in double, for a matrix of any size.
TYPED_TEST(MultigridPreconditionerTest, FormsInFloatWhatItAppliesUpToScale) {
  using Space = typename TypeParam::Space;
  Context<Space> ctx;
  const std::vector<double> residual = reference::random_values<double>(800, 3);
  const auto r = reference::upload(ctx, residual, 2);
  for (const Precision precision : {Precision::same, Precision::mixed}) {
    for (const double size : {1.0, 3e-200}) {
      const auto A = generate_matrix<double>(ctx, reference::poisson({2, {20, 20, 1}}, Discretization::fd));
      const MatrixFindings findings = check_matrix(ctx, A);
      const RowMagnitudes magnitudes{size * findings.magnitudes.smallest, size * findings.magnitudes.largest};
      AmgOptions options;
      options.precision = precision;
      const auto preconditioner = make_multigrid_preconditioner<double>(ctx, convert_values<double>(ctx, A, size),
                                                                        magnitudes, {}, options, Reuse::none);
      const std::vector<double> z = reference::download(ctx, preconditioner->apply(ctx, r).span());
      std::visit(
          [&]<class U>(MultiVectorView<const U, Space> formed) {
            EXPECT_EQ((std::is_same_v<U, float>), precision == Precision::mixed);
            const std::vector<U> values = reference::download(ctx, formed.span());
            const double scale = z[0] / static_cast<double>(values[0]);
            EXPECT_GT(scale, 0.0);
            for (std::size_t i = 0; i < z.size(); ++i) {
              ASSERT_EQ(z[i], scale * static_cast<double>(values[i])) << "value " << i;
            }
          },
          preconditioner->apply_up_to_scale(ctx, r));
    }
  }
}

}  // namespace
}  // namespace amgsolve
