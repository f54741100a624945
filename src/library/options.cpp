#include <stdexcept>
#include <utility>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "src/library/options_state.hpp"

namespace amgsolve {

Options::State& Options::State::of(const Options& options) {
  if (!options.state_) {
    throw std::invalid_argument("the options were moved from, and can only be assigned to");
  }
  return *options.state_;
}

const SchemaEntry& Options::State::entry(std::string_view key) const {
  const SchemaEntry* found = schema.find(key);
  if (found == nullptr) {
    throw std::invalid_argument(schema.describe_unknown("", key));
  }
  return *found;
}

Options::Options() : state_(std::make_unique<State>()) {}
Options::Options(const Options& other) : Options() { state_->configuration = State::of(other).configuration; }
Options::Options(Options&& other) noexcept = default;
Options::~Options() = default;

Options& Options::operator=(Options other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Options& Options::set(std::string_view key, std::string_view value) {
  const SchemaEntry& entry = State::of(*this).entry(key);
  try {
    entry.set(entry.parse(value));
  } catch (const ConfigurationError& error) {
    throw std::invalid_argument(error.what());
  }
  return *this;
}

Options& Options::set_real(std::string_view key, double value) { return set(key, format_text("{}", value)); }

std::string Options::get(std::string_view key) const { return format(State::of(*this).entry(key).get()); }

std::vector<std::string> Options::keys() {
  const State state;
  std::vector<std::string> result;
  for (const SchemaEntry& entry : state.schema.entries()) {
    result.emplace_back(entry.key);
  }
  return result;
}

}  // namespace amgsolve
