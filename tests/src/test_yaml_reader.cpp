#include "src/application/yaml_reader.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "src/application/yaml_writer.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

namespace fs = std::filesystem;

class YamlReader : public testing::Test {
 protected:
  void read(std::string_view yaml, const std::vector<Override>& overrides = {}) {
    read_configuration(directory_.write("problem.yaml", yaml), overrides, schema_, configuration_);
  }

  // The messages with the directory taken away from the file's name.
  std::string errors(std::string_view yaml, const std::vector<Override>& overrides = {}) {
    try {
      read(yaml, overrides);
    } catch (const ConfigurationError& error) {
      std::string message = error.what();
      const std::string prefix = directory_.path().string() + "/";
      for (std::size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) {
        message.erase(at, prefix.size());
      }
      return message;
    }
    return "no error";
  }

  reference::TemporaryDirectory directory_;
  JobConfiguration configuration_;
  Schema schema_ = job_schema(configuration_);
};

constexpr std::string_view valid = "problem: {generate: {pde: poisson, grid: [8, 9]}}\n";

std::string valid_and(std::string_view more) { return std::string(valid) + std::string(more); }

TEST_F(YamlReader, ReadsNestedFlowAndDottedKeys) {
  read(R"(
problem:
  generate:
    pde: diffusion
    grid: [8, 9, 10]
    coefficient: {type: checkerboard, high: 1.0e4}
solver.tolerance: 1e-10
amg:
  smoother.type: jacobi
  smoother: {damping: 1}
solver:
)");
  EXPECT_EQ(configuration_.problem.generate.pde, Pde::diffusion);
  EXPECT_EQ(configuration_.problem.generate.grid.dimensions, 3);
  EXPECT_EQ(configuration_.problem.generate.grid.size, (std::array<std::int64_t, 3>{8, 9, 10}));
  EXPECT_EQ(configuration_.problem.generate.coefficient.type, CoefficientType::checkerboard);
  EXPECT_EQ(configuration_.problem.generate.coefficient.high, 1e4);
  EXPECT_EQ(configuration_.solver.tolerance, 1e-10);
  EXPECT_EQ(configuration_.amg.smoother.type, SmootherType::jacobi);
  EXPECT_EQ(configuration_.amg.smoother.damping, 1.0);
}

TEST_F(YamlReader, ReportsAllErrorsAtOnceWithTheirPositions) {
  EXPECT_EQ(
      errors(R"(problem:
  generate: {pde: poison, grid: [16]}
solver:
  toleranse: 1e-8
  method: qmr
  threads:
amg:
  smoother: chebyshev
  cycle: [V]
  ? [a, b]
  : 1
spgemm: {algorithm: {a: b}}
output: {report: no/such/dir.json}
)"),
      "problem.yaml:2:19: 'problem.generate.pde' is 'poison'; it must be poisson, diffusion, convection_diffusion or "
      "elasticity\n"
      "problem.yaml:2:33: 'problem.generate.grid' is '[16]'; it must be a list of 2 to 3 integers >= 1\n"
      "problem.yaml:4:3: unknown key 'toleranse' in 'solver'; did you mean 'tolerance'?\n"
      "problem.yaml:5:11: 'solver.method' is 'qmr'; it must be auto, cg, fcg, minres, gmres, fgmres, bicgstab or amg\n"
      "problem.yaml:6:3: 'solver.threads' has no value; it must be an integer >= 0\n"
      "problem.yaml:8:13: 'amg.smoother' must be a mapping with type, damping, degree, lower_fraction\n"
      "problem.yaml:9:10: 'amg.cycle' is a list; it must be auto, V, W, F or K\n"
      "problem.yaml:10:5: a key must be a plain word\n"
      "problem.yaml:12:21: 'spgemm.algorithm' is a mapping; it must be auto, dense, hash, esc, "
      "esc_global, esc_fused, thin, row_merge or cusparse\n"
      "problem.yaml:13:18: 'output.report' is 'no/such/dir.json', but there is no directory 'no/such'");
}

TEST_F(YamlReader, FindsDuplicateKeysAndSections) {
  EXPECT_EQ(errors(valid_and("solver:\n  method: cg\n  method: fcg\nsolver: {threads: 1}\nsolver.method: amg\n")),
            "problem.yaml:4:3: duplicate key 'solver.method'; it is first given at problem.yaml:3:3\n"
            "problem.yaml:5:1: duplicate key 'solver'; it is first given at problem.yaml:2:1\n"
            "problem.yaml:6:1: duplicate key 'solver.method'; it is first given at problem.yaml:3:3");
}

TEST_F(YamlReader, NamesWhatIsNoConfigurationAtAll) {
  EXPECT_EQ(errors(""),
            "problem.yaml:1:1: the file is empty; give 'problem.generate', 'problem.mesh' or 'problem.matrix'");
  EXPECT_EQ(errors("# nothing\n"), errors(""));
  EXPECT_EQ(errors("- a\n"),
            "problem.yaml:1:1: the file must be a mapping with problem, solver, amg, distributed, spgemm, output");
  EXPECT_EQ(errors(valid_and("---\nsolver: {}\n")),
            "problem.yaml:2:1: a second YAML document begins here; there must be one");
  EXPECT_EQ(errors("problem: {generate: [\n"), "problem.yaml:2:1: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(errors("problem:\n\tgenerate: 1\n").substr(0, 15), "problem.yaml:2:");
  EXPECT_EQ(errors(std::string("\x00\x01\xff", 3)).substr(0, 13), "problem.yaml:");
  EXPECT_EQ(errors(std::string(5000, '[')).substr(0, 13), "problem.yaml:");
}

/// yaml-cpp itself takes some 0.1 s for this; a second of the processor is what a reader has for anything.
TEST_F(YamlReader, ManyErrorsAndLongWordsTakeNoTime) {
  const std::clock_t begin = std::clock();
  std::string many;
  for (int i = 0; i < 6000; ++i) {
    many += "a" + std::to_string(i) + ": 0\n";
  }
  const std::string listed = errors(many);
  EXPECT_EQ(std::ranges::count(listed, '\n'), 20);
  EXPECT_TRUE(listed.starts_with("problem.yaml:1:1: unknown key 'a0'; there are problem,"));
  EXPECT_TRUE(
      listed.ends_with("\nproblem.yaml:20:1: unknown key 'a19'; there are problem, solver, amg, distributed, "
                       "spgemm and output\n... and more errors"))
      << listed;

  const std::string word(60000, 'a');
  const std::string unknown = errors("? " + word + "\n: 1\n");
  EXPECT_LE(unknown.size(), 1000U);
  EXPECT_TRUE(unknown.starts_with("problem.yaml:1:3: unknown key 'aaaa")) << unknown;
  EXPECT_TRUE(unknown.ends_with("aaa'; there are problem, solver, amg, distributed, spgemm and output")) << unknown;
  EXPECT_LE(errors(valid, {{word, "1", "--set"}}).size(), 1000U);
  EXPECT_LE(errors(valid, {{"amg.cycle", word, "--set"}}).size(), 1000U);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, AMGSOLVE_HAS_LIMITS ? 1.0 : 20.0);
}

TEST_F(YamlReader, UnreadableFilesAreNamed) {
  const auto read_file = [this](const fs::path& file) { read_configuration(file, {}, schema_, configuration_); };
  try {
    read_file(directory_.path() / "no.yaml");
    ADD_FAILURE();
  } catch (const ConfigurationError& error) {
    EXPECT_EQ(error.what(), (directory_.path() / "no.yaml").string() + ": cannot open: No such file or directory");
  }
  EXPECT_THROW(read_file(directory_.path()), ConfigurationError);
}

TEST_F(YamlReader, NeedsExactlyOneProblem) {
  directory_.write("A.mtx", "");
  EXPECT_EQ(
      errors("solver: {method: cg}\n"),
      "problem.yaml: nothing to solve: give 'problem.generate' with a 'grid', 'problem.mesh' or 'problem.matrix'");
  EXPECT_EQ(
      errors("problem:\n  generate: {pde: poisson}\n"),
      "problem.yaml:2:3: nothing to solve: give 'problem.generate' with a 'grid', 'problem.mesh' or 'problem.matrix'");
  EXPECT_EQ(errors("problem:\n  matrix: A.mtx\n  generate: {pde: poisson}\n"),
            "problem.yaml:3:3: both 'problem.generate' and 'problem.matrix' are given; only one can be solved");
}

TEST_F(YamlReader, ConflictsPointToOneOfTheirValues) {
  EXPECT_EQ(errors("problem:\n  generate: {grid: [8, 8], stencil: 7}\n"),
            "problem.yaml:2:28: problem.generate.stencil is 7; a 2D grid has stencil 5 or 9");
  configuration_ = {};
  EXPECT_EQ(errors(valid_and("solver: {method: cg}\n"), {{"amg.pre_sweeps", "0", "--set amg.pre_sweeps=0"}}),
            "--set amg.pre_sweeps=0: 'amg.pre_sweeps' is 0 and 'amg.post_sweeps' is 1; 'solver.method' cg needs a "
            "symmetric preconditioner, so they must be equal (fcg takes any)");
}

TEST_F(YamlReader, ReportsAllConflictsAtOnce) {
  EXPECT_EQ(errors("problem:\n"
                   "  generate:\n"
                   "    grid: [20, 20]\n"
                   "    coefficient: {value: 2, type: random}\n"
                   "    velocity: rotating\n"
                   "    young: 3\n"
                   "  rhs: manufactured\n"
                   "amg: {pre_sweeps: 2, cycle: F}\n"
                   "solver: {method: cg}\n"),
            "problem.yaml:8:7: 'amg.pre_sweeps' is 2 and 'amg.post_sweeps' is 1; 'solver.method' cg needs a symmetric "
            "preconditioner, so they must be equal (fcg takes any)\n"
            "problem.yaml:9:10: 'amg.cycle' is F, which is not symmetric; 'solver.method' cg needs a symmetric "
            "preconditioner (fcg takes any)\n"
            "problem.yaml:4:19: problem.generate.coefficient.value is 2; a random coefficient has none (constant ones "
            "do)\n"
            "problem.yaml:4:29: problem.generate.coefficient.type is random; pde poisson has constant (pde diffusion "
            "takes others)\n"
            "problem.yaml:5:5: problem.generate.velocity is rotating; pde poisson has no convection "
            "(convection_diffusion does)\n"
            "problem.yaml:6:5: problem.generate.young is 3; pde poisson has no Young's modulus (elasticity does)\n"
            "problem.yaml:4:29: problem.rhs is manufactured, which needs a constant problem.generate.coefficient.type; "
            "it is random");
}

TEST_F(YamlReader, AliasesAreTheWholeValueOfTheirAnchors) {
  read(valid_and("amg: {pre_sweeps: &sweeps 2, post_sweeps: *sweeps}\n"));
  EXPECT_EQ(configuration_.amg.smoother.post_sweeps, 2);
}

TEST_F(YamlReader, PathsAreRelativeToTheFile) {
  directory_.write("A.mtx", "");
  read("problem: {matrix: A.mtx, rhs: random}\noutput: {report: r.json}\n");
  EXPECT_EQ(configuration_.problem.matrix, directory_.path() / "A.mtx");
  EXPECT_EQ(configuration_.problem.rhs.word, RightHandSide::random);
  EXPECT_TRUE(configuration_.problem.rhs.file.empty());
  EXPECT_EQ(configuration_.output.report, directory_.path() / "r.json");
  EXPECT_EQ(errors("problem: {matrix: B.mtx}\n"),
            "problem.yaml:1:19: 'problem.matrix' is 'B.mtx'; it must be a file that exists");
}

TEST_F(YamlReader, OverridesCountOverTheFile) {
  const std::string absolute = directory_.write("b.mtx", "").string();
  read(valid_and("solver: {tolerance: 1e-6}\n"), {{"solver.tolerance", "1e-9", ""},
                                                  {"solver.tolerance", "1e-10", ""},
                                                  {"problem.generate.grid", "[4, 5, 6]", ""},
                                                  {"amg.smoother", "{type: jacobi, damping: 1.5}", ""},
                                                  {"problem.rhs", absolute, ""},
                                                  {"output.report", "r.json", ""}});
  EXPECT_EQ(configuration_.solver.tolerance, 1e-10);
  EXPECT_EQ(configuration_.problem.generate.grid.size, (std::array<std::int64_t, 3>{4, 5, 6}));
  EXPECT_EQ(configuration_.amg.smoother.type, SmootherType::jacobi);
  EXPECT_EQ(configuration_.amg.smoother.damping, 1.5);
  EXPECT_EQ(configuration_.problem.rhs.file, absolute);
  EXPECT_EQ(configuration_.output.report, "r.json");
}

TEST_F(YamlReader, OverridesAreCheckedLikeTheFile) {
  EXPECT_EQ(errors(valid_and("solver: {tolerance: 5}\n"), {{"solver.tolerance", "x", "--set solver.tolerance=x"},
                                                           {"solver.tol", "1", "--set solver.tol=1"},
                                                           {"amg", "{cycle: V, cycle: W}", "--set amg={...}"},
                                                           {"problem.generate.grid", "[8", "--set grid"}}),
            "problem.yaml:2:21: 'solver.tolerance' is '5'; it must be a number >= 0 and < 1, or auto\n"
            "--set solver.tolerance=x: 'solver.tolerance' is 'x'; it must be a number >= 0 and < 1, or auto\n"
            "--set solver.tol=1: unknown key 'solver.tol'; did you mean 'solver.tolerance'?\n"
            "--set amg={...}: duplicate key 'amg.cycle'; it is first given at --set amg={...}\n"
            "--set grid: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(errors(valid, {{"problem.generate.grid", "", "--set problem.generate.grid="}}),
            "--set problem.generate.grid=: 'problem.generate.grid' has no value; it must be a list of 2 to 3 integers "
            ">= 1");
}

TEST_F(YamlReader, TextThatBeginsNoValueEndsInAnError) {
  EXPECT_EQ(errors(","), "problem.yaml:1:1: not valid YAML: no value begins so");
  EXPECT_EQ(errors(valid, {{"problem.generate.grid", ",", "--set grid"}}),
            "--set grid: not valid YAML: no value begins so");
  for (const char* text :
       {",x", "x,,", "]", "}", "@", "`", "? ,", "- ,\n,", "...\n,", "--- ,", "!<", "&", "*", "|,", ": :"}) {
    EXPECT_NE(errors(text), "no error") << text;
    EXPECT_NE(errors(valid, {{"amg.smoother", text, "--set"}}), "no error") << text;
  }
}

TEST_F(YamlReader, AFileWithoutEndIsRefused) {
  EXPECT_THROW(read_configuration("/dev/zero", {}, schema_, configuration_), ConfigurationError);
}

TEST_F(YamlReader, AMatrixIsOneProblemAndAnotherMatrixTheNext) {
  const fs::path matrix = directory_.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
  EXPECT_THROW(
      read_configuration(matrix, std::vector<Override>{{"problem.matrix", "B.mtx", "--set problem.matrix=B.mtx"}},
                         schema_, configuration_),
      ConfigurationError);
  EXPECT_NO_THROW(read_configuration(matrix, {}, schema_, configuration_));
}

TEST_F(YamlReader, NothingIsWrittenOverWhatIsReadNorTwice) {
  directory_.write("A.mtx", "");
  directory_.write("b.mtx", "");
  fs::create_symlink("A.mtx", directory_.path() / "link.mtx");
  fs::create_symlink("/dev/stdout", directory_.path() / "stdout.mtx");
  const std::string file = "problem: {matrix: A.mtx, rhs: b.mtx}\n";
  const auto end_of = [&](const std::string& output) {
    configuration_ = {};  // what was read before stays there otherwise
    const std::string message = errors(file + "output: " + output + "\n");
    return message.substr(message.rfind("which is "));
  };
  EXPECT_EQ(end_of("{solution: A.mtx}"), "which is the file of 'problem.matrix'");
  EXPECT_EQ(end_of("{solution: ./link.mtx}"), "which is the file of 'problem.matrix'");
  EXPECT_EQ(end_of("{solution: b.mtx}"), "which is the file of 'problem.rhs'");
  EXPECT_EQ(end_of("{report: problem.yaml}"), "which is the problem file itself");
  EXPECT_EQ(end_of("{report: x.mtx, solution: ./x.mtx}"), "which is the file of 'output.report', too");
  EXPECT_EQ(errors(file + "output: {report: /dev/null, solution: x.mtx}\n"), "no error");
  configuration_ = {};
  const std::string twice = errors(file + "output: {report: '-', solution: stdout.mtx}\n");
  EXPECT_TRUE(twice.ends_with("'output.solution' is 'stdout.mtx', where 'output.report' is written, too")) << twice;
  const int log = ::open((directory_.path() / "A.mtx").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  EXPECT_EQ(errors(file + "output: {report: /dev/fd/" + std::to_string(log) + "}\n"), "no error");
  ::close(log);

  fs::create_directory(directory_.path() / "levels");
  directory_.write("levels/A1.mtx", "");
  directory_.write("levels/b.mtx", "");
  EXPECT_EQ(end_of("{hierarchy: A.mtx}"), "which is no directory");
  EXPECT_NE(errors(file + "output: {hierarchy: levels, solution: levels/P0.mtx}\n")
                .find("levels/P0.mtx', which 'output.hierarchy' may write, too"),
            std::string::npos);
  EXPECT_NE(errors("problem: {matrix: levels/A1.mtx}\noutput: {hierarchy: ./levels}\n")
                .find("where the file of 'problem.matrix', 'A1.mtx', would be written over"),
            std::string::npos);
  EXPECT_EQ(errors("problem: {matrix: A.mtx, rhs: levels/b.mtx}\noutput: {hierarchy: levels, solution: u.mtx}\n"),
            "no error");
}

TEST_F(YamlReader, WrittenConfigurationReadsBackAsTheSame) {
  directory_.write("A: 1.mtx", "");
  for (const char* yaml :
       {"problem: {generate: {pde: poisson, grid: [8, 9]}, rhs: manufactured}\namg: {cycle: W}\n",
        "problem: {mesh: 'A: 1.mtx', generate: {pde: elasticity, fixed: {'a: b': 0.1, '7': [free, 2]}, "
        "source: {domain: [1e-300, 0]}}}\n",
        "problem: {matrix: 'A: 1.mtx', initial_guess: random}\nsolver: {tolerance: 1e-300}\n"}) {
    JobConfiguration first;
    const Schema first_schema = job_schema(first);
    read_configuration(directory_.write("problem.yaml", yaml), {}, first_schema, first);
    const std::string text = write_configuration(first_schema, first);

    JobConfiguration second;
    const Schema second_schema = job_schema(second);
    read_configuration(directory_.write("again.yaml", text), {}, second_schema, second);
    for (const SchemaEntry& entry : first_schema.entries()) {
      EXPECT_EQ(second_schema.find(entry.key)->get(), entry.get()) << entry.key << "\n" << text;
    }
    EXPECT_EQ(write_configuration(second_schema, second), text);
  }
}

TEST_F(YamlReader, EveryExampleIsValid) {
  int examples = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(AMGSOLVE_SOURCE_DIR "/examples")) {
    if (file.path().extension() == ".yaml") {
      JobConfiguration configuration;
      const Schema schema = job_schema(configuration);
      try {
        read_configuration(file.path(), {}, schema, configuration);
      } catch (const ConfigurationError& error) {
        EXPECT_TRUE(configuration.problem.domain != MeshDomain::none && !has_gmsh()) << error.what();
      }
      ++examples;
    }
  }
  EXPECT_GE(examples, 8);
}

}  // namespace
}  // namespace amgsolve
