#pragma once

#include <span>
#include <string_view>

/// Problems that stand for a file, `amgsolve --preset poisson-3d`.
namespace amgsolve {

struct Preset {
  struct Setting {
    std::string_view key;
    std::string_view value;  ///< as problem.yaml spells it
  };

  std::string_view name;
  std::string_view help;  ///< one line
  std::span<const Setting> settings;
};

std::span<const Preset> presets();

/// Throws ConfigurationError where there is none of this name, naming those there are.
const Preset& preset(std::string_view name);

}  // namespace amgsolve
