#include "amg/approach.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "amg/optimal_polynomial.hpp"

namespace amgsolve {
namespace {

TEST(Approach, TheMethodIsOneForTheMatrixAndTheCycle) {
  struct Case {
    CycleType cycle;
    int pre_sweeps;
    int post_sweeps;
    SmootherType smoother;
    bool is_symmetric;
    Method expected;
  };
  constexpr SmootherType any = SmootherType::automatic;
  for (const auto& [cycle, pre_sweeps, post_sweeps, smoother, is_symmetric, expected] :
       {Case{CycleType::automatic, 1, 1, any, true, Method::cg}, Case{CycleType::v, 2, 2, any, true, Method::cg},
        Case{CycleType::w, 1, 1, any, true, Method::cg}, Case{CycleType::f, 1, 1, any, true, Method::fcg},
        Case{CycleType::k, 1, 1, any, true, Method::fcg}, Case{CycleType::v, 2, 1, any, true, Method::fcg},
        Case{CycleType::v, 0, 1, any, true, Method::fcg},
        Case{CycleType::v, 1, 1, SmootherType::gmres_polynomial, true, Method::fgmres},
        Case{CycleType::v, 1, 1, any, false, Method::fgmres}}) {
    AmgOptions amg;
    amg.cycle = cycle;
    amg.smoother.pre_sweeps = pre_sweeps;
    amg.smoother.post_sweeps = post_sweeps;
    amg.smoother.type = smoother;
    EXPECT_EQ(method_for(Method::automatic, amg, is_symmetric), expected)
        << static_cast<int>(cycle) << ", " << pre_sweeps << " and " << post_sweeps << " sweeps";
    EXPECT_EQ(method_for(Method::bicgstab, amg, is_symmetric), Method::bicgstab);
  }
}

TEST(Approach, ACycleThatVariesIsForMatricesThatAreNotSymmetricUnderMethodsThatAllowIt) {
  for (const Method method : {Method::fgmres, Method::bicgstab, Method::amg}) {
    EXPECT_EQ(cycle_for(CycleType::automatic, MatrixKind::general, method), CycleType::k) << name(method);
    EXPECT_EQ(cycle_for(CycleType::automatic, MatrixKind::definite, method), CycleType::automatic) << name(method);
    EXPECT_EQ(cycle_for(CycleType::w, MatrixKind::general, method), CycleType::w) << name(method);
  }
  EXPECT_EQ(cycle_for(CycleType::automatic, MatrixKind::general, Method::gmres), CycleType::automatic);
}

TEST(Approach, OptionsThatAreLeftOpenFollowTheMatrixAndOthersStay) {
  const Approach general{Method::fgmres, MatrixKind::general};
  const AmgOptions chosen = options_for(general, {}, 3);
  EXPECT_EQ(chosen.matrix, MatrixKind::general);
  EXPECT_EQ(chosen.block_size, 3);
  EXPECT_EQ(chosen.cycle, CycleType::k);
  EXPECT_EQ(options_for({Method::gmres, MatrixKind::general}, {}, 1).precision, Precision::same);
  EXPECT_EQ(options_for(general, {}, 1).precision, Precision::automatic);
  EXPECT_EQ(chosen.smoother.lower_fraction, lower_fraction_of_blocks);
  EXPECT_EQ(options_for({}, {}, 1).smoother.lower_fraction, std::nullopt);
  AmgOptions given;
  given.smoother.lower_fraction = 0.3;
  given.cycle = CycleType::w;
  given.precision = Precision::mixed;
  EXPECT_EQ(options_for({Method::gmres, MatrixKind::general}, given, 3).smoother.lower_fraction, 0.3);
  EXPECT_EQ(options_for({Method::gmres, MatrixKind::general}, given, 3).cycle, CycleType::w);
  EXPECT_EQ(options_for({Method::gmres, MatrixKind::general}, given, 3).precision, Precision::mixed);
}

TEST(Approach, NodesOfShellsAreSmoothedByTheirBlocks) {
  const auto smoother = [](Index block_size, MatrixKind kind, std::optional<int> degree,
                           SmootherType given = SmootherType::automatic) {
    AmgOptions amg;
    amg.smoother.type = given;
    amg.smoother.degree = degree;
    return options_for({Method::cg, kind}, amg, block_size).smoother.type;
  };
  EXPECT_EQ(smoother(unknowns_of_shells, MatrixKind::definite, {}), SmootherType::block_chebyshev);
  EXPECT_EQ(smoother(unknowns_of_shells - 1, MatrixKind::definite, {}), SmootherType::automatic);
  EXPECT_EQ(smoother(unknowns_of_shells, MatrixKind::general, {}), SmootherType::automatic);
  EXPECT_EQ(smoother(unknowns_of_shells, MatrixKind::definite, highest_optimal_degree), SmootherType::block_chebyshev);
  EXPECT_EQ(smoother(unknowns_of_shells, MatrixKind::definite, highest_optimal_degree + 1), SmootherType::automatic);
  EXPECT_EQ(smoother(unknowns_of_shells, MatrixKind::definite, {}, SmootherType::jacobi), SmootherType::jacobi);
}

}  // namespace
}  // namespace amgsolve
