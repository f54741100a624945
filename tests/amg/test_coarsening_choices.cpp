#include "amg/coarsening_choices.hpp"

#include <gtest/gtest.h>

namespace amgsolve {
namespace {

/// The one-sided share tells networks from fields of coefficients, which have the other thresholds.
TEST(CouplingKindTest, NetworksHaveLowerThresholdsBelowTheFinestLevel) {
  const AmgOptions options;
  const auto kind = [](double one_sided_share) {
    return coupling_kind(0, CouplingKind::directed, 0.05, one_sided_share);
  };
  EXPECT_EQ(kind(0.11), CouplingKind::plain);
  EXPECT_EQ(kind(0.26), CouplingKind::network);
  EXPECT_EQ(kind(0.45), CouplingKind::uneven);
  EXPECT_EQ(coupling_kind(0, CouplingKind::directed, 0.2, 0.26), CouplingKind::directed);
  for (const CouplingKind finest : {CouplingKind::network, CouplingKind::uneven}) {
    EXPECT_EQ(coupling_kind(1, finest, 0.3, 0.05), finest) << "the finest level decides";
    EXPECT_EQ(root_order(finest), MisOrder::by_degree);
  }
  EXPECT_EQ(second_threshold(0, CouplingKind::network, options), 0.45);
  EXPECT_EQ(first_threshold(1, CouplingKind::network, options), 0.3);
  EXPECT_EQ(first_threshold(0, CouplingKind::directed, options), 0.35);
}

TEST(DensityLimitsTest, WhatIsWantedIsWhatFinerLevelsLeave) {
  const LevelEntries finest;
  EXPECT_EQ(density_limits(finest, wanted_entries, 0.5).wanted, 0.5);
  const LevelEntries second = finest.below(0.55);
  EXPECT_DOUBLE_EQ(second.here, 0.55);
  EXPECT_DOUBLE_EQ(second.down_to, 1.55);
  const DensityLimits limits = density_limits(second, wanted_entries, 0.5);
  EXPECT_EQ(limits.most, 0.5);
  const double q = limits.wanted;
  EXPECT_LT(q, 0.5);
  EXPECT_NEAR(1.55 + 0.55 * (q + density_of_next_level * q * q), 1.8, 1e-14);
  EXPECT_GT(density_limits(second, wanted_entries_of_uneven, 0.5).wanted, q);
  EXPECT_DOUBLE_EQ(density_limits(second.below(0.9), wanted_entries, 0.5).wanted, 0.5 * least_wanted_density);
  EXPECT_EQ(density_limits(finest.below(0.2), wanted_entries, 0.5).wanted, 0.5);
}

}  // namespace
}  // namespace amgsolve
