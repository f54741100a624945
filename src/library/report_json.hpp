#pragma once

#include <span>
#include <string>

#include "src/library/json.hpp"
#include "src/library/report.hpp"
#include "src/library/schema.hpp"

/// Reports as JSON; docs/report.md describes every key.
namespace amgsolve {

/// Counts changes that a reader of earlier reports would trip over; a key that is new is none.
inline constexpr int report_schema_version = 1;

/// A value of the schema.
Json value_json(const Value& value);

/// A configuration nested by the dots of its keys.
Json configuration_json(std::span<const SchemaEntry* const> entries);

/// The report with all keys, null where there is nothing to tell.
/// @param problem        what was solved, as the caller describes it
/// @param configuration  see configuration_json()
Json report_json(const Report& report, Json problem, Json configuration);

/// The text of a report. JSON has no NaN and no infinity: each becomes null and has an entry in `not_finite` that names
/// it by its JSON pointer.
std::string serialize(Json report);

}  // namespace amgsolve
