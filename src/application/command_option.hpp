#pragma once

#include <string>
#include <vector>

namespace amgsolve {

/// An option of the command, as its help, its manual page and the shells' completions tell of it.
struct CommandOption {
  std::string long_name;   ///< "set" of --set
  std::string short_name;  ///< "q" of -q; empty: none
  std::string
      argument;  ///< FILE, DIR, KEY, KEY=VALUE, N, PRESET, SHELL, BACKEND: shells complete what it says; empty: a flag
  std::string help;  ///< one line
};

using CommandOptions = std::vector<CommandOption>;

/// What the command does beside solving: `amgsolve compare a.json b.json`.
struct Subcommand {
  std::string name;
  std::string help;  ///< one line
  bool takes_files;
  CommandOptions options;
};

/// All that may stand on the command line.
struct CommandDescription {
  CommandOptions options;  ///< of solving
  std::vector<Subcommand> subcommands;
};

}  // namespace amgsolve
