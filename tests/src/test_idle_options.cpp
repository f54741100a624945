#include "src/application/idle_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "src/application/job_schema.hpp"

namespace amgsolve {
namespace {

TEST(IdleOptions, AreTold) {
  JobConfiguration configuration;
  const Schema schema = job_schema(configuration);
  const auto set = [&](const std::string& key, const std::string& text) {
    const SchemaEntry& entry = *schema.find(key);
    entry.set(entry.parse(text));
  };
  const auto idle = [&] { return describe_idle_options(schema, configuration); };
  EXPECT_THAT(idle(), testing::IsEmpty());
  set("solver.restart", "50");
  set("amg.smoother.degree", "3");
  set("amg.smoother.lower_fraction", "0.1");
  EXPECT_THAT(idle(), testing::IsEmpty()) << "auto may take what they are for";
  set("solver.method", "cg");
  set("amg.smoother.type", "jacobi");
  EXPECT_THAT(idle(),
              testing::ElementsAre(
                  "'solver.restart' is 50, which takes no effect here: it is for 'solver.method' gmres or fgmres",
                  testing::StartsWith("'amg.smoother.degree' is 3, which takes no effect here: it is for"),
                  testing::StartsWith("'amg.smoother.lower_fraction' is 0.1, which")));
  set("solver.method", "gmres");
  set("amg.smoother.type", "chebyshev");
  set("amg.smoother.damping", "1");
  set("problem.seed", "3");
  EXPECT_THAT(idle(), testing::ElementsAre(testing::StartsWith("'problem.seed' is 3"),
                                           testing::StartsWith("'amg.smoother.damping' is 1,")));
  set("amg.smoother.type", "jacobi");
  set("amg.smoother.degree", "auto");
  set("amg.smoother.lower_fraction", "auto");
  set("problem.initial_guess", "random");
  set("distributed.device_messages", "staged");
  set("distributed.replicate_below", "5000");
  EXPECT_THAT(idle(), testing::IsEmpty()) << "a file is for any number of ranks";
  set("solver.backend", "host");
  set("solver.device", "1");
  EXPECT_THAT(idle(), testing::ElementsAre(testing::StartsWith("'solver.device' is 1"),
                                           testing::StartsWith("'distributed.device_messages' is staged")));
}

}  // namespace
}  // namespace amgsolve
