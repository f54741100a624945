#pragma once

#include <amgsolve/amgsolve.hpp>

#include "src/library/schema.hpp"

namespace amgsolve {

/// What the public Options hide. Not copied: the schema refers to the configuration beside it.
struct Options::State {
  Configuration configuration;
  Schema schema{library_entries(configuration)};

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Of options. Throws std::invalid_argument where they were moved from.
  static State& of(const Options& options);

  /// Throws std::invalid_argument where there is no such key.
  const SchemaEntry& entry(std::string_view key) const;
};

}  // namespace amgsolve
