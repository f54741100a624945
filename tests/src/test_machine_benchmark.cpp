#include "src/application/machine_benchmark.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "src/application/embedded.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr BenchmarkSizes small{.copied_values = 1000, .grid = 8};

json figures(const char* device, double setup_seconds) {
  return {
      {"date", "2026-11-23T00:00:00Z"},
      {"machine", {{"cpu", "processor"}}},
      {"device", device == nullptr ? json() : json(device)},
      {"threads", 2},
      {"copy", {{"bytes", 4e9}, {"seconds", 2.0}}},
      {"product", {{"bytes", 9e9}, {"flops", 1.5e9}, {"seconds", 3.0}}},
      {"double", {{"flops", 5e10}, {"seconds", 2.0}}},
      {"float", {{"flops", 1e11}, {"seconds", 2.0}}},
      {"solve",
       {{"rows", 512}, {"nnz", 3200}, {"setup_seconds", setup_seconds}, {"solve_seconds", 0.5}, {"iterations", 9}}}};
}

TEST(MachineBenchmark, MeasuresCopyArithmeticProductAndSolve) {
  const json result = json::parse(machine_figures(Backend::host, 1, small));
  EXPECT_EQ(result.at("threads"), 1);
  EXPECT_TRUE(result.at("device").is_null());
  EXPECT_EQ(result.at("copy").at("bytes"), 16000);
  EXPECT_EQ(result.at("solve").at("rows"), 512);
  EXPECT_EQ(result.at("solve").at("nnz"), 7 * 512 - 6 * 64);
  EXPECT_EQ(result.at("product").at("flops"), 2 * (7 * 512 - 6 * 64));
  EXPECT_GT(result.at("solve").at("iterations"), 0);
  for (const char* what : {"copy", "double", "float", "product"}) {
    EXPECT_GT(result.at(what).at("seconds"), 0.0) << what;
  }
  EXPECT_GT(result.at("solve").at("setup_seconds"), 0.0);
  EXPECT_GT(result.at("solve").at("solve_seconds"), 0.0);
}

TEST(MachineBenchmark, TabulatesThisMachineAndThenTheQuickestFirst) {
  const std::string text =
      machine_table(figures(nullptr, 0.25).dump(), json::array({figures("slow", 3.0), figures("quick", 0.001)}).dump());
  EXPECT_EQ(
      text,
      "Poisson's equation, 7-point, 512 rows, 3200 nonzeros, default options\n"
      "\n"
      "  machine                             copy       A x  GFLOP/s  double  float   setup   solve  iterations\n"
      "  ------------------------------  --------  --------  -------  ------  -----  ------  ------  ----------\n"
      "  this one: 2 threads, processor  2.0 GB/s  3.0 GB/s      0.5    25.0   50.0  250 ms  500 ms           9\n"
      "  quick, 2026-11-23               2.0 GB/s  3.0 GB/s      0.5    25.0   50.0    1 ms  500 ms           9\n"
      "  slow, 2026-11-23                2.0 GB/s  3.0 GB/s      0.5    25.0   50.0     3 s  500 ms           9\n");
}

TEST(MachineBenchmark, LeavesOutWhatWasNotRecorded) {
  json other = figures("other", 1.0);
  other.erase("copy");
  other.erase("product");
  other.erase("double");
  other.erase("float");
  EXPECT_THAT(machine_table(figures(nullptr, 0.25).dump(), json::array({other}).dump()),
              HasSubstr("\n  other, 2026-11-23                                                              1 s  500 "
                        "ms           9\n"));
}

/// What is in bench/results/ as the command holds it.
TEST(MachineBenchmark, RecordedMachinesAreSuchResults) {
  const std::string recorded(embedded_recorded_machines);
  EXPECT_GE(json::parse(recorded).size(), 3U);
  const std::string text = machine_table(machine_figures(Backend::host, 1, small), recorded);
  EXPECT_THAT(text, HasSubstr("this one: 1 thread, "));
}

/// Those that were taken from results of other benchmarks say which.
TEST(MachineBenchmark, RecordedMachinesAreTrueToTheirSources) {
  namespace fs = std::filesystem;
  int compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(AMGSOLVE_SOURCE_DIR "/bench/results")) {
    if (!entry.path().filename().string().ends_with("_machine.json")) {
      continue;
    }
    const json recorded = json::parse(reference::bytes_of_file(entry.path()));
    for (const json& name : recorded.value("from", json::array())) {
      const json source = json::parse(reference::bytes_of_file(entry.path().parent_path() / name.get<std::string>()));
      const auto p3 = std::ranges::find(source.at("problems"), "P3", [](const json& row) { return row.at("problem"); });
      ASSERT_NE(p3, source.at("problems").end()) << name;
      if (source.at("benchmark") == "spmv") {
        EXPECT_EQ(recorded.at("copy").at("bytes"), p3->at("copy_bandwidth")) << name;
        EXPECT_EQ(recorded.at("copy").at("seconds"), 1.0);
      } else {
        for (const char* figure : {"setup_seconds", "solve_seconds", "iterations"}) {
          EXPECT_EQ(recorded.at("solve").at(figure), p3->at("amgsolve").at(figure)) << name;
        }
        EXPECT_EQ(recorded.at("date"), source.at("date"));
      }
      ++compared;
    }
  }
  EXPECT_GE(compared, 4);
}

}  // namespace
}  // namespace amgsolve
