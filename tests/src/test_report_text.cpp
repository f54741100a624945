#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "src/library/phase_tree.hpp"
#include "src/library/report_text.hpp"
#include "src/library/table.hpp"
#include "tests/src/result_of_length.hpp"

namespace amgsolve {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Books a phase of the given seconds and bytes with no phases inside it.
void book(Profile& profile, const char* phase, int level, double seconds, std::int64_t bytes = 0) {
  profile.open(phase, level);
  profile.add({.bytes = bytes});
  profile.close(seconds);
}

/// read 1 s; setup 6 s: strength on levels 0 … levels − 1, 2^−level s each of 1 GB, and 1 s that nothing accounts for.
Profile sample_profile(int levels) {
  Profile profile;
  book(profile, "read", Profile::no_level, 1.0);
  profile.open("setup", Profile::no_level);
  double seconds = 1.0;
  for (int level = 0; level < levels; ++level) {
    book(profile, "strength", level, std::ldexp(1.0, -level), 1'000'000'000);
    seconds += std::ldexp(1.0, -level);
  }
  profile.close(seconds);
  return profile;
}

std::string line_with(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(word) != std::string::npos) {
      return line;
    }
  }
  return {};
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST(MemoryText, TellsLevelsNeedsAndWhatThereIs) {
  MemoryPlan plan{
      .forecast = {.levels = {{1000.4, 5000.0, 2e6}, {90.0, 900.0, 3e3}}, .system = 1e6, .setup = 7e6, .solve = 4e6},
      .available = {.bytes = 9'000'000, .limit = "'solver.memory_limit'"}};
  const std::string text = memory_text(plan);
  EXPECT_THAT(words_of(line_with(text, "2.0 MB")), ElementsAre("0", "1000", "5000", "2.0", "MB"));
  EXPECT_THAT(words_of(line_with(text, "needed")), ElementsAre("needed", "7.0", "MB"));
  EXPECT_THAT(line_with(text, "available"), HasSubstr("9.0 MB  'solver.memory_limit'"));
  EXPECT_EQ(line_with(text, "slow solve"), "");
  plan.available.bytes = 6'000'000;
  plan.forecast.slow_solve = 8e6;
  EXPECT_THAT(line_with(memory_text(plan), "needed"), HasSubstr("more than there is"));
  EXPECT_THAT(words_of(line_with(memory_text(plan), "needed")), testing::Contains("7.0"));
  EXPECT_THAT(line_with(memory_text(plan), "slow solve"), HasSubstr("8.0 MB  with all vectors of 'solver.restart'"));
}

TEST(PhaseTree, JoinsTheLevelsOfAPhase) {
  const std::vector<Phase> top = phases_of(sample_profile(3));
  ASSERT_EQ(top.size(), 2U);
  EXPECT_EQ(top[0].name, "read");
  ASSERT_EQ(top[1].phases.size(), 1U);
  const Phase& strength = top[1].phases[0];
  EXPECT_EQ(strength.name, "strength");
  EXPECT_DOUBLE_EQ(strength.seconds, 1.75);
  EXPECT_EQ(strength.seconds_of_level, (std::map<int, double>{{0, 1.0}, {1, 0.5}, {2, 0.25}}));
}

TEST(PhaseTree, KnowsBytesOnlyWhereAllPartsCountThem) {
  Profile profile;
  profile.open("outer", Profile::no_level);
  book(profile, "counted", 0, 1.0, 10);
  book(profile, "counted", 1, 1.0, 5);
  profile.close(2.0);
  EXPECT_EQ(phases_of(profile)[0].bytes, 15);

  profile.open("outer", Profile::no_level);
  book(profile, "counted", 2, 1.0);
  profile.close(1.0);
  EXPECT_EQ(phases_of(profile)[0].bytes, -1);
  EXPECT_EQ(phases_of(profile)[0].phases[0].bytes, -1);
}

TEST(PhaseTree, NamesThePathOfANode) {
  const Profile profile = sample_profile(1);
  EXPECT_EQ(path_of(profile, profile.nodes().back()), "setup > strength");
}

TEST(TimingText, ShowsSecondsShareBandwidthAndLevels) {
  const std::string text = timing_text(sample_profile(2), Detail::normal);
  EXPECT_THAT(words_of(line_with(text, "phase")),
              ElementsAre("phase", "seconds", "share", "GB/s", "level", "0", "level", "1"));
  // 1 s of read, 2.5 s of setup.
  EXPECT_THAT(words_of(line_with(text, "read")), ElementsAre("read", "1.0000", "28.6", "%"));
  EXPECT_THAT(words_of(line_with(text, "strength")),
              ElementsAre("strength", "1.5000", "42.9", "%", "1.3", "1.0000", "0.5000"));
  EXPECT_THAT(words_of(line_with(text, "other")), ElementsAre("other", "1.0000", "28.6", "%"));
}

TEST(TimingText, PoolsCoarseLevelsToStayNarrow) {
  const Profile profile = sample_profile(10);
  const std::string text = timing_text(profile, Detail::normal);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(text_width(line), 100U) << line;
  }
  EXPECT_THAT(text, HasSubstr("level 3+"));
  // 2⁻³ + … + 2⁻⁹
  EXPECT_THAT(words_of(line_with(text, "strength")).back(), "0.2480");
  EXPECT_THAT(timing_text(profile, Detail::complete), HasSubstr("level 9"));
}

TEST(TimingText, ShowsInnerPhasesInFullDetailOnly) {
  Profile profile;
  profile.open("setup", Profile::no_level);
  profile.open("galerkin product", 0);
  book(profile, "symbolic", 0, 1.0);
  profile.close(1.0);
  profile.close(1.0);
  EXPECT_THAT(timing_text(profile, Detail::normal), Not(HasSubstr("symbolic")));
  EXPECT_THAT(timing_text(profile, Detail::complete), HasSubstr("    symbolic"));
}

TEST(TimingText, TellsOfPhasesThatAreNotTimedAtEachCall) {
  Profile profile;
  profile.open("solve", Profile::no_level);
  book(profile, "smoothing", 0, 0.3);
  EXPECT_THAT(timing_text(profile, Detail::normal), Not(HasSubstr("every sixteenth")));
  profile.open("smoothing", 0);
  profile.close();
  profile.close(0.5);
  const std::string text = timing_text(profile, Detail::normal);
  EXPECT_THAT(text, HasSubstr("every sixteenth"));
  EXPECT_THAT(words_of(line_with(text, "smoothing"))[1], "600000");
  EXPECT_THAT(words_of(line_with(text, "other"))[1], "0") << "not less";
}

TEST(TimingText, IsEmptyForAnEmptyProfile) { EXPECT_EQ(timing_text(Profile(), Detail::complete), ""); }

TEST(NotesText, TellsPhaseAndLevelOfEachNoteInFullDetailOnly) {
  Report report;
  report.profile.open("setup", Profile::no_level);
  report.profile.open("galerkin product", 2);
  report.profile.note("esc: 12 products in a row");
  report.profile.close(1.0);
  report.profile.note("stalled");
  report.profile.close(1.0);
  EXPECT_EQ(notes_text(report.profile, Detail::complete),
            "Choices\nsetup: stalled\nsetup > galerkin product, level 2: esc: 12 products in a row\n\n");
  EXPECT_THAT(report_text(report, Detail::complete), HasSubstr("level 2: esc: 12 products"));
  EXPECT_THAT(report_text(report, Detail::normal), Not(HasSubstr("12 products")));
}

TEST(NotesText, IsEmptyWithoutNotes) { EXPECT_EQ(notes_text(sample_profile(2), Detail::complete), ""); }

TEST(HierarchyText, HasALineForEachLevel) {
  HierarchySummary hierarchy;
  hierarchy.levels = {
      {.rows = 100, .nnz = 460, .bytes = 5000, .aggregates = 10, .mean_aggregate_size = 10.0, .spectral_radius = 2.0},
      {.rows = 10, .nnz = 40, .bytes = 512, .aggregates = 0, .mean_aggregate_size = 0.0, .spectral_radius = 0.0}};
  hierarchy.operator_complexity = 500.0 / 460.0;
  hierarchy.grid_complexity = 1.1;
  hierarchy.coarse_solver = "dense Cholesky";
  const std::string text = hierarchy_text(hierarchy);
  EXPECT_THAT(text, HasSubstr("operator complexity 1.087, grid complexity 1.100, coarsest level: dense Cholesky"));
  EXPECT_THAT(words_of(line_with(text, "460")), ElementsAre("0", "100", "460", "4.60", "10.00", "5.0", "kB"));
  EXPECT_THAT(words_of(line_with(text, " 40 ")), ElementsAre("1", "10", "40", "4.00", "512", "B"));
}

TEST(CoarseningText, HasALineForEachLevelButTheCoarsest) {
  HierarchySummary hierarchy;
  hierarchy.levels.resize(3);
  hierarchy.levels[0] = {
      .strength_threshold = 0.25, .dropped_weight = 0.25, .prolongator_steps = 2, .truncation = 0.4, .density = 0.375};
  hierarchy.levels[1] = {.strength_threshold = 0.004, .dropped_weight = 0.125};
  const std::string text = coarsening_text(hierarchy);
  EXPECT_THAT(words_of(line_with(text, "0.250")), ElementsAre("0", "0.25", "0.250", "2", "0.4", "0.375"));
  EXPECT_THAT(words_of(line_with(text, "0.125")), ElementsAre("1", "0.004", "0.125", "0", "0.0", "0.000"));
  EXPECT_THAT(text, Not(HasSubstr("\n    2")));
  hierarchy.levels.resize(1);
  EXPECT_EQ(coarsening_text(hierarchy), "");
}

TEST(ProductsText, HasALineForEachProductThatWasAskedFor) {
  HierarchySummary hierarchy;
  hierarchy.levels.resize(2);
  EXPECT_EQ(products_text(hierarchy), "");
  GalerkinStatistics& statistics = hierarchy.levels[0].products.emplace();
  statistics.AP = {.rows = 90, .a_entries = 400, .c_entries = 300, .products = 1200, .most_products = 17};
  statistics.AP.expansion = {.whole = 3.0, .min = 1.0, .max = 3.5, .mean = 2.9, .deviation = 0.25};
  statistics.AP.contraction = {.whole = 4.0, .min = 2.0, .max = 5.0, .mean = 4.1, .deviation = 0.5};
  const std::string text = products_text(hierarchy);
  EXPECT_THAT(words_of(line_with(text, " AP ")), ElementsAre("0", "AP", "90", "400", "1200", "17", "300", "3.00",
                                                             "1.00-3.50", "0.25", "4.00", "2.00-5.00", "0.50"));
  EXPECT_THAT(words_of(line_with(text, "R(AP)")).front(), "0");
  Report report;
  report.hierarchy = hierarchy;
  EXPECT_THAT(report_text(report), HasSubstr("Sparse products"));
}

TEST(HistoryText, ShowsResidualAndFactor) {
  const std::string text = history_text(result_of_length(2), Detail::normal);
  EXPECT_THAT(text, HasSubstr("  0          1.000e+00\n"));
  EXPECT_THAT(text, HasSubstr("2.500e-01   0.500\n"));
}

TEST(HistoryText, IsShortenedOnlyWhereThatSavesLines) {
  for (std::size_t iterations = 1; iterations < 40; ++iterations) {
    const SolveResult result = result_of_length(iterations);
    const std::string normal = history_text(result, Detail::normal);
    const std::string complete = history_text(result, Detail::complete);
    EXPECT_THAT(complete, Not(HasSubstr("..."))) << iterations;
    EXPECT_EQ(std::ranges::count(complete, '\n'), static_cast<std::ptrdiff_t>(iterations) + 5);
    EXPECT_LE(std::ranges::count(normal, '\n'), 16) << iterations;
    EXPECT_EQ(normal.find("...") == std::string::npos, normal == complete) << iterations;
    // The last iteration is there.
    const std::string last = complete.substr(complete.rfind('\n', complete.size() - 3));
    EXPECT_TRUE(normal.ends_with(last)) << iterations;
  }
}

TEST(ConclusionText, TellsOutcomeResidualTimesAndMemory) {
  Report report;
  SolveResult result = result_of_length(3);
  result.reason = StopReason::max_iterations;
  result.relative_residual = 0.125;
  result.backward_error = 0.002;
  result.convergence_factor = 0.5;
  result.column_iterations = {2, 3};
  report.tolerance = 1e-8;
  report.set_result(result);
  report.profile = sample_profile(1);
  report.peak_bytes = 3'200'000;
  report.threads = 1;
  EXPECT_EQ(
      conclusion_text(report),
      "not converged within the iterations allowed; with some 24 more in 'solver.max_iterations' it would, at "
      "the convergence factor of the last half, 0.500\n"
      "3 iterations of cg, true relative residual 1.250e-01 (asked for: 1.0e-08), backward error 2.0e-03, convergence "
      "factor 0.500\n"
      "2 right-hand sides, 2 to 3 iterations\n"
      "setup 2 s, solve 0 us, peak memory 3.2 MB, 1 thread\n");
  report.device = DeviceDescription{.name = "NVIDIA H200"};
  EXPECT_THAT(conclusion_text(report), testing::EndsWith("peak device memory 3.2 MB, NVIDIA H200\n"));
  report.set_result({});
  EXPECT_THAT(conclusion_text(report), testing::HasSubstr("0 iterations of cg"));
  EXPECT_THAT(conclusion_text(report), testing::Not(testing::HasSubstr("factor"))) << "of no iteration";
}

TEST(ReportText, KeepsFactorsOfExplosionsShort) {
  SolveResult result;
  result.residual_history = {1.0, 0.5, 3e200};
  EXPECT_THAT(history_text(result, Detail::complete), testing::HasSubstr("6.0e+200"));
  EXPECT_THAT(history_text(result, Detail::complete), testing::HasSubstr("0.500"));
}

TEST(RanksText, TellsTheLeastTheMeanAndTheMostOfRanks) {
  EXPECT_EQ(ranks_text({}), "");
  const std::string text = ranks_text({{.rows = 10, .ghosts = 3, .bytes_sent = 1000, .seconds_waited = 0.5},
                                       {.rows = 20, .ghosts = 0, .bytes_sent = 3000, .seconds_waited = 1.5}});
  EXPECT_THAT(text, ContainsRegex("2 ranks +min +mean +max\n"));
  EXPECT_THAT(text, ContainsRegex("rows +10 +15 +20\n"));
  EXPECT_THAT(text, ContainsRegex("ghosts +0 +2 +3\n"));
  EXPECT_THAT(text, ContainsRegex("sent +1.0 kB +2.0 kB +3.0 kB\n"));
  EXPECT_THAT(text, ContainsRegex("waited +500 ms +1 s +1.5 s\n"));
}

TEST(PlaceText, TellsTheDeviceOrWhyItIsTheHost) {
  Report report;
  EXPECT_EQ(place_text(report), "");
  report.threads = 2;
  report.backend = BackendChoice{.backend = Backend::host, .reason = "no NVIDIA GPU was found"};
  EXPECT_EQ(place_text(report), "Host, 2 threads (no NVIDIA GPU was found)\n");
  report.backend->reason = "";
  EXPECT_EQ(place_text(report), "Host, 2 threads\n");
  report.device = DeviceDescription{.id = 1, .name = "NVIDIA H200"};
  EXPECT_THAT(place_text(report), testing::StartsWith("Device 1: NVIDIA H200, "));
}

TEST(ReportText, TellsAFailureBeforeAnySolve) {
  Report report;
  report.set_error(Exception(Status::out_of_memory, "out of host memory"));
  EXPECT_THAT(report_text(report), testing::StartsWith("out of host memory\n"));
}

}  // namespace
}  // namespace amgsolve
