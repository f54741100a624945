#pragma once

#include <string>

#include "src/library/schema.hpp"

namespace amgsolve {

/// A JSON schema of problem.yaml (draft 2020-12), by which editors complete and check it: every key, nested or dotted,
/// with its values, default and meaning.
std::string json_schema(const Schema& schema);

}  // namespace amgsolve
