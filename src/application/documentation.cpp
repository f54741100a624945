#include "src/application/documentation.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "src/application/presets.hpp"

namespace amgsolve {
namespace {

bool is_in(const SchemaEntry& entry, std::string_view section) {
  return entry.key.size() > section.size() && entry.key.starts_with(section) && entry.key[section.size()] == '.';
}

// '|' would end a cell of a table.
std::string escape_cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += c == '|' ? std::string("\\|") : std::string(1, c);
  }
  return result;
}

constexpr std::string_view reference_introduction = R"(# problem.yaml

What `amgsolve problem.yaml` reads. Written by `amgsolve --configuration-reference` from the same table that checks the
file; do not edit it by hand.

Every key has a default, so a file says only what differs. Exactly one of `problem.generate` with a `grid`,
`problem.mesh` and `problem.matrix` must be there. Keys may be written nested or dotted:

```yaml
problem:
  generate: {pde: poisson, grid: [128, 128, 128]}
solver.tolerance: 1.0e-10
```

An anchor stands at the value that has it first, and an alias takes that whole: there is no section for anchors alone,
and merge keys, `<<`, are not read.

On the command line `--set solver.tolerance=1e-10` counts over the file, any number of times. Relative paths in the file
are relative to the file, those in `--set`, and in a file that is read as `/dev/stdin` or `/dev/fd/N`, to the working
directory. `amgsolve --explain KEY` prints a key or a section of this page, `--print-config` the values a run would
have.
)";

}  // namespace

std::string describe_default(const SchemaEntry& entry) {
  const std::string text = format(entry.default_value);
  return text.empty() || text == "[]" || text == "{}" ? "none" : text;
}

std::string describe_values(const SchemaEntry& entry) {
  return entry.unit.empty() ? entry.describe_values() : format_text("{} ({})", entry.describe_values(), entry.unit);
}

std::string explain(const Schema& schema, std::string_view key) {
  std::string result;
  for (const SchemaEntry& entry : schema.entries()) {
    if (entry.key == key || is_in(entry, key)) {
      result += format_text("{}{}\n  {}\n  values   {}\n  default  {}\n", result.empty() ? "" : "\n", entry.key,
                            entry.help, describe_values(entry), describe_default(entry));
    }
  }
  if (result.empty()) {
    throw ConfigurationError(format_text("--explain {}: {}", key, schema.describe_unknown("", key)));
  }
  return result;
}

std::string list_choices(const Schema& schema) {
  constexpr std::string_view preset_option = "--preset";
  std::size_t width = 0;
  for (const SchemaEntry& entry : schema.entries()) {
    width = std::max(width, entry.choices.empty() ? 0 : entry.key.size());
  }
  std::string result;
  for (const Preset& preset : presets()) {
    result += format_text("{:<{}}  {:<13} {}\n", preset_option, width, preset.name, preset.help);
  }
  for (const SchemaEntry& entry : schema.entries()) {
    if (!entry.choices.empty()) {
      result += format_text("{:<{}}  {}\n", entry.key, width, fmt::join(entry.choices, ", "));
    }
  }
  return result;
}

std::string configuration_reference(const Schema& schema) {
  std::string result(reference_introduction);
  for (const std::string_view section : schema.names_in("")) {
    result += format_text("\n## {}\n\n| key | values | default | meaning |\n|---|---|---|---|\n", section);
    for (const SchemaEntry& entry : schema.entries()) {
      if (is_in(entry, section)) {
        result += format_text("| `{}` | {} | {} | {} |\n", entry.key, describe_values(entry), describe_default(entry),
                              escape_cell(entry.help));
      }
    }
  }
  return result;
}

}  // namespace amgsolve
