#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "src/library/report_json.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

using Parsed = nlohmann::ordered_json;
using testing::ElementsAreArray;

/// A report in which every key has a value.
Report sample_report() {
  Report report;
  SolveResult result;
  result.reason = StopReason::converged;
  result.iterations = 2;
  result.relative_residual = 1e-9;
  result.convergence_factor = 0.1;
  result.residual_history = {1.0, 1e-4, 1e-9};
  result.column_iterations = {2};
  result.jacobi_change = 0.125;
  result.outside_range = 0.25;
  report.set_result(result);
  report.warnings = {"a warning"};
  report.memory_plan = MemoryPlan{.forecast = {.levels = {{4.0, 10.0, 900.0}},
                                               .system = 200.0,
                                               .setup = 2000.0,
                                               .solve = 1000.0,
                                               .slow_solve = 1500.0},
                                  .available = {.bytes = 5000, .limit = "'solver.memory_limit'"}};
  report.hierarchy = HierarchySummary{.levels = {LevelSummary{.products = GalerkinStatistics{}}},
                                      .operator_complexity = 1.0,
                                      .grid_complexity = 1.0,
                                      .coarse_solver = "dense Cholesky"};
  report.analysis = MatrixAnalysis{.rows = 4, .nnz = 10, .lengths = {}};
  report.hints.push_back({.seen = "two kinds of rows", .what_to_do = "order them"});
  report.profile.open("setup", Profile::no_level);
  report.profile.open("strength", 0);
  report.profile.add({.bytes = 8, .flops = 2});
  report.profile.note("by degree");
  report.profile.close(0.5);
  report.profile.close(1.0);
  report.backend = BackendChoice{.backend = Backend::cuda, .reason = {}};
  report.device = DeviceDescription{.name = "NVIDIA H200"};
  report.threads = 2;
  report.copy_bytes_per_second = 2e10;
  report.double_flops_per_second = 5e10;
  report.float_flops_per_second = 1e11;
  report.memory_timeline.add(0.5, 100, 200, "setup");
  report.ranks = {{.rows = 3, .ghosts = 1, .bytes_sent = 800, .seconds_waited = 0.25}, {}};
  return report;
}

Json sample_problem() {
  return {{"description", "poisson"},
          {"rows", 4},
          {"nnz", 10},
          {"columns", 1},
          {"ranks", 1},
          {"discretization_error", std::vector{Json{{"l2", 1e-3}, {"max", 2e-3}}}}};
}

/// As a program reads it.
Parsed parsed(Json report) { return Parsed::parse(serialize(std::move(report))); }

/// The paths of all values: "setup.seconds", "levels[].rows". What the configuration holds is documented elsewhere.
void collect_keys(const Parsed& json, const std::string& path, std::set<std::string>& keys) {
  if (json.is_object() && path != "configuration" && path != "not_finite") {
    for (const auto& [key, value] : json.items()) {
      collect_keys(value, path.empty() ? key : path + "." + key, keys);
    }
    if (path.empty() || path == "setup" || path == "solve" || path == "memory" || path == "forecast" ||
        path == "build" || path == "machine" || path.ends_with("[]")) {
      return;  // documented by their members
    }
  } else if (json.is_array() && !json.empty() && json[0].is_object()) {
    collect_keys(json[0], path + "[]", keys);
  }
  keys.insert(path);
}

std::set<std::string> documented_keys() {
  std::set<std::string> keys;
  const std::regex row("\\| `([^`]+)` \\|.*");
  std::istringstream lines(reference::bytes_of_file(AMGSOLVE_SOURCE_DIR "/docs/report.md"));
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) {
      keys.insert(match[1]);
    }
  }
  return keys;
}

TEST(ReportJson, HasExactlyTheDocumentedKeys) {
  std::set<std::string> keys;
  collect_keys(parsed(report_json(sample_report(), sample_problem(), Json::object())), "", keys);
  EXPECT_THAT(keys, ElementsAreArray(documented_keys()));
}

TEST(ReportJson, HasTheSameKeysAtTheTopAfterAFailure) {
  Report failed;
  failed.set_error(InputError("row 3 is empty"));
  const Parsed json = parsed(report_json(failed, nullptr, Json::object()));
  EXPECT_EQ(json["status"], "bad_input");
  EXPECT_EQ(json["message"], "row 3 is empty");
  EXPECT_TRUE(json["relative_residual"].is_null());
  EXPECT_TRUE(json["jacobi_change"].is_null());
  EXPECT_TRUE(json["setup"]["seconds"].is_null());
  EXPECT_TRUE(json["levels"].is_null());
  const Parsed complete = parsed(report_json(sample_report(), sample_problem(), Json::object()));
  for (const auto& [key, value] : complete.items()) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
}

TEST(ReportJson, TellsTheOutcome) {
  const Parsed json = parsed(report_json(sample_report(), sample_problem(), Json::object()));
  EXPECT_EQ(json["schema_version"], report_schema_version);
  EXPECT_EQ(json["status"], "converged");
  EXPECT_EQ(json["iterations"], 2);
  EXPECT_EQ(json["jacobi_change"], 0.125);
  EXPECT_EQ(json["outside_range"], 0.25);
  EXPECT_EQ(json["residual_history"], Parsed({1.0, 1e-4, 1e-9}));
  EXPECT_EQ(json["setup"]["seconds"], 1.0);
  EXPECT_EQ(json["backend"], "cuda");
  EXPECT_EQ(json["machine"]["device"]["name"], "NVIDIA H200");
  EXPECT_EQ(json["machine"]["threads"], 2);
  EXPECT_GE(json["machine"]["cores"], 1);
  EXPECT_GT(json["machine"]["memory_bytes"], 0);
  EXPECT_EQ(json["phases"][0]["level"], nullptr);
  EXPECT_EQ(json["phases"][1], Parsed({{"phase", "setup > strength"},
                                       {"level", 0},
                                       {"seconds", 0.5},
                                       {"bytes", 8},
                                       {"flops", 2},
                                       {"calls", 1},
                                       {"timed_calls", 1},
                                       {"notes", {"by degree"}}}));
}

TEST(ReportJson, TellsTheForecastOfMemory) {
  Report report = sample_report();
  const Parsed json = parsed(report_json(report, sample_problem(), Json::object()))["forecast"];
  EXPECT_EQ(json["levels"], Parsed::array({{{"rows", 4}, {"nnz", 10}, {"bytes", 900}}}));
  EXPECT_EQ(json["solve_bytes"], 1000);
  EXPECT_EQ(json["slow_solve_bytes"], 1500);
  EXPECT_EQ(json["peak_bytes"], 2000);
  EXPECT_EQ(json["available_bytes"], 5000);
  EXPECT_EQ(json["limit"], "'solver.memory_limit'");
  report.memory_plan->available = {};
  EXPECT_TRUE(parsed(report_json(report, sample_problem(), Json::object()))["forecast"]["available_bytes"].is_null());
}

TEST(ReportJson, TellsTheStatisticsOfProductsWhereTheyWereAskedFor) {
  Report report = sample_report();
  SpgemmStatistics& product = report.hierarchy->levels[0].products->RAP;
  product = {.rows = 3, .a_entries = 4, .c_entries = 5, .products = 10, .most_products = 6, .histogram = {1, 0, 0, 2}};
  product.contraction = {.whole = 2.0, .min = 1.0, .max = 3.0, .mean = 1.5, .deviation = 0.5};
  const Parsed products = parsed(report_json(report, nullptr, Json::object()))["levels"][0]["products"];
  ASSERT_EQ(products.size(), 2U);
  EXPECT_EQ(products[0]["product"], "AP");
  EXPECT_EQ(products[1]["product"], "R(AP)");
  EXPECT_EQ(products[1]["products"], 10);
  EXPECT_EQ(products[1]["result_nnz"], 5);
  EXPECT_EQ(products[1]["histogram"], Parsed({1, 0, 0, 2}));
  EXPECT_EQ(products[1]["contraction"],
            Parsed({{"whole", 2.0}, {"min", 1.0}, {"max", 3.0}, {"mean", 1.5}, {"deviation", 0.5}}));
  report.hierarchy->levels[0].products.reset();
  EXPECT_TRUE(parsed(report_json(report, nullptr, Json::object()))["levels"][0]["products"].is_null());
}

TEST(ReportJson, NestsTheConfigurationByTheDotsOfItsKeys) {
  Configuration configuration;
  configuration.solver.tolerance = 1e-6;
  const std::vector<SchemaEntry> entries = library_entries(configuration);
  std::vector<const SchemaEntry*> pointers;
  for (const SchemaEntry& entry : entries) {
    pointers.push_back(&entry);
  }
  const Parsed json = Parsed::parse(configuration_json(pointers).dump());
  EXPECT_EQ(json["solver"]["tolerance"], 1e-6);
  EXPECT_EQ(json["solver"]["method"], "auto");
  EXPECT_EQ(json["amg"]["smoother"]["type"], "auto");
  EXPECT_EQ(json["spgemm"]["bins"], Parsed({32, 736, 6144}));
  EXPECT_EQ(json.flatten().size(), entries.size() + 4) << "the bins are three, and so are the passes";
}

TEST(ReportJson, ReplacesWhatIsNotFiniteByNullAndSaysWhat) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Report report = sample_report();
  report.result->relative_residual = std::numeric_limits<double>::quiet_NaN();
  report.result->residual_history = {1.0, infinity, -infinity};
  const Parsed json = parsed(report_json(report, nullptr, Json::object()));
  EXPECT_TRUE(json["relative_residual"].is_null());
  EXPECT_EQ(json["outside_range"], 0.25);
  EXPECT_EQ(json["residual_history"], Parsed({1.0, nullptr, nullptr}));
  EXPECT_EQ(json["not_finite"], Parsed({{"/relative_residual", "NaN"},
                                        {"/residual_history/1", "infinity"},
                                        {"/residual_history/2", "-infinity"}}));
}

TEST(ReportJson, HasNoConvergenceFactorOfNoIteration) {
  Report report = sample_report();
  report.set_result({});
  const Parsed json = parsed(report_json(report, nullptr, Json::object()));
  EXPECT_EQ(json["iterations"], 0);
  EXPECT_TRUE(json["convergence_factor"].is_null());
  EXPECT_TRUE(json["not_finite"].empty()) << "it is not known, which is no trouble";
}

TEST(ReportJson, ReadsBackAsItWasWritten) {
  Json json = {{"text", "quote \" backslash \\ line\nbell \a \u00e9 \u20ac \U0001F600"}, {"nothing", Json::array()}};
  json["numbers"] = std::vector{1.0, 0.1, -1e-300, 1e300, 5e-324, 123456789.125};
  json["integer"] = std::int64_t{-9'007'199'254'740'993};
  json["inner"]["truth"] = true;
  const Parsed expected = {{"text", "quote \" backslash \\ line\nbell \a \u00e9 \u20ac \U0001F600"},
                           {"nothing", Parsed::array()},
                           {"numbers", {1.0, 0.1, -1e-300, 1e300, 5e-324, 123456789.125}},
                           {"integer", std::int64_t{-9'007'199'254'740'993}},
                           {"inner", {{"truth", true}}}};
  EXPECT_EQ(json.dump(), expected.dump(2));
}

TEST(ReportJson, IsValidWhateverTheBytesOfAFileName) {
  const Json problem = {{"description", "bad\xFFname"}};
  EXPECT_TRUE(Parsed::accept(serialize(report_json(sample_report(), problem, Json::object()))));
}

}  // namespace
}  // namespace amgsolve
