#include "src/application/command_line.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/errors.hpp"
#include "src/application/console.hpp"
#include "src/application/exit_code.hpp"
#include "src/application/html_report.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

struct Outcome {
  int exit_code = -1;
  std::string output;
  std::string errors;
};

// Runs the built command from a directory with a small valid problem.yaml.
class Command : public testing::Test {
 protected:
  Command() { directory_.write("problem.yaml", "problem: {generate: {grid: [8, 8]}}\n"); }

  Outcome run(const std::string& arguments, const std::string& output = "out", const char* wrapper = "") const {
    const std::string in_directory = "cd '" + directory_.path().string() + "' && " + wrapper;
    const int status = std::system((in_directory + AMGSOLVE_COMMAND " " + arguments + " 2> err > " + output).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, reference::bytes_of_file(directory_.path() / "out"),
            reference::bytes_of_file(directory_.path() / "err")};
  }

  // A command line that is refused: exit code 2 and nothing but the message.
  void expect_usage_error(const std::string& arguments, const std::string& message) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_EQ(outcome.errors, message) << arguments;
    EXPECT_EQ(outcome.output, "") << arguments;
  }

  reference::TemporaryDirectory directory_;
};

const std::string hint = "\nTry 'amgsolve --help'.\n";

TEST_F(Command, UsageErrorsExitWithTwoAndAHint) {
  expect_usage_error("",
                     "amgsolve: which problem? Give a YAML file, for example examples/poisson3d.yaml, a matrix, A.mtx, "
                     "or a --preset" +
                         hint);
  expect_usage_error("problem.yaml --preset jumps",
                     "amgsolve: --preset jumps and 'problem.yaml' are two problems; give one" + hint);
  expect_usage_error("--preset cube",
                     "--preset cube: there is no such preset; there are poisson-2d, poisson-3d, anisotropic, jumps, "
                     "elasticity-3d, neumann, graph\n");
  expect_usage_error("--completion tcsh", "--completion tcsh: it must be one of bash, zsh, fish\n");
  expect_usage_error("--frobnicate", "amgsolve: The following argument was not expected: --frobnicate" + hint);
  expect_usage_error("problem.yaml other.yaml", "amgsolve: The following argument was not expected: other.yaml" + hint);
  expect_usage_error("problem.yaml --set", "amgsolve: --set: 1 required KEY=VALUE missing" + hint);
  const std::string own_set = "amgsolve: 'b=2' needs a --set of its own: --set b=2" + hint;
  expect_usage_error("problem.yaml --set a=1 b=2", own_set);
  expect_usage_error("--set a=1 b=2 problem.yaml", own_set);
  expect_usage_error("problem.yaml --set x", "amgsolve: --set takes key=value, not 'x'" + hint);
  expect_usage_error("problem.yaml --set =1", "amgsolve: --set takes key=value, not '=1'" + hint);
  expect_usage_error("problem.yaml --json ''", "amgsolve: --json: the value is empty" + hint);
  expect_usage_error("''", "amgsolve: problem: the value is empty" + hint);
  expect_usage_error("convert problem.yaml ''", "amgsolve: files: the value is empty" + hint);
  EXPECT_EQ(run("problem.yaml --quiet --verbose").exit_code, 2);
}

TEST_F(Command, TheRuntimeOfOpenMPComplainsOnce) {
  for (const char* threads : {"abc", "0", "-1", "2,x", ""}) {
    const std::string in_directory = "cd '" + directory_.path().string() + "' && OMP_NUM_THREADS='" + threads + "' ";
    ASSERT_EQ(std::system((in_directory + AMGSOLVE_COMMAND " problem.yaml > out 2> err").c_str()), 0);
    const std::string errors = reference::bytes_of_file(directory_.path() / "err");
    EXPECT_EQ(errors.find("OMP_NUM_THREADS"), errors.rfind("OMP_NUM_THREADS")) << errors;
#if defined(__GNUC__) && !defined(__clang__)
    EXPECT_NE(errors.find("OMP_NUM_THREADS"), std::string::npos) << threads;
#endif
  }
}

/// It ends the process by itself, with the number of what has not converged.
TEST_F(Command, ThreadsThatCannotBeHadAreNoStatusOfASolve) {
#if !defined(__GNUC__) || defined(__clang__)
  GTEST_SKIP() << "of g++'s runtime of OpenMP";
#endif
  const std::string in_directory = "cd '" + directory_.path().string() + "' && OMP_STACKSIZE=100000000G ";
  const int status = std::system(
      (in_directory + AMGSOLVE_COMMAND " --preset poisson-3d --set solver.backend=host --threads 2 > out 2> err")
          .c_str());
  const std::string errors = reference::bytes_of_file(directory_.path() / "err");
  EXPECT_EQ(WEXITSTATUS(status), 4) << errors;
  EXPECT_NE(errors.find("fewer ('--threads 1')"), std::string::npos) << errors;
  EXPECT_NE(reference::bytes_of_file(directory_.path() / "out").find("Host, 2 threads"), std::string::npos);
}

TEST_F(Command, ConfigurationErrorsExitWithTwoBeforeAnythingRuns) {
  expect_usage_error("no.yaml", "no.yaml: cannot open: No such file or directory\n");
  expect_usage_error(".", ".: cannot open: it is a directory\n");
  expect_usage_error("problem.yaml --threads two",
                     "--threads two: 'solver.threads' is 'two'; it must be an integer >= 0\n");
  expect_usage_error("problem.yaml --json no/report.json",
                     "--json no/report.json: 'output.report' is 'no/report.json', but there is no directory 'no'\n");
  expect_usage_error("problem.yaml --set solver.toleranse=1 --set amg.cycle=Z",
                     "--set solver.toleranse=1: unknown key 'solver.toleranse'; did you mean 'solver.tolerance'?\n"
                     "--set amg.cycle=Z: 'amg.cycle' is 'Z'; it must be auto, V, W, F or K\n");
  expect_usage_error("problem.yaml --set solver.tol=1e-3",
                     "--set solver.tol=1e-3: unknown key 'solver.tol'; did you mean 'solver.tolerance'?\n");
  expect_usage_error(
      "problem.yaml --set problem.generate.grid=40x40",
      "--set problem.generate.grid=40x40: 'problem.generate.grid' is '40x40'; it must be a list of 2 to 3 "
      "integers >= 1; write [40, 40]\n");
  expect_usage_error("problem.yaml --set amg.cycle=",
                     "--set amg.cycle=: 'amg.cycle' has no value; it must be auto, V, W, F or K\n");
  expect_usage_error("--explain amg.smother",
                     "--explain amg.smother: unknown key 'amg.smother'; did you mean 'amg.smoother'?\n");
  expect_usage_error("problem.yaml --set maxiter=4 --set degre=3",
                     "--set maxiter=4: unknown key 'maxiter'; did you mean 'solver.max_iterations'?\n"
                     "--set degre=3: unknown key 'degre'; did you mean 'amg.smoother.degree'?\n");
}

TEST_F(Command, PrintsWhatItIsAskedFor) {
  EXPECT_EQ(run("--version").output, "amgsolve " AMGSOLVE_VERSION "\n");
  const Outcome help = run("--help");
  EXPECT_EQ(help.exit_code, 0);
  for (const char* option : {"--set", "--threads", "--quiet", "--verbose", "--json", "--print-config", "--explain",
                             "--preset", "--completion", "--man-page", "--json-schema", "--list", "--version",
                             "--dry-run", "--analyse", "--help", "Exit codes"}) {
    EXPECT_NE(help.output.find(option), std::string::npos) << option;
  }
  EXPECT_EQ(help.output.find("--configuration-reference"), std::string::npos);
  const std::string of_convert = run("convert --help").output;
  EXPECT_NE(of_convert.find("Write the matrix or the vectors"), std::string::npos);
  EXPECT_EQ(run("convert A.mtx --help").output, of_convert) << "files that are missing do not matter";
  EXPECT_NE(run("--list").output.find(
                "l1_jacobi, chebyshev, chebyshev_opt_fourth, block_jacobi, block_chebyshev, gauss_seidel, "
                "hybrid_gauss_seidel, gmres_polynomial\n"),
            std::string::npos);
  EXPECT_NE(run("--list").output.find("poisson-3d "), std::string::npos);
  EXPECT_EQ(run("--man-page").output.substr(0, 16), ".TH AMGSOLVE 1 \"");
  EXPECT_EQ(run("--json-schema").output.front(), '{');
  EXPECT_NE(run("--completion bash").output.find("--json-schema"), std::string::npos);
  EXPECT_EQ(run("--explain solver.tolerance").output.substr(0, 17), "solver.tolerance\n");
  EXPECT_EQ(run("--configuration-reference").output.substr(0, 15), "# problem.yaml\n");
}

TEST_F(Command, PrintedConfigurationReadsBack) {
  const Outcome first = run("problem.yaml --set amg.cycle=W --print-config");
  EXPECT_EQ(first.exit_code, 0);
  directory_.write("again.yaml", first.output);
  EXPECT_EQ(run("again.yaml --print-config").output, first.output);
}

TEST_F(Command, SolvesAPreset) {
  const Outcome solved = run("--preset jumps --set 'problem.generate.grid=[20, 20, 20]'");
  EXPECT_EQ(solved.exit_code, 0) << solved.errors;
  EXPECT_NE(solved.output.find("20 x 20 x 20"), std::string::npos) << solved.output;
  const Outcome printed = run("--preset anisotropic --print-config");
  EXPECT_NE(printed.output.find("angle: 30"), std::string::npos) << printed.output;
  EXPECT_EQ(printed.output.find('#'), std::string::npos);
}

TEST_F(Command, PrintsATemplateWithoutAFile) {
  const Outcome printed = run("--print-config --set amg.cycle=W");
  EXPECT_EQ(printed.exit_code, 0) << printed.errors;
  EXPECT_EQ(printed.output.front(), '#');
  EXPECT_NE(printed.output.find("cycle: W"), std::string::npos);
  directory_.write("template.yaml", printed.output);
  EXPECT_EQ(run("template.yaml --set 'problem.generate.grid=[8, 8]'").exit_code, 2) << "the template's grid is empty";
  expect_usage_error(
      "--print-config --set amg.pre_sweeps=0 --set amg.post_sweeps=0",
      "--set amg.post_sweeps=0: 'amg.pre_sweeps' and 'amg.post_sweeps' are both 0; one of them must be at "
      "least 1\n");
}

TEST_F(Command, SolvesAMatrixWithWhatIsBesideIt) {
  const std::string matrix = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 4\n";
  directory_.write("A.mtx", matrix);
  const Outcome ones = run("A.mtx --set output.solution=x.mtx");
  EXPECT_EQ(ones.exit_code, 0) << ones.errors;
  EXPECT_NE(ones.output.find("A.mtx: 2 rows, 2 nonzeros, 1 right-hand side (ones)"), std::string::npos) << ones.output;
  EXPECT_EQ(reference::bytes_of_file(directory_.path() / "x.mtx"),
            "%%MatrixMarket matrix array real general\n2 1\n0.5\n0.25\n");

  directory_.write("A_b.mtx", "%%MatrixMarket matrix array real general\n2 1\n2\n8\n");
  const Outcome beside = run("A.mtx --set output.solution=x.mtx");
  EXPECT_NE(beside.output.find("1 right-hand side (A_b.mtx)"), std::string::npos) << beside.output;
  EXPECT_EQ(reference::bytes_of_file(directory_.path() / "x.mtx"),
            "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
  EXPECT_NE(run("A.mtx --set problem.rhs=ones").output.find("(ones)"), std::string::npos);

  // [2], and [6] as a vector behind it and in a file of its own.
  using namespace std::string_literals;
  const std::string vector = "\x00\x12\x7b\x4e\x00\x00\x00\x01\x40\x18\x00\x00\x00\x00\x00\x00"s;
  directory_.write("B.petsc",
                   "\x00\x12\x7b\x50\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01"
                   "\x00\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x00"s +
                       vector);
  directory_.write("B_b.petsc", vector);
  for (const char* arguments : {"B.petsc", "B.petsc --set problem.rhs=B.petsc"}) {
    const Outcome petsc = run(arguments + " --set output.solution=x.mtx"s);
    EXPECT_EQ(petsc.exit_code, 0) << petsc.errors;
    EXPECT_EQ(reference::bytes_of_file(directory_.path() / "x.mtx"),
              "%%MatrixMarket matrix array real general\n1 1\n3\n");
  }
  EXPECT_EQ(std::system(("gzip -k '" + (directory_.path() / "A.mtx").string() + "'").c_str()), 0);
  EXPECT_NE(run("A.mtx.gz").output.find("A.mtx.gz: 2 rows, 2 nonzeros, 1 right-hand side (A_b.mtx)"),
            std::string::npos);
  EXPECT_EQ(run("convert A.mtx C.amg").exit_code, 0);
  EXPECT_EQ(run("convert A_b.mtx C_b.amg").exit_code, 0);
  EXPECT_NE(run("C.amg --set output.solution=x.mtx").output.find("1 right-hand side (C_b.amg)"), std::string::npos);
  EXPECT_EQ(reference::bytes_of_file(directory_.path() / "x.mtx"),
            "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
  // Whatever the matrix is called, and whichever format b is in.
  directory_.write("matrix.dat", matrix);
  directory_.write("matrix_b.mtx", "%%MatrixMarket matrix array real general\n2 1\n2\n8\n");
  EXPECT_NE(run("matrix.dat").output.find("matrix.dat: 2 rows, 2 nonzeros, 1 right-hand side (matrix_b.mtx)"),
            std::string::npos);
  EXPECT_EQ(run("convert A.mtx A.amg").exit_code, 0);
  EXPECT_NE(run("A.amg").output.find("1 right-hand side (A_b.mtx)"), std::string::npos);

  directory_.write("D.npz", "PK");
  directory_.write("D_b.npy", "");
  EXPECT_NE(run("D.npz --print-config").output.find("D_b.npy"), std::string::npos);
  EXPECT_EQ(run("A.mtx --json a.json").exit_code, 0);
  EXPECT_EQ(run("compare a.json a.json --report ./a.json").errors,
            "--report ./a.json: is one of the reports that are compared\n");
  EXPECT_EQ(reference::bytes_of_file(directory_.path() / "a.json").front(), '{');
  EXPECT_EQ(run("convert A.mtx").exit_code, 2);
  EXPECT_EQ(run("convert none.mtx C.amg").exit_code, 3);
  EXPECT_EQ(run("B.mtx").exit_code, 2);
}

TEST_F(Command, PrintsTheReportAndNothingElse) {
  const Outcome outcome = run("problem.yaml --json -");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(outcome.output.front(), '{');
  EXPECT_NE(outcome.output.find("\"status\": \"converged\""), std::string::npos);
  EXPECT_EQ(outcome.output.find("Hierarchy"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "-"));
}

TEST_F(Command, PrintsNothingElseWhereTheReportIsToGoByAnotherName) {
  std::filesystem::create_symlink("/dev/stdout", directory_.path() / "link");
  for (const char* outputs : {"--json /dev/stdout", "--json /dev/fd/1", "--json link", "--json out"}) {
    const Outcome outcome = run("problem.yaml " + std::string(outputs));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_EQ(outcome.output.front(), '{') << outputs;
    EXPECT_EQ(outcome.output.find("Hierarchy"), std::string::npos) << outputs;
  }
  const Outcome piped = run("problem.yaml --json /dev/stdout", "/dev/null | cat > out");
  EXPECT_EQ(piped.output.find("Hierarchy"), std::string::npos);
  EXPECT_NE(run("problem.yaml --json /dev/null").output.find("Hierarchy"), std::string::npos);
  EXPECT_NE(run("problem.yaml --json other.json").output.find("Hierarchy"), std::string::npos);
  EXPECT_EQ(run("bench --threads 1 --backend host --json /dev/stdout").output.front(), '{');
  if (has_html_report()) {
    EXPECT_EQ(run("problem.yaml --report /dev/stdout").output.find("<!"), 0U);
    EXPECT_EQ(run("compare other.json other.json --report /dev/stdout").output.find("<!"), 0U);
  }
}

TEST_F(Command, WarnsOfOptionsWithoutEffectOfWhatWasTaken) {
  const Outcome outcome =
      run("problem.yaml --set solver.restart=50 --set amg.cycle=W --set amg.over_correction=1.1 --json r");
  EXPECT_EQ(
      outcome.errors,
      "amgsolve: warning: 'amg.over_correction' is 1.1, which takes no effect here: it is for 'amg.cycle' V or F\n"
      "amgsolve: warning: 'solver.restart' is 50, which takes no effect here: it is for 'solver.method' gmres or "
      "fgmres\n");
  const std::string report = reference::bytes_of_file(directory_.path() / "r");
  EXPECT_NE(report.find("'solver.restart' is 50"), std::string::npos);
  EXPECT_EQ(run("problem.yaml --set solver.restart=50 --set amg.pre_sweeps=2 --set solver.method=fgmres").errors, "");
}

TEST_F(Command, WarnsAndComplainsWhereTheReportIsPrinted) {
  directory_.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 4\n1 1 1\n");
  const Outcome warned = run("A.mtx --json -");
  EXPECT_EQ(warned.exit_code, 0) << warned.errors;
  EXPECT_NE(warned.errors.find("amgsolve: warning: A.mtx:4: "), std::string::npos) << warned.errors;
  EXPECT_EQ(run("A.mtx --json - -q").errors, "");
  const Outcome failed = run("problem.yaml --json - --set solver.max_iterations=1 --set amg.coarse_size=1");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.errors.find("amgsolve: not converged"), std::string::npos) << failed.errors;
  EXPECT_EQ(failed.output.front(), '{');
}

TEST_F(Command, NoFileHasTheNumberOfAClosedDescriptor) {
  const Outcome outcome = run("problem.yaml -q --json /dev/fd/1", "out >&-");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.errors.find("it is open for reading only"), std::string::npos) << outcome.errors;
}

TEST_F(Command, NothingHangs) {
  ASSERT_EQ(std::system(("mkfifo '" + (directory_.path() / "pipe").string() + "'").c_str()), 0);
  directory_.write("comma.yaml", ",");
  directory_.write("sparse.yaml", "");
  std::filesystem::resize_file(directory_.path() / "sparse.yaml", std::uintmax_t{3} << 30);
  directory_.write("brackets.yaml", std::string(60'000, '['));
  directory_.write("braces.yaml", std::string(60'000, '{'));
  std::string dashes;
  std::string bomb = "a0: &a0 [0, 0]\n";
  for (int i = 1; i < 40; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + ", *a" +
            std::to_string(i - 1) + "]\n";
  }
  for (int i = 0; i < 20'000; ++i) {
    dashes += "- ";
  }
  directory_.write("bomb.yaml", bomb);
  directory_.write("dashes.yaml", dashes);
  directory_.write("grid_bomb.yaml", bomb + "problem: {generate: {grid: *a39}}\n");
  for (const char* arguments : {"/dev/zero", "/dev/random", "/dev/tty", "pipe", "comma.yaml", "sparse.yaml",
                                "brackets.yaml", "braces.yaml", "bomb.yaml", "dashes.yaml", "grid_bomb.yaml", ".",
                                "problem.yaml --set problem.generate.grid=,", "problem.yaml --set amg.smoother=,x"}) {
    const Outcome outcome = run(arguments, "out", "timeout 30 ");
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_NE(outcome.errors, "") << arguments;
    EXPECT_LT(outcome.errors.size(), 10'000U) << arguments;
  }
  directory_.write("device.yaml", "problem: {matrix: /dev/zero}\n");
  EXPECT_EQ(run("device.yaml").errors,
            "device.yaml:1:19: 'problem.matrix' is '/dev/zero', which cannot be read: it is a device, not a file\n");
  // A pipe that is written to is a file like any other.
  EXPECT_EQ(run("/dev/stdin < problem.yaml").exit_code, 0);
  const std::string piped = "sleep 0.1; cat problem.yaml) | " AMGSOLVE_COMMAND " /dev/stdin > out 2> err";
  EXPECT_EQ(std::system(("cd '" + directory_.path().string() + "' && (" + piped).c_str()), 0)
      << reference::bytes_of_file(directory_.path() / "err");
}

TEST_F(Command, DoesOneThingAtATime) {
  expect_usage_error("problem.yaml --analyse --dry-run", "amgsolve: --dry-run and --analyse do not go together" + hint);
  expect_usage_error("--list --explain solver.method", "amgsolve: --explain and --list do not go together" + hint);
}

TEST_F(Command, TakesTheProblemFromSettingsAlone) {
  EXPECT_EQ(run("--set problem.generate.grid=[8,8]").exit_code, 0);
  const Outcome wrong = run("--set problem.mesh=x.msh");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_FALSE(wrong.errors.starts_with(":")) << wrong.errors;
  const Outcome forgotten = run("solver.method=" + std::string(5000, 'x'));
  EXPECT_EQ(forgotten.exit_code, 2);
  EXPECT_NE(forgotten.errors.find("needs a --set of its own"), std::string::npos) << forgotten.errors;
}

TEST_F(Command, DryRunsReadAPipeOnce) {
  const std::string matrix =
      "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 3 2\n";
  directory_.write("A.mtx", matrix);
  directory_.write("piped.yaml", "problem: {matrix: /dev/stdin}\n");
  directory_.write("relative.yaml", "problem: {matrix: A.mtx}\n");
  for (const char* place : {"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}) {
    EXPECT_EQ(run(place + std::string(" -q < relative.yaml")).exit_code, 0) << "beside which A.mtx is not";
  }
  const std::string piped = "cat A.mtx | " AMGSOLVE_COMMAND " piped.yaml --dry-run > out 2> err";
  EXPECT_EQ(std::system(("cd '" + directory_.path().string() + "' && " + piped).c_str()), 0)
      << reference::bytes_of_file(directory_.path() / "err");
}

TEST_F(Command, OutputsOverAMatrixAreRefusedOnce) {
  directory_.write("A0.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 2\n");
  EXPECT_EQ(run("A0.mtx --json A0.mtx").errors,
            "--json A0.mtx: 'output.report' is 'A0.mtx', which is the problem file itself\n");
  const std::string over = run("A0.mtx --write-hierarchy .").errors;
  EXPECT_EQ(std::ranges::count(over, '\n'), 1) << over;
}

TEST_F(Command, OutputsThatAreOneFileAreRefused) {
  std::filesystem::create_symlink("x.npy", directory_.path() / "link");
  EXPECT_EQ(run("problem.yaml --json link --set output.solution=x.npy").exit_code, 2);
  EXPECT_EQ(run("problem.yaml --json levels --write-hierarchy levels").exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "levels"));
  for (const char* outputs : {"--json - --report /dev/stdout", "--json /dev/stdout --report /dev/fd/1"}) {
    const Outcome outcome = run("problem.yaml -q " + std::string(outputs));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.output, "");
    EXPECT_NE(outcome.errors.find("where 'output.report' is written, too"), std::string::npos) << outcome.errors;
  }
  std::filesystem::create_symlink("circle", directory_.path() / "circle");
  EXPECT_EQ(run("problem.yaml --json circle").exit_code, 2);
}

TEST_F(Command, OutputThatCannotBeWrittenExitsWithThree) {
  const Outcome outcome = run("--list", "/dev/full");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.errors, "amgsolve: cannot write to the standard output: No space left on device\n");
}

TEST_F(Command, FullDisksExitWithThree) {
  EXPECT_EQ(run("problem.yaml", "/dev/full").exit_code, 3);
  const Outcome outcome = run("problem.yaml -q --json /dev/full");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.errors, "amgsolve: /dev/full: cannot write: No space left on device\n");
}

TEST_F(Command, AppendsToTheFileThatItsStandardOutputIs) {
  directory_.write("log", "precious\n");
  EXPECT_EQ(run("problem.yaml -q --json /dev/stdout", "/dev/null >> log").exit_code, 0);
  const std::string log = reference::bytes_of_file(directory_.path() / "log");
  EXPECT_TRUE(log.starts_with("precious\n{")) << log.substr(0, 100);
  EXPECT_NE(log.find("\"converged\""), std::string::npos);
}

TEST_F(Command, SaysThatTheWorkingDirectoryIsGone) {
  const std::string path = directory_.path().string();
  const auto run_there = [&](const std::string& arguments) {
    const int status =
        std::system(("cd '" + path + "' && mkdir gone && cd gone && rmdir ../gone && " AMGSOLVE_COMMAND " '" + path +
                     "/problem.yaml' -q --json r.json " + arguments + "> '" + path + "/out' 2> '" + path + "/err'")
                        .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(run_there("--print-config "), 0) << reference::bytes_of_file(directory_.path() / "err");
  EXPECT_THAT(reference::bytes_of_file(directory_.path() / "out"), testing::HasSubstr("report: r.json\n"));
  EXPECT_EQ(run_there(""), 3);
  EXPECT_EQ(reference::bytes_of_file(directory_.path() / "err"),
            "amgsolve: r.json: cannot write: the working directory is gone\n");
}

/// As a disk that is full after a part of the report was written.
TEST_F(Command, FilesThatGetTooLargeExitWithThreeAndLeaveNothing) {
  if (!AMGSOLVE_HAS_LIMITS) {
    GTEST_SKIP() << "ThreadSanitizer maps a file of its own";
  }
  const std::string path = directory_.path().string();
  const int status = std::system(
      ("cd '" + path + "' && ulimit -f 1 && " AMGSOLVE_COMMAND " problem.yaml -q --json r.json 2> err").c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(reference::bytes_of_file(directory_.path() / "err"), "amgsolve: r.json: cannot write: File too large\n");
  EXPECT_EQ(directory_.entries(), 2u) << "the problem and the errors";
  const Outcome levels = run("problem.yaml -q --write-hierarchy levels", "/dev/null", "ulimit -f 1 && ");
  EXPECT_EQ(levels.exit_code, 3);
  EXPECT_EQ(levels.errors, "amgsolve: levels/A0.mtx: cannot write: File too large\n");
  EXPECT_EQ(directory_.entries(), 2u) << "and no directory";
}

TEST_F(Command, DryRunsSolveNothing) {
  const Outcome outcome = run("problem.yaml --dry-run --set output.solution=x.npy");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("Forecast of memory"), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find("converged"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "x.npy"));
  const Outcome report = run("problem.yaml --dry-run --json -");
  EXPECT_EQ(report.output.front(), '{');
  EXPECT_NE(report.output.find("\"peak_bytes\""), std::string::npos);
  EXPECT_EQ(run("problem.yaml --dry-run --set solver.memory_limit=1000").exit_code, 4);
}

TEST_F(Command, AnalysesSolveNothing) {
  const Outcome outcome = run("problem.yaml --analyse --set output.solution=x.npy");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("Analysis: nothing is solved"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("Nothing asks for other choices."), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find("converged"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "x.npy"));
  const Outcome report = run("problem.yaml --analyse --json -");
  EXPECT_EQ(report.output.front(), '{');
  EXPECT_NE(report.output.find("\"largest_ritz_value\""), std::string::npos);
  const std::string unread = "problem.yaml --analyse --set problem.generate.grid=[300,300] | true";
  EXPECT_EQ(std::system(("bash -c 'set -o pipefail; cd " + directory_.path().string() + "; " AMGSOLVE_COMMAND " " +
                         unread + "; test ${PIPESTATUS[0]} = 7'")
                            .c_str()),
            0);
  // What b is does not matter, nor is it read.
  directory_.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 4\n");
  directory_.write("A_b.mtx", "nothing of the kind\n");
  const Outcome alone = run("A.mtx --analyse");
  EXPECT_EQ(alone.exit_code, 0) << alone.errors;
  EXPECT_NE(alone.output.find("A.mtx: 2 rows, 2 nonzeros\n"), std::string::npos) << alone.output;
  EXPECT_EQ(run("A.mtx").exit_code, 3);
  // Less than a solve of so many unknowns takes, but enough for a look at the matrix.
  const std::string tight = " --set problem.generate.grid=[500,500] --set solver.memory_limit=55000000";
  EXPECT_EQ(run("problem.yaml" + tight).exit_code, 4);
  EXPECT_EQ(run("problem.yaml --analyse" + tight).exit_code, 0);
  EXPECT_NE(run("problem.yaml --analyse --set problem.generate.grid=[900,900] --set solver.memory_limit=70000000")
                .errors.find("needed for an analysis"),
            std::string::npos);
  EXPECT_NE(run("problem.yaml --verbose").output.find("Matrix: symmetric"), std::string::npos);
}

/// As the kernel's limits would end it otherwise.
TEST_F(Command, LimitsOfTheProcessAreKnownBeforehand) {
  if (!AMGSOLVE_HAS_LIMITS) {
    GTEST_SKIP() << "a sanitizer takes more for itself";
  }
  const std::string path = directory_.path().string();
  const int status = std::system(("cd '" + path +
                                  "' && ulimit -d 244000 && " AMGSOLVE_COMMAND
                                  " problem.yaml --set problem.generate.grid=[100,100,100] --set solver.backend=host "
                                  "--threads 2 2> err > out")
                                     .c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 4);
  const std::string errors = reference::bytes_of_file(directory_.path() / "err");
  EXPECT_NE(errors.find("MB available: the limit on the data of a process (ulimit -d); what would fit: some "),
            std::string::npos)
      << errors;
}

TEST_F(Command, SolvesAndSaysWhetherItConverged) {
  EXPECT_EQ(run("problem.yaml --json report.json").exit_code, 0);
  EXPECT_FALSE(reference::bytes_of_file(directory_.path() / "report.json").empty());
  EXPECT_EQ(
      run("problem.yaml --set solver.max_iterations=1 --set amg.coarse_size=1 --set solver.tolerance=1e-14").exit_code,
      1);
}

// In process, with a job that only looks.
int run_with(std::vector<const char*> arguments, const Job& job) {
  arguments.insert(arguments.begin(), "amgsolve");
  return run_command_line(static_cast<int>(arguments.size()), arguments.data(), job);
}

TEST(CommandLine, WaitsForAStandardOutputThatDoesNot) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
  const int standard_output = ::dup(STDOUT_FILENO);
  ::dup2(ends[1], STDOUT_FILENO);
  const std::string text(std::size_t{1} << 20, 'x');
  std::size_t received = 0;
  std::thread reader([&] {
    std::string piece(std::size_t{1} << 16, '\0');
    pollfd there{.fd = ends[0], .events = POLLIN, .revents = 0};
    while (received < text.size() && ::poll(&there, 1, 10'000) > 0) {
      received += static_cast<std::size_t>(std::max(::read(ends[0], piece.data(), piece.size()), ssize_t{0}));
    }
  });
  EXPECT_NO_THROW(EXPECT_TRUE(write_standard_output(text)));
  ::dup2(standard_output, STDOUT_FILENO);
  reader.join();
  EXPECT_EQ(received, text.size());
  for (const int descriptor : {standard_output, ends[0], ends[1]}) {
    ::close(descriptor);
  }
}

TEST(CommandLine, HandsTheConfigurationToTheJob) {
  const reference::TemporaryDirectory directory;
  const std::string file = directory.write("problem.yaml", "problem: {generate: {grid: [8, 8]}}\n").string();
  const Job job = [](const JobConfiguration& configuration, const Schema& schema, Verbosity verbosity, Task task) {
    EXPECT_EQ(task, Task::solve);
    EXPECT_EQ(configuration.threads, 3);
    EXPECT_EQ(configuration.solver.tolerance, 1e-4);
    EXPECT_EQ(configuration.output.report, "r.json");
    EXPECT_EQ(schema.find("solver.threads")->get(), Value(std::int64_t{3}));
    EXPECT_EQ(verbosity, Verbosity::quiet);
    return 42;
  };
  EXPECT_EQ(run_with({"--threads", "3", "--set", "solver.tolerance=1e-4", file.c_str(), "--json=r.json", "-q"}, job),
            42);
}

TEST(CommandLine, ExitCodesOfErrors) {
  const auto code = [](auto error) { return guard([&]() -> int { throw error; }); };
  EXPECT_EQ(code(ConfigurationError("x")), 2);
  EXPECT_EQ(code(InputError("x")), 3);
  EXPECT_EQ(code(OutputError("x")), 3);
  EXPECT_EQ(code(OutOfMemoryError("setup", "host", 2, 1)), 4);
  EXPECT_EQ(code(std::bad_alloc()), 4);
  EXPECT_EQ(code(BreakdownError("x")), 5);
  EXPECT_EQ(code(DeviceError("x")), 6);
  EXPECT_EQ(code(std::logic_error("x")), 70);
  EXPECT_EQ(code(1), 70);
  EXPECT_EQ(guard([] { return 1; }), 1);
}

TEST(CommandLine, AnUnexpectedExceptionIsAnInternalError) {
  const reference::TemporaryDirectory directory;
  const std::string file = directory.write("problem.yaml", "problem: {generate: {grid: [8, 8]}}\n").string();
  testing::internal::CaptureStderr();
  const Job job = [](const auto&, const auto&, auto, auto) -> int { throw std::logic_error("sizes"); };
  EXPECT_EQ(run_with({file.c_str()}, job), 70);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "amgsolve: internal error: sizes\n");
}

}  // namespace
}  // namespace amgsolve
