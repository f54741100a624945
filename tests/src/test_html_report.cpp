#include "src/application/html_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

using testing::HasSubstr;
using testing::Not;

class HtmlReport : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_html_report()) {
      GTEST_SKIP() << "this build is without Chart.js";
    }
  }

  /// What a run of the command wrote.
  std::string page_of(const std::string& arguments) {
    const std::string command = AMGSOLVE_COMMAND " " + arguments + " --quiet --report '" + page_.string() + "' 2> '" +
                                (directory_.path() / "err").string() + "'";
    exit_code_ = WEXITSTATUS(std::system(command.c_str()));
    return reference::bytes_of_file(page_);
  }

  std::string page_of_comparison(const std::string& files) {
    const std::string command = AMGSOLVE_COMMAND " compare '" + files + "' --report '" + page_.string() + "' > '" +
                                (directory_.path() / "out").string() + "'";
    exit_code_ = WEXITSTATUS(std::system(command.c_str()));
    return reference::bytes_of_file(page_);
  }

  static bool has_browser() { return std::system("command -v chromium > /dev/null") == 0; }

  /// What a browser makes of the page, which must be without complaint.
  std::string show(const std::string& what) {
    const std::string folder = directory_.path().string();
    const std::string command = "cd '" + folder + "' && HOME='" + folder +
                                "' timeout 60 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr "
                                "--window-size=1200,2000 --virtual-time-budget=5000 " +
                                what + " 'file://" + page_.string() + "' > out 2> err";
    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_THAT(reference::bytes_of_file(directory_.path() / "err"), Not(HasSubstr("CONSOLE")));
    return reference::bytes_of_file(directory_.path() / "out");
  }

  /// The JSON that a page holds.
  static nlohmann::json report_in(const std::string& page) {
    const std::string begin = R"(id="report">)";
    const std::size_t first = page.find(begin) + begin.size();
    return nlohmann::json::parse(page.substr(first, page.find("</script>", first) - first));
  }

  reference::TemporaryDirectory directory_;
  std::filesystem::path page_ = directory_.path() / "run.html";
  int exit_code_ = -1;
};

TEST_F(HtmlReport, HoldsTheReportAndAllItNeeds) {
  const std::string page = page_of("--preset poisson-2d --set 'problem.generate.grid=[20, 20]'");
  EXPECT_EQ(exit_code_, 0);
  EXPECT_THAT(page, testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("Chart.js v"));
  EXPECT_THAT(page, Not(HasSubstr("@REPORT@")));
  EXPECT_THAT(page, Not(HasSubstr("@CHART_JS@")));
  EXPECT_THAT(page, Not(HasSubstr("src=\""))) << "nothing is fetched";
  const nlohmann::json report = report_in(page);
  EXPECT_EQ(report["status"], "converged");
  EXPECT_EQ(report["problem"]["rows"], 400);
  EXPECT_GT(report["machine"]["copy_bytes_per_second"], 1e8);
  EXPECT_GT(report["machine"]["double_flops_per_second"], 1e8);
  EXPECT_GT(report["machine"]["float_flops_per_second"], 1e8);
  std::size_t most = 0;
  for (const nlohmann::json& sample : report["memory"]["timeline"]) {
    most = std::max(most, sample["bytes"].get<std::size_t>());
  }
  EXPECT_GT(most, report["memory"]["peak_bytes"].get<std::size_t>() / 100 * 95)
      << "within the part that counts as news";
  EXPECT_LE(most, report["memory"]["peak_bytes"].get<std::size_t>());
}

TEST_F(HtmlReport, HoldsRunsBesideEachOther) {
  const std::string a = (directory_.path() / "a.json").string();
  const std::string b = (directory_.path() / "b.json").string();
  const std::string command =
      std::string(AMGSOLVE_COMMAND) + " --preset poisson-2d --set 'problem.generate.grid=[20, 20]' --quiet";
  EXPECT_EQ(std::system((command + " --json '" + a + "'").c_str()), 0);
  EXPECT_EQ(std::system((command + " --set amg.cycle=W --json '" + b + "'").c_str()), 0);
  EXPECT_THAT(page_of_comparison(a + "' '" + b), HasSubstr("Chart.js v"));
  EXPECT_EQ(exit_code_, 0);
  const nlohmann::json runs = report_in(reference::bytes_of_file(page_));
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1]["file"], b);
  EXPECT_EQ(runs[1]["report"]["configuration"]["amg"]["cycle"], "W");
  if (has_browser()) {
    const std::string shown = show("--dump-dom");
    EXPECT_THAT(shown, HasSubstr("<td>amg.cycle</td><td>auto</td><td>W</td>"));
    EXPECT_THAT(shown, HasSubstr("<th>2/1</th>"));
    EXPECT_THAT(shown, Not(HasSubstr("<figure hidden")));
  }
}

TEST_F(HtmlReport, GoesToTheStandardOutputAlone) {
  const std::string folder = directory_.path().string();
  directory_.write("p.yaml", "problem: {generate: {grid: [20, 20]}}\n");
  const auto output_of = [&](const std::string& arguments) {
    const std::string command = "cd '" + folder + "' && " AMGSOLVE_COMMAND " " + arguments + " > out 2> err";
    exit_code_ = WEXITSTATUS(std::system(command.c_str()));
    return reference::bytes_of_file(directory_.path() / "out");
  };
  const std::string page = output_of("p.yaml --report - --json a.json");
  EXPECT_EQ(exit_code_, 0);
  EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0U) << page.substr(0, 200);
  EXPECT_EQ(report_in(page)["status"], "converged");
  const std::string comparison = output_of("compare a.json a.json --report -");
  EXPECT_EQ(exit_code_, 0);
  EXPECT_EQ(comparison.rfind("<!DOCTYPE html>", 0), 0U) << comparison.substr(0, 200);
  output_of("p.yaml --report - --json -");
  EXPECT_EQ(exit_code_, 2);
  EXPECT_THAT(reference::bytes_of_file(directory_.path() / "err"),
              HasSubstr("'output.html' is '-', where 'output.report' is written, too"));
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "-"));
}

TEST_F(HtmlReport, TextsOfTheReportAreNoMarkup) {
  const std::string page = html_report(R"({"message": "</script><script>alert(1)</script><!--"})");
  EXPECT_EQ(report_in(page)["message"], "</script><script>alert(1)</script><!--");
}

TEST_F(HtmlReport, FailuresHaveOne) {
  const std::string page = page_of("--preset poisson-2d --set solver.max_iterations=1");
  EXPECT_EQ(exit_code_, 1);
  EXPECT_EQ(report_in(page)["status"], "not_converged");
}

/// In a browser, where there is one: scripts run to their end, and what they write is there.
TEST_F(HtmlReport, ABrowserShowsItWithoutComplaint) {
  if (!has_browser()) {
    GTEST_SKIP() << "there is no chromium";
  }
  page_of("--preset poisson-3d --set 'problem.generate.grid=[20, 20, 20]'");
  const std::string shown = show("--dump-dom");
  EXPECT_THAT(shown, HasSubstr(R"(<span id="status" class="status converged">converged</span>)"));
  EXPECT_THAT(shown, HasSubstr("poisson, fd 7-point, 20 x 20 x 20, dirichlet: 8,000 unknowns"));
  EXPECT_THAT(shown, HasSubstr("operator complexity"));
  EXPECT_THAT(shown, HasSubstr("the bandwidth of copies, measured after the run: "));
  EXPECT_THAT(shown, HasSubstr(", the flat roofs multiplications and additions in registers: float "));
  EXPECT_THAT(shown, Not(HasSubstr("<figure hidden")));
  show("--screenshot=page.png");
  EXPECT_GT(std::filesystem::file_size(directory_.path() / "page.png"), 50'000U);

  page_of("--preset poisson-3d --set solver.memory_limit=1");
  const std::string failed = show("--dump-dom");
  EXPECT_THAT(failed, HasSubstr(R"(<span id="status" class="status">out_of_memory</span>)"));
  EXPECT_THAT(failed, HasSubstr("<figure hidden"));
}

}  // namespace
}  // namespace amgsolve
