#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "problems/zip_archive.hpp"
#include "src/application/command_line.hpp"
#include "src/application/job.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

namespace fs = std::filesystem;

/// A block of malformed_inputs.txt, which says what its lines mean.
struct MalformedInput {
  int line = 0;  ///< of the block's first one
  std::string kind;
  std::vector<std::string> arguments;
  std::string text;
  int exit_code = 0;
  std::string message;
};

std::string unescaped(std::string_view line) {
  std::string result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      result += line[i];
    } else if (line[++i] == 'x') {
      int byte = 0;
      std::from_chars(line.data() + i + 1, line.data() + i + 3, byte, 16);
      result += static_cast<char>(byte);
      i += 2;
    } else if (line[i] == 'c') {
      return result;
    } else {
      result += line[i];
    }
  }
  return result + '\n';
}

std::vector<MalformedInput> read_table(const fs::path& file) {
  std::vector<MalformedInput> table;
  std::istringstream stream(reference::bytes_of_file(file));
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    std::istringstream words(line.substr(std::min<std::size_t>(line.size(), 2)));
    if (line.starts_with("#:")) {
      MalformedInput& input = table.emplace_back();
      input.line = number;
      words >> input.kind;
      for (std::string word; words >> word;) {
        input.arguments.push_back(word);
      }
    } else if (line.starts_with("#>")) {
      words >> table.back().exit_code >> std::ws;
      std::getline(words, table.back().message);
    } else if (!line.starts_with("##")) {
      table.back().text += unescaped(line);
    }
  }
  return table;
}

class MalformedInputs : public testing::Test {
 protected:
  MalformedInputs() { fs::current_path(directory_.path()); }
  ~MalformedInputs() override { fs::current_path(before_); }

  /// Runs the command on a block as its kind says; returns the exit code, and what it prints: outcomes of solves go to
  /// the standard output, all else that is wrong to the standard error.
  std::pair<int, std::string> run(const MalformedInput& input) const {
    std::vector<std::string> arguments{"amgsolve"};
    directory_.write("A.mtx", good_matrix);
    directory_.write("M.txt", good_mesh);
    if (input.kind == "mesh") {
      arguments.emplace_back("p.yaml");
      directory_.write("m.txt", input.text);
      directory_.write("p.yaml", "problem: {mesh: m.txt, generate: {fixed: {boundary: 0}, source: {domain: 1}}}\n");
    } else if (input.kind != "none") {
      arguments.emplace_back("p.yaml");
      const bool is_vector = input.kind != "yaml" && input.kind != "matrix";
      directory_.write(input.kind == "yaml" ? "p.yaml" : is_vector ? "v.mtx" : "B.mtx", input.text);
      if (input.kind != "yaml") {
        directory_.write("p.yaml", is_vector ? "problem: {matrix: A.mtx, " + input.kind + ": v.mtx}\n"
                                             : "problem: {matrix: B.mtx}\n");
      }
    }
    arguments.insert(arguments.end(), input.arguments.begin(), input.arguments.end());
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) {
      argv.push_back(argument.c_str());
    }
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int exit_code =
        run_command_line(static_cast<int>(argv.size()), argv.data(),
                         [](const JobConfiguration& configuration, const Schema& schema, Verbosity verbosity, Task) {
                           return run_job(configuration, schema, verbosity);
                         });
    const std::string output = testing::internal::GetCapturedStdout();
    const std::string errors = testing::internal::GetCapturedStderr();
    return {exit_code, exit_code == 1 || exit_code == 5 ? output + errors : errors};
  }

  static constexpr std::string_view good_matrix =
      "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2\n2 2 2\n3 3 2\n";

  // Four triangles around a node.
  static constexpr std::string_view good_mesh = "5 2 4 3\n0 0\n1 0\n1 1\n0 1\n.5 .5\n0 1 4\n1 2 4\n2 3 4\n3 0 4\n";

  fs::path before_ = fs::current_path();
  reference::TemporaryDirectory directory_;
};

TEST_F(MalformedInputs, EndInTheirExitCodeAndSayWhatIsWrongWhere) {
  const std::vector<MalformedInput> table = read_table(AMGSOLVE_SOURCE_DIR "/tests/src/malformed_inputs.txt");
  EXPECT_GE(table.size(), 300U);
  for (const MalformedInput& input : table) {
    SCOPED_TRACE("malformed_inputs.txt:" + std::to_string(input.line));
    ASSERT_FALSE(input.message.empty());
    const bool is_readable = (AMGSOLVE_HAVE_LZMA || !input.text.starts_with("\xfd"
                                                                            "7zXZ")) &&
                             (ZipArchive::is_available() || !input.text.starts_with("PK"));
    if (!is_readable) {
      continue;
    }
    const auto [exit_code, printed] = run(input);
    EXPECT_EQ(exit_code, input.exit_code) << printed;
    EXPECT_THAT(printed, testing::HasSubstr(input.message));
  }
}

}  // namespace
}  // namespace amgsolve
