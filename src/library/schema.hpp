#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "src/library/configuration.hpp"

/// The keys of problem.yaml as one table: what the YAML reader, the command line, the public Options, the reports and
/// docs/configuration.md know of a key all comes from its entry.
namespace amgsolve {

enum class ValueType {
  boolean,
  integer,
  real,
  choice,
  integer_list,
  named_numbers,
  input_file,
  output_file,
  output_folder
};

/// Numbers for names that the file chooses; one may be left free.
using NamedNumbers = std::vector<std::pair<std::string, std::vector<std::optional<double>>>>;

/// What stands for a number that is left free.
inline constexpr std::string_view free_number = "free";

/// What stands for the standard output in place of a file to write.
inline constexpr std::string_view standard_output = "-";

using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, NamedNumbers>;

/// The shortest text that reads back as the same value: "true", "200", "1e-08", "cg", "[64, 64]", "{left: [0, free]}".
std::string format(const Value& value);

/// An interval of numbers, each end included unless it is open.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;

  bool contains(double x) const;
  /// ">= 0 and < 1"; empty where nothing is excluded.
  std::string describe() const;
};

/// One key, bound to the member that holds its value.
struct SchemaEntry {
  std::string_view key{};   ///< dotted, "solver.tolerance"
  std::string_view help{};  ///< one line
  std::string_view unit{};  ///< empty: none
  ValueType type = ValueType::boolean;
  Range range{};              ///< of an integer, a real number or each number of a list
  std::size_t min_items = 0;  ///< of a list
  std::size_t max_items = 0;  ///< of a list
  std::vector<std::string_view>
      choices{};  ///< the words of a choice, or those that may stand for a number or an input file
  std::function<Value()> get;
  std::function<void(const Value&)> set;  ///< takes what parse() returned, unchecked
  Value default_value;                    ///< what the member held when it was bound

  std::string_view section() const;  ///< "solver" of "solver.tolerance"
  std::string_view name() const;     ///< "tolerance" of "solver.tolerance"
  /// What values are allowed: "a number >= 0 and < 1", "cg, fcg or amg", "2 to 3 integers >= 1".
  std::string describe_values() const;

  /// The value that a text stands for; an integer may be written as 8e9, a list is "[64, 64]" or has one text a number.
  /// Throws ConfigurationError, "'solver.method' is 'qmr'; it must be auto, cg, fcg, minres, gmres, fgmres, bicgstab or
  /// amg": wrong type, out of range, no such file or directory, or one that cannot be written.
  Value parse(std::string_view text) const;
  Value parse_list(std::span<const std::string> texts) const;
  /// Of named numbers, each name with the texts of its numbers.
  Value parse_named(std::span<const std::pair<std::string, std::vector<std::string>>> items) const;
};

/// The table. Its entries refer to the configuration they were bound to, which must stay where it is.
class Schema {
 public:
  explicit Schema(std::vector<SchemaEntry> entries) : entries_(std::move(entries)) {}

  void append(std::vector<SchemaEntry> entries);

  const std::vector<SchemaEntry>& entries() const { return entries_; }
  /// nullptr where there is no such key.
  const SchemaEntry* find(std::string_view key) const;
  /// Whether some key begins with "section."; the empty section has them all.
  bool has_section(std::string_view section) const;
  /// Names of the keys and sections directly in a section, in the table's order.
  std::vector<std::string_view> names_in(std::string_view section) const;

  /// "unknown key 'toleranse' in 'solver'; did you mean 'tolerance'?", also of names in other sections, several where
  /// one fits several keys, and of what other packages call a key; where nothing is near, the names there are.
  std::string describe_unknown(std::string_view section, std::string_view name) const;

 private:
  std::vector<SchemaEntry> entries_;
};

/// Entries of solver.*, amg.* and spgemm.*, bound to a configuration just constructed, whose values are the defaults.
std::vector<SchemaEntry> library_entries(Configuration& configuration);

/// Settings that decide whether a cycle converges, and are not the defaults, as text:
/// "amg.smoother.type=jacobi, amg.smoother.damping=1.9".
std::string options_of_cycle(const Configuration& configuration);

/// Likewise those that may make cycles slow.
std::string options_of_slow_cycle(const Configuration& configuration);

}  // namespace amgsolve
