#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/library/schema.hpp"

namespace amgsolve {

/// A slip of the pen in a problem file.
struct YamlSlip {
  int line = 0;    ///< counted from 1, as the column
  int column = 0;  ///< in bytes
  std::string what;
};

/// The first of the slips that have YAML read a text otherwise than it is meant, and complain of something else or
/// elsewhere: no blank after the colon of a key, a quote that its line does not close, an indentation that is that of
/// no line around. Of a text in which something is wrong: what is right may look so, too.
std::optional<YamlSlip> find_yaml_slip(std::string_view text, const Schema& schema);

}  // namespace amgsolve
