#include "amg/cycle.hpp"

#include <gtest/gtest.h>

#include "core/timer.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/random.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class I>
class CycleTest : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(CycleTest, reference::Instances, reference::InstanceNames);

/// What a device was given once for all has the bits of what it is given step by step: of all cycles and smoothers, of
/// one right-hand side and several in turn, and after values were updated.
TYPED_TEST(CycleTest, RepeatedOnesHaveTheBitsOfTheFirst) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<S> ctx;
  ctx.set_records_work(true);
  const GeneratedProblem problem = reference::poisson(reference::grid({40, 35}), Discretization::fd);
  constexpr Index rows = 1400;
  MultiVector<T, S> candidates(ctx, rows);
  fill<T>(ctx, T{1}, candidates);
  const auto check = [&](const AmgOptions& options) {
    Hierarchy<T, S> hierarchy(ctx, generate_matrix<T>(ctx, problem), std::as_const(candidates), options,
                              Reuse::hierarchy);
    ASSERT_GE(hierarchy.levels().size(), 3U);
    Cycle<T, S> repeated(ctx, hierarchy, options);
    MultiVector<T, S> one(ctx, rows);
    MultiVector<T, S> three(ctx, rows, 3);
    for (int call = 0; call < 20; ++call) {
      if (call == 15) {
        hierarchy.update_values(ctx, generate_matrix<T>(ctx, problem));
      }
      MultiVector<T, S>& b = call / 5 == 1 ? three : one;
      fill_random<T>(ctx, static_cast<std::uint64_t>(call), b);
      Cycle<T, S> fresh(ctx, hierarchy, options);
      const typename Context<S>::Untimed untimed(ctx, true);
      EXPECT_EQ(reference::download(ctx, repeated.apply(ctx, std::as_const(b)).span()),
                reference::download(ctx, fresh.apply(ctx, std::as_const(b)).span()))
          << "call " << call;
    }
  };
  AmgOptions options;
  options.coarse_size = 10;
  for (const CycleType cycle : {CycleType::v, CycleType::w, CycleType::f, CycleType::k}) {
    SCOPED_TRACE(static_cast<int>(cycle));
    options.cycle = cycle;
    check(options);
  }
  options.cycle = CycleType::v;
  for (const SmootherType smoother :
       {SmootherType::jacobi, SmootherType::l1_jacobi, SmootherType::chebyshev, SmootherType::chebyshev_opt_fourth,
        SmootherType::block_jacobi, SmootherType::block_chebyshev, SmootherType::gauss_seidel,
        SmootherType::hybrid_gauss_seidel, SmootherType::gmres_polynomial}) {
    SCOPED_TRACE(static_cast<int>(smoother));
    options.smoother.type = smoother;
    check(options);
  }
}

}  // namespace
}  // namespace amgsolve
