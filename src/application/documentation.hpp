#pragma once

#include <string>
#include <string_view>

#include "src/library/schema.hpp"

/// What people read about the keys, all of it from the schema.
namespace amgsolve {

/// A key's values with their unit, and its default, in words.
std::string describe_values(const SchemaEntry& entry);
std::string describe_default(const SchemaEntry& entry);

/// Values, default and meaning of a key, or of all keys in a section. Throws ConfigurationError where there is neither,
/// naming the nearest.
std::string explain(const Schema& schema, std::string_view key);

/// The presets, and every key that takes one of several words, with the words.
std::string list_choices(const Schema& schema);

/// The text of docs/configuration.md.
std::string configuration_reference(const Schema& schema);

}  // namespace amgsolve
