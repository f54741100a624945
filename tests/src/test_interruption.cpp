#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "src/application/html_report.hpp"
#include "tests/src/job_fixture.hpp"

namespace amgsolve {
namespace {

using testing::HasSubstr;

class Interruption : public JobFixture {};

TEST_F(Interruption, EndsWhereverItIsAskedToAndReports) {
  configuration_.output.solution = file("x.npy");
  int left = 0;
  int with_result = 0;
  for (int asked = 0;; asked += 3) {
    left = asked;
    const int exit_code = run(Verbosity::normal, [&left] { return left-- == 0; });
    const nlohmann::json report = this->report();
    if (exit_code == 0) {
      EXPECT_EQ(report["status"], "converged");
      break;
    }
    ASSERT_EQ(exit_code, 7) << errors_;
    ASSERT_EQ(report["status"], "interrupted");
    ASSERT_THAT(report["message"].get<std::string>(), HasSubstr("interrupted"));
    if (report["iterations"].is_null()) {
      ASSERT_THAT(errors_, HasSubstr("amgsolve: interrupted "));
    } else {
      ++with_result;
      ASSERT_THAT(output_, HasSubstr("true relative residual"));
    }
    ASSERT_EQ(output_.find("Time\n") != std::string::npos, !report["phases"].empty());
    const bool has_found = !report["iterations"].is_null() && report["iterations"] > 0;
    ASSERT_EQ(std::filesystem::remove(file("x.npy")), has_found);
    ASSERT_EQ(directory_.entries(), 1u) << "the report";
  }
  EXPECT_GT(with_result, 10);
}

TEST_F(Interruption, ReadingIsInterrupted) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n";
  solve_matrix(text);
  int left = 0;
  std::string message;
  for (int asked = 0; message.find("setup") == std::string::npos; ++asked) {
    left = asked;
    ASSERT_EQ(run(Verbosity::normal, [&left] { return left-- == 0; }), 7);
    message += report()["message"].get<std::string>();
  }
  EXPECT_THAT(message, HasSubstr("interrupted in read > load"));
  EXPECT_THAT(message, HasSubstr("interrupted in read > parse"));
}

// What may not fit is measured on copies, which are solved for the length of GMRES, before anything is allocated.
TEST_F(Interruption, MeasuringCopiesIsInterrupted) {
  configuration_.threads = 1;
  configuration_.problem.generate.grid = reference::grid({250, 250});
  configuration_.solver.method = Method::gmres;
  configuration_.solver.max_iterations = 5;  // no x is good enough to count
  configuration_.memory_limit = 1'000'000;
  int asked = 0;
  ASSERT_EQ(run(Verbosity::normal, [&] { return ++asked < 0; }), 4);
  const int all = asked;
  ASSERT_GT(all, 100);
  for (int left = 1; left < all; left *= 3) {
    asked = 0;
    EXPECT_EQ(run(Verbosity::normal, [&] { return ++asked == all - left; }), 7) << left << " of " << all;
    EXPECT_EQ(report()["memory"]["peak_bytes"], 0);
  }
}

/// The built command as a process.
class Process {
 public:
  /// @param output  where its standard output goes; a pipe to read from else
  Process(const std::filesystem::path& directory, std::vector<std::string> arguments, int output = -1) {
    int pipe_ends[2];
    EXPECT_EQ(::pipe2(pipe_ends, O_CLOEXEC), 0);
    arguments.insert(arguments.begin(), AMGSOLVE_PROGRAM);
    std::vector<char*> raw;
    for (std::string& argument : arguments) {
      raw.push_back(argument.data());
    }
    raw.push_back(nullptr);
    const std::string errors = directory / "err";
    id_ = ::fork();
    if (id_ == 0) {
      for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) {
        ::signal(signal, SIG_DFL);
      }
      ::dup2(output < 0 ? pipe_ends[1] : output, STDOUT_FILENO);
      ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
      const bool there = ::chdir(directory.c_str()) == 0;
      if (there) {
        ::execv(raw[0], raw.data());
      }
      ::_exit(127);
    }
    ::close(pipe_ends[1]);
    output_ = pipe_ends[0];
  }
  ~Process() { ::close(output_); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void kill(int signal) const { ::kill(id_, signal); }

  /// Reads its output until there is the text.
  void read_until(const std::string& text) {
    char byte = 0;
    while (text_.find(text) == std::string::npos && ::read(output_, &byte, 1) == 1) {
      text_ += byte;
    }
  }

  /// Its wait status, after all of its output.
  int wait() {
    read_until("never printed");
    int status = 0;
    ::waitpid(id_, &status, 0);
    return status;
  }

  const std::string& text() const { return text_; }

 private:
  pid_t id_ = -1;
  int output_ = -1;
  std::string text_;
};

class InterruptedCommand : public testing::Test {
 protected:
  // Takes far more than what a signal may.
  InterruptedCommand() {
    directory_.write("long.yaml",
                     "problem: {generate: {grid: [300, 300]}}\n"
                     "solver: {tolerance: 1e-30, stopping: strict, method: amg, max_iterations: 1000000}\n"
                     "amg: {smoother: {degree: 100}, pre_sweeps: 50, post_sweeps: 50}\n"
                     "output: {report: report.json, solution: x.mtx}\n");
    directory_.write("short.yaml", "problem: {generate: {grid: [30, 30]}}\n");
  }

  nlohmann::json report() const {
    return nlohmann::json::parse(reference::bytes_of_file(directory_.path() / "report.json"));
  }
  std::string errors() const { return reference::bytes_of_file(directory_.path() / "err"); }

  reference::TemporaryDirectory directory_;
};

TEST_F(InterruptedCommand, EndsBySignalWithTablesReportAndExitCode) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Process process(directory_.path(), {"long.yaml"});
    process.read_until("Hierarchy");
    process.kill(signal);
    const int status = process.wait();
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 7) << process.text() << errors();
    EXPECT_THAT(process.text(), HasSubstr("Time\n"));
    EXPECT_EQ(report()["status"], "interrupted");
    EXPECT_EQ(directory_.entries(), 4u) << "two problems, the report, the errors";
  }
}

TEST_F(InterruptedCommand, WritesWhatTheSolveHasFound) {
  // Short iterations, of which hundreds of thousands would not be enough.
  Process process(directory_.path(), {"long.yaml", "--set", "amg.max_levels=1", "--set", "amg.smoother.type=jacobi",
                                      "--set", "amg.smoother.damping=0.001", "--set", "amg.pre_sweeps=1", "--set",
                                      "amg.post_sweeps=1", "--set", "output.solution=x.npy"});
  process.read_until("Hierarchy");
  std::this_thread::sleep_for(std::chrono::seconds(1));
  process.kill(SIGINT);
  EXPECT_EQ(WEXITSTATUS(process.wait()), 7) << errors();
  EXPECT_GT(report()["iterations"], 0);
  EXPECT_EQ(std::filesystem::file_size(directory_.path() / "x.npy"), 128 + 90000 * sizeof(double));
}

// A page wants to know how fast the machine is, which takes seconds after a solve that took none.
TEST_F(InterruptedCommand, ASignalBehindTheSolveLosesNothingOfIt) {
  directory_.write("short.yaml",
                   "problem: {generate: {grid: [12, 12]}}\nsolver: {backend: host}\n"
                   "output: {report: report.json, html: page.html, solution: x.npy}\n");
  if (!has_html_report()) {
    GTEST_SKIP() << "this build makes no pages";
  }
  Process process(directory_.path(), {"short.yaml"});
  process.read_until("iterations of");
  process.kill(SIGTERM);
  const int status = process.wait();
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << process.text() << errors();
  EXPECT_EQ(report()["status"], "converged");
  EXPECT_TRUE(std::filesystem::exists(directory_.path() / "x.npy"));
  EXPECT_TRUE(std::filesystem::exists(directory_.path() / "page.html"));
}

// An iteration takes minutes; loops of one thread that are whole do not ask by themselves.
TEST_F(InterruptedCommand, EndsWithinAnIterationOnAnyNumberOfThreads) {
  for (const char* threads : {"1", "2"}) {
    Process process(directory_.path(), {"long.yaml", "--threads", threads, "--set", "amg.pre_sweeps=1000"});
    process.read_until("Hierarchy");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const auto begin = std::chrono::steady_clock::now();
    process.kill(SIGTERM);
    EXPECT_EQ(WEXITSTATUS(process.wait()), 7) << errors();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << threads;
  }
}

TEST_F(InterruptedCommand, ASecondSignalKillsAtOnce) {
  Process process(directory_.path(), {"long.yaml"});
  process.read_until("Hierarchy");
  process.kill(SIGSTOP);
  process.kill(SIGINT);
  process.kill(SIGTERM);
  process.kill(SIGCONT);
  const int status = process.wait();
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(directory_.entries(), 3u) << "two problems, the errors";
}

TEST_F(InterruptedCommand, ConvertingEndsBySignalWithAnExitCode) {
  const std::string pipe = directory_.path() / "pipe.mtx";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  const int writer = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  Process process(directory_.path(), {"convert", "pipe.mtx", "A.amg"});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  process.kill(SIGINT);
  const int status = process.wait();
  ::close(writer);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(errors(), "amgsolve: interrupted in read > load\n");
}

TEST_F(InterruptedCommand, APipeIsWaitedForWhereSomebodyHasItOpen) {
  const std::string pipe = directory_.path() / "pipe.mtx";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  directory_.write("piped.yaml", "{problem: {matrix: pipe.mtx}, output: {report: report.json}}\n");
  {
    Process process(directory_.path(), {"piped.yaml"});
    EXPECT_EQ(WEXITSTATUS(process.wait()), 3);
    EXPECT_THAT(errors(), HasSubstr("pipe.mtx: cannot read: nobody writes to this pipe"));
  }
  const int writer = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  Process process(directory_.path(), {"piped.yaml"});
  process.read_until("\n");
  process.kill(SIGTERM);
  EXPECT_EQ(WEXITSTATUS(process.wait()), 7) << errors();
  EXPECT_EQ(report()["status"], "interrupted");
  ::close(writer);
}

TEST_F(InterruptedCommand, AReaderThatLeftEndsItQuietly) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  Process alone(directory_.path(),
                {"long.yaml", "--set", "output.report=", "--set", "output.solution=", "--set", "solver.tolerance=1e-8"},
                ends[1]);
  const int status = alone.wait();
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(errors(), "");

  Process reporting(directory_.path(), {"short.yaml", "--json", "report.json"}, ends[1]);
  const int reported = reporting.wait();
  EXPECT_TRUE(WIFEXITED(reported));
  EXPECT_EQ(WEXITSTATUS(reported), 0);
  EXPECT_EQ(errors(), "");
  EXPECT_EQ(report()["status"], "converged") << "who asked for a report gets it whole";

  Process undelivered(directory_.path(), {"short.yaml", "--json", "-"}, ends[1]);
  EXPECT_EQ(WEXITSTATUS(undelivered.wait()), 3);
  EXPECT_EQ(errors(), "amgsolve: cannot write to the standard output: Broken pipe\n");
  ::close(ends[1]);
}

}  // namespace
}  // namespace amgsolve
