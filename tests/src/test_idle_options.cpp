#include "src/application/idle_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/application/job_schema.hpp"

namespace amgsolve {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

class IdleOptions : public testing::Test {
 protected:
  void set(const std::string& key, const std::string& text) {
    const SchemaEntry& entry = *schema_.find(key);
    entry.set(entry.parse(text));
  }

  std::vector<std::string> idle() const {
    return describe_idle_options(schema_, configuration_, taken_choices(configuration_, report_, ranks_));
  }

  JobConfiguration configuration_;
  const Schema schema_ = job_schema(configuration_);
  Report report_;
  int ranks_ = 1;
};

TEST_F(IdleOptions, AreTold) {
  EXPECT_THAT(idle(), IsEmpty());
  set("solver.restart", "50");
  set("amg.smoother.degree", "3");
  set("amg.smoother.lower_fraction", "0.1");
  EXPECT_THAT(idle(), IsEmpty()) << "auto may take what they are for";
  set("solver.method", "cg");
  set("amg.smoother.type", "jacobi");
  EXPECT_THAT(
      idle(),
      ElementsAre("'solver.restart' is 50, which takes no effect here: it is for 'solver.method' gmres or fgmres",
                  StartsWith("'amg.smoother.degree' is 3, which takes no effect here: it is for"),
                  StartsWith("'amg.smoother.lower_fraction' is 0.1, which")));
  set("solver.method", "gmres");
  set("amg.smoother.type", "chebyshev");
  set("amg.smoother.damping", "1");
  set("problem.seed", "3");
  EXPECT_THAT(idle(), ElementsAre(StartsWith("'problem.seed' is 3"), StartsWith("'amg.smoother.damping' is 1,")));
  set("amg.smoother.type", "jacobi");
  set("amg.smoother.degree", "auto");
  set("amg.smoother.lower_fraction", "auto");
  set("problem.initial_guess", "random");
  EXPECT_THAT(idle(), IsEmpty());
  set("solver.rebuild_factor", "2");
  EXPECT_THAT(idle(),
              ElementsAre("'solver.rebuild_factor' is 2, which takes no effect here: it is for new values, which "
                          "programs give to the library"));
}

TEST_F(IdleOptions, AreThoseOfTheMethodThatWasTaken) {
  set("solver.restart", "50");
  EXPECT_THAT(idle(), IsEmpty());
  report_.result.emplace().method = Method::fgmres;
  EXPECT_THAT(idle(), IsEmpty());
  report_.result.emplace().method = Method::cg;
  EXPECT_THAT(idle(), ElementsAre(StartsWith("'solver.restart' is 50, which takes no effect here")));
}

TEST_F(IdleOptions, AreThoseOfTheCycleThatWasTaken) {
  set("amg.over_correction", "1.1");
  EXPECT_THAT(idle(), IsEmpty());
  const auto is_told = StartsWith("'amg.over_correction' is 1.1, which takes no effect here: it is for 'amg.cycle' V");
  report_.result.emplace().method = Method::cg;
  EXPECT_THAT(idle(), IsEmpty()) << "V, of a symmetric matrix";
  report_.result.emplace().method = Method::fgmres;
  EXPECT_THAT(idle(), ElementsAre(is_told)) << "K, of one that is not";
  set("solver.method", "gmres");
  report_.result.emplace().method = Method::gmres;
  EXPECT_THAT(idle(), IsEmpty()) << "V";
  set("solver.method", "bicgstab");
  report_.result.emplace().method = Method::bicgstab;
  EXPECT_THAT(idle(), IsEmpty()) << "of either";
  report_.result.reset();
  for (const char* const cycle : {"W", "K"}) {
    set("amg.cycle", cycle);
    EXPECT_THAT(idle(), ElementsAre(is_told));
  }
  set("amg.cycle", "F");
  EXPECT_THAT(idle(), IsEmpty()) << "the second half of which is V";
}

TEST_F(IdleOptions, AreThoseOfTheBackendAndTheRanks) {
  set("solver.device", "1");
  set("distributed.device_messages", "staged");
  set("distributed.replicate_below", "5000");
  set("spgemm.bins", "[1, 2, 3]");
  set("spgemm.slice_products", "1000");
  ranks_ = 2;
  EXPECT_THAT(idle(), IsEmpty());
  report_.backend.emplace().backend = Backend::host;
  const auto device = StartsWith("'solver.device' is 1, which takes no effect here: it is for the backend cuda");
  const auto messages = StartsWith("'distributed.device_messages' is staged");
  const auto bins = StartsWith("'spgemm.bins' is [1, 2, 3], which takes no effect here: it is for the backend cuda");
  const auto slices = StartsWith("'spgemm.slice_products' is 1000");
  EXPECT_THAT(idle(), ElementsAre(device, messages, bins, slices));
  ranks_ = 1;
  const auto replicated =
      StartsWith("'distributed.replicate_below' is 5000, which takes no effect here: it is for several");
  EXPECT_THAT(idle(), ElementsAre(device, replicated, messages, bins, slices));
  report_.backend.emplace().backend = Backend::cuda;
  EXPECT_THAT(idle(), ElementsAre(replicated, messages));
}

TEST_F(IdleOptions, AreToldOnce) {
  set("amg.cycle", "W");
  set("amg.over_correction", "1.1");
  set("solver.restart", "50");
  tell_idle_options(schema_, configuration_, 1, report_);
  EXPECT_THAT(report_.warnings, ElementsAre(StartsWith("'amg.over_correction'")));
  report_.result.emplace().method = Method::cg;
  tell_idle_options(schema_, configuration_, 1, report_);
  EXPECT_THAT(report_.warnings, ElementsAre(StartsWith("'amg.over_correction'"), StartsWith("'solver.restart'")));
}

}  // namespace
}  // namespace amgsolve
