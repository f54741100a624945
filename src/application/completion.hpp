#pragma once

#include <array>
#include <string>
#include <string_view>

#include "src/application/command_option.hpp"
#include "src/library/schema.hpp"

namespace amgsolve {

inline constexpr std::array<std::string_view, 3> completion_shells{"bash", "zsh", "fish"};

/// A script that has a shell complete the command: subcommands with their options, files, presets, the keys of --set
/// and
/// --explain, and the words that a key takes.
/// @param shell  one of completion_shells. Throws ConfigurationError where it is another.
std::string completion(std::string_view shell, const CommandDescription& command, const Schema& schema);

}  // namespace amgsolve
