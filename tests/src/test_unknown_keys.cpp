#include <gtest/gtest.h>

#include <string>

#include "src/application/job_schema.hpp"

namespace amgsolve {
namespace {

class UnknownKeys : public testing::Test {
 protected:
  JobConfiguration configuration_;
  const Schema schema_ = job_schema(configuration_);
};

TEST_F(UnknownKeys, NameTheNearest) {
  EXPECT_EQ(schema_.describe_unknown("solver", "toleranse"),
            "unknown key 'toleranse' in 'solver'; did you mean 'tolerance'?");
  EXPECT_EQ(schema_.describe_unknown("solver", "Tolerance"),
            "unknown key 'Tolerance' in 'solver'; did you mean 'tolerance'?");
  EXPECT_EQ(schema_.describe_unknown("", "sovler"), "unknown key 'sovler'; did you mean 'solver'?");
  EXPECT_EQ(schema_.describe_unknown("", "solver.tolerence"),
            "unknown key 'solver.tolerence'; did you mean 'solver.tolerance'?");
  EXPECT_EQ(schema_.describe_unknown("", "amg.smother"), "unknown key 'amg.smother'; did you mean 'amg.smoother'?");
  EXPECT_EQ(schema_.describe_unknown("amg", "degree"),
            "unknown key 'degree' in 'amg'; did you mean 'amg.smoother.degree'?");
  EXPECT_EQ(schema_.describe_unknown("problem", "smoother"),
            "unknown key 'smoother' in 'problem'; did you mean 'amg.smoother'?");
  EXPECT_EQ(schema_.describe_unknown("", "solver.threshold"),
            "unknown key 'solver.threshold'; did you mean 'amg.strength.threshold'?");
  EXPECT_EQ(schema_.describe_unknown("", "solver.smoother"),
            "unknown key 'solver.smoother'; did you mean 'amg.smoother'?");
  EXPECT_EQ(schema_.describe_unknown("", "amg.tolerance"),
            "unknown key 'amg.tolerance'; did you mean 'solver.tolerance'?");
  EXPECT_EQ(schema_.describe_unknown("", "problem.tolerance"),
            "unknown key 'problem.tolerance'; did you mean 'solver.tolerance'?");
  EXPECT_EQ(schema_.describe_unknown("amg", "smoother.typ"),
            "unknown key 'smoother.typ' in 'amg'; did you mean 'smoother.type'?");
  EXPECT_EQ(schema_.describe_unknown("", "output.xyz"),
            "unknown key 'output.xyz'; there are report, html, solution and hierarchy");
  EXPECT_EQ(schema_.describe_unknown("output", "xyz"),
            "unknown key 'xyz' in 'output'; there are report, html, solution and hierarchy");
  // A section where a key is wanted is not "did you mean" itself.
  EXPECT_EQ(
      schema_.describe_unknown("", "spgemm"),
      "'spgemm' has no value of its own; there are algorithm, bins, slice_products, drop_zeros and statistics in it");
  EXPECT_EQ(schema_.describe_unknown("problem.generate", "generate").find("did you mean"), std::string::npos);
  EXPECT_EQ(schema_.describe_unknown("spgemm", "xyz"),
            "unknown key 'xyz' in 'spgemm'; there are algorithm, bins, slice_products, drop_zeros and statistics");
}

TEST_F(UnknownKeys, NameTheNearestOfAnySection) {
  const auto expect_meant = [&](const std::string& name, const std::string& keys) {
    EXPECT_EQ(schema_.describe_unknown("", name), "unknown key '" + name + "'; did you mean " + keys + "?");
  };
  expect_meant("toleranse", "'solver.tolerance'");
  expect_meant("degre", "'amg.smoother.degree'");
  expect_meant("smother", "'amg.smoother'");
  expect_meant("smoother.type", "'amg.smoother.type'");
  expect_meant("smoother.tipe", "'amg.smoother.type'");
  expect_meant("smother.type", "'amg.smoother.type'");
  expect_meant("solver.thresold", "'amg.strength.threshold'");
  // A name of several keys.
  expect_meant("type", "'problem.generate.coefficient.type' or 'amg.smoother.type'");
  expect_meant("tipe", "'problem.generate.coefficient.type' or 'amg.smoother.type'");
  expect_meant("amg.type", "'amg.smoother.type'");
  // As other packages call it.
  for (const std::string name : {"maxiter", "max_iter", "max_it", "solver.maxiter", "amg.maxiter"}) {
    expect_meant(name, "'solver.max_iterations'");
  }
  for (const std::string name : {"tol", "rtol", "solver.rtol"}) {
    expect_meant(name, "'solver.tolerance'");
  }
  EXPECT_EQ(schema_.describe_unknown("solver", "rtol"), "unknown key 'rtol' in 'solver'; did you mean 'tolerance'?");
  EXPECT_EQ(schema_.describe_unknown("", "x"),
            "unknown key 'x'; there are problem, solver, amg, distributed, spgemm and output");
  EXPECT_EQ(schema_.describe_unknown("", "frobnicate").find("did you mean"), std::string::npos);
}

}  // namespace
}  // namespace amgsolve
