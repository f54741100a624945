#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/application/exit_code.hpp"

namespace CLI {
class App;
}

namespace amgsolve::bench {

/// The command line of a benchmark, read by CLI11, whose templates take a compiler ten seconds and are therefore
/// instantiated in one place for all benchmarks.
class CommandLine {
 public:
  /// @param description  what --help says of the program
  explicit CommandLine(const std::string& description);
  ~CommandLine();
  CommandLine(CommandLine&&) = delete;

  /// Adds an option that sets `value`, whose value until then is the default; without dashes an argument. A vector
  /// takes several values, a bool none. T: bool, std::string, int, double, std::optional<std::int64_t>, or a vector of
  /// std::string, int or std::int64_t.
  /// @param choices  the values that are taken; none: all
  template <class T>
  void add(const std::string& name, T& value, const std::string& help, const std::vector<std::string>& choices = {});

  /// Adds an option whose values are above zero. T: int, double, or a vector of int or std::int64_t.
  template <class T>
  void add_positive(const std::string& name, T& value, const std::string& help);

  /// Whether the command line that was read has the option.
  bool has(const std::string& name) const;

  /// Reads the command line, then runs the body. Returns the exit code: that of what the body throws, which is printed,
  /// as are help and what is wrong with the command line, a ConfigurationError's.
  template <class Body>
  int run(int argc, char** argv, Body&& body) {
    int exit_code = 0;
    if (!read(argc, argv, exit_code)) {
      return exit_code;
    }
    return guard([&] {
      body();
      return 0;
    });
  }

 private:
  bool read(int argc, char** argv, int& exit_code);

  std::unique_ptr<CLI::App> app_;
};

}  // namespace amgsolve::bench
