#include "bench/command_line.hpp"

#include <CLI/CLI.hpp>
#include <amgsolve/amgsolve.hpp>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <type_traits>

namespace amgsolve::bench {
namespace {

template <class T>
CLI::Option* add_to(CLI::App& app, const std::string& name, T& value, const std::string& help) {
  if constexpr (std::is_same_v<T, bool>) {
    return app.add_flag(name, value, help);
  } else {
    CLI::Option* option = app.add_option(name, value, help);
    if constexpr (!std::is_same_v<T, std::optional<std::int64_t>>) {
      option->capture_default_str();
    }
    if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
      option->delimiter(',');
    }
    return option;
  }
}

}  // namespace

CommandLine::CommandLine(const std::string& description) : app_(std::make_unique<CLI::App>(description)) {}

CommandLine::~CommandLine() = default;

template <class T>
void CommandLine::add(const std::string& name, T& value, const std::string& help,
                      const std::vector<std::string>& choices) {
  CLI::Option* option = add_to(*app_, name, value, help);
  if (!choices.empty()) {
    option->check(CLI::IsMember(choices));
  }
}

template <class T>
void CommandLine::add_positive(const std::string& name, T& value, const std::string& help) {
  add_to(*app_, name, value, help)->check([](const std::string& text) {
    return std::strtod(text.c_str(), nullptr) > 0.0 ? std::string() : text + " is not above zero";
  });
}

bool CommandLine::has(const std::string& name) const { return app_->count(name) > 0; }

bool CommandLine::read(int argc, char** argv, int& exit_code) {
  try {
    app_->parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    exit_code = app_->exit(error) == 0 ? 0 : static_cast<int>(Status::bad_configuration);
    return false;
  }
}

#define AMGSOLVE_INSTANTIATE(T) \
  template void CommandLine::add(const std::string&, T&, const std::string&, const std::vector<std::string>&)
AMGSOLVE_INSTANTIATE(bool);
AMGSOLVE_INSTANTIATE(int);
AMGSOLVE_INSTANTIATE(double);
AMGSOLVE_INSTANTIATE(std::string);
AMGSOLVE_INSTANTIATE(std::optional<std::int64_t>);
AMGSOLVE_INSTANTIATE(std::vector<std::string>);
AMGSOLVE_INSTANTIATE(std::vector<std::int64_t>);

template void CommandLine::add_positive(const std::string&, int&, const std::string&);
template void CommandLine::add_positive(const std::string&, double&, const std::string&);
template void CommandLine::add_positive(const std::string&, std::vector<int>&, const std::string&);
template void CommandLine::add_positive(const std::string&, std::vector<std::int64_t>&, const std::string&);

}  // namespace amgsolve::bench
