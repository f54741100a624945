#include "src/application/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/errors.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class Compare : public testing::Test {
 protected:
  static json report(double setup, int iterations, const std::string& smoother) {
    return {{"schema_version", 1},
            {"status", "converged"},
            {"iterations", iterations},
            {"relative_residual", 1e-9},
            {"setup", {{"seconds", setup}}},
            {"solve", {{"seconds", 0.5}}},
            {"memory", {{"peak_bytes", 2000000}}},
            {"levels", {{{"nnz", 100}}, {{"nnz", 10}}}},
            {"phases",
             {{{"phase", "setup"}, {"level", nullptr}, {"seconds", setup}},
              {{"phase", "setup > galerkin"}, {"level", 0}, {"seconds", setup / 2}},
              {{"phase", "setup > galerkin"}, {"level", 1}, {"seconds", setup / 4}},
              {{"phase", "setup > tiny"}, {"level", 0}, {"seconds", 1e-6}}}},
            {"machine", {{"threads", 2}, {"cpu", "Some CPU"}, {"device", nullptr}}},
            {"build", {{"version", "0.1.0"}, {"git_commit", nullptr}}},
            {"problem", {{"description", "poisson"}}},
            {"configuration",
             {{"amg", {{"smoother", {{"type", smoother}}}, {"passes", {1, 2}}}}, {"output", {{"report", smoother}}}}}};
  }

  std::filesystem::path write(const std::string& name, const std::string& text) { return directory_.write(name, text); }

  std::string error_of(const std::string& text) {
    try {
      compare_reports({write("good.json", report(1.0, 10, "jacobi").dump()), write("bad.json", text)});
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  const reference::TemporaryDirectory directory_;
};

/// The line of a text that begins with these words, its blanks made one.
std::string line_of(const std::string& text, const std::string& words) {
  const std::size_t begin = text.find("\n  " + words);
  if (begin == std::string::npos) {
    return "";
  }
  std::string line;
  for (std::size_t i = begin + 3; i < text.find('\n', begin + 1); ++i) {
    if (text[i] != ' ' || !line.ends_with(' ')) {
      line += text[i];
    }
  }
  return line;
}

TEST_F(Compare, PutsRunsBesideEachOther) {
  const std::string text = compare_reports({write("a.json", report(1.0, 10, "jacobi").dump()),
                                            write("b.json", report(0.25, 15, "chebyshev").dump()),
                                            write("c.json", report(2.0, 10, "jacobi").dump())})
                               .text;
  EXPECT_THAT(text, HasSubstr("1  " + (directory_.path() / "a.json").string() +
                              ": poisson; 2 threads, Some CPU; amgsolve 0.1.0\n"));
  EXPECT_EQ(line_of(text, "status"), "status converged converged converged");
  EXPECT_EQ(line_of(text, "iterations"), "iterations 10 15 10 1.500 1.000");
  EXPECT_EQ(line_of(text, "setup "), "setup 1 s 250 ms 2 s 0.250 2.000");
  EXPECT_EQ(line_of(text, "total"), "total 1.5 s 750 ms 2.5 s 0.500 1.667");
  EXPECT_EQ(line_of(text, "peak memory"), "peak memory 2.0 MB 2.0 MB 2.0 MB 1.000 1.000");
  EXPECT_EQ(line_of(text, "  galerkin"), " galerkin 750 ms 188 ms 1.5 s 0.250 2.000");
  EXPECT_EQ(line_of(text, "amg.smoother.type"), "amg.smoother.type jacobi chebyshev jacobi");
  EXPECT_THAT(text, Not(HasSubstr("tiny")));
  EXPECT_THAT(text, Not(HasSubstr("output.report")));
  EXPECT_THAT(text, Not(HasSubstr("passes")));
}

TEST_F(Compare, LeavesOutWhatARunDidNotGetTo) {
  json failed = {{"schema_version", 1}, {"status", "bad_input"}, {"setup", nullptr}, {"levels", nullptr}};
  const std::string text =
      compare_reports({write("a.json", report(1.0, 10, "jacobi").dump()), write("b.json", failed.dump())}).text;
  EXPECT_EQ(line_of(text, "status"), "status converged bad_input");
  EXPECT_EQ(line_of(text, "iterations"), "iterations 10");
}

TEST_F(Compare, TakesNumbersThatNoRunHas) {
  json odd = report(1.0, 10, "jacobi");
  odd["machine"]["threads"] = 1e300;
  odd["memory"]["peak_bytes"] = 1e300;
  const std::string text = compare_reports({write("a.json", odd.dump()), write("b.json", odd.dump())}).text;
  EXPECT_THAT(text, HasSubstr("a.json: poisson; Some CPU;"));
}

TEST_F(Compare, TakesFilesOfAnyName) {
  const auto odd = write("b\xff.json", report(1.0, 10, "jacobi").dump());
  EXPECT_NO_THROW(static_cast<void>(compare_reports({odd, odd})));
  EXPECT_NO_THROW(static_cast<void>(compare_reports({odd, odd}, true)));
}

TEST_F(Compare, NamesTheFileThatIsNoReport) {
  EXPECT_THAT(error_of("{\"schema_version\": 1"), MatchesRegex(".*bad.json: no JSON: the mistake is at byte [0-9]+"));
  EXPECT_THAT(error_of(""), HasSubstr("bad.json: no JSON"));
  EXPECT_THAT(error_of("[1, 2]"), HasSubstr("bad.json: no report of amgsolve: it has no schema_version"));
  EXPECT_THAT(error_of("{\"schema_version\": \"1\"}"), HasSubstr("it has no schema_version"));
  EXPECT_THAT(error_of("{\"schema_version\": 2}"),
              HasSubstr("bad.json: a report of version 2; this amgsolve reads version 1"));
  EXPECT_THAT(error_of("{\"schema_version\": 1, \"copy\": {}}"),
              HasSubstr("bad.json: no report of a run: it has no status"));
  EXPECT_THAT(error_of("{\"schema_version\": 1e999}"), HasSubstr("bad.json: a number that is out of range"));
  EXPECT_THAT(error_of(std::string(100000, '[')), HasSubstr("bad.json: nested more than 32 deep"));
  EXPECT_THROW(compare_reports({directory_.path() / "none.json"}), InputError);
}

TEST_F(Compare, TakesNothingOfAReportForGranted) {
  const std::string text =
      compare_reports(
          {write(
              "odd.json",
              R"({"schema_version": 1, "status": 3, "iterations": "x", "setup": [], "phases": [1, {"phase": 2}, "s", null],
          "levels": [null, 5], "configuration": [], "problem": {"description": "\u001b[31mred"}, "machine": 7})")})
          .text;
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace amgsolve
