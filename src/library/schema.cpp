#include "src/library/schema.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/input_file.hpp"
#include "core/output_file.hpp"
#include "src/library/nearest.hpp"
#include "src/library/schema_builders.hpp"

namespace amgsolve {
namespace fs = std::filesystem;
namespace {

// "amg.smoother" of "amg.smoother.type"; empty at the top.
std::string_view parent(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : key.substr(0, dot);
}

std::string_view last_name(std::string_view key) { return key.substr(key.rfind('.') + 1); }

/// "smoother.type" of "amg.smoother.type" for a count of 2; empty where the key has fewer names.
std::string_view last_names(std::string_view key, std::ptrdiff_t count) {
  std::size_t begin = key.size() + 1;
  for (; count > 0 && begin > 0; --count) {
    begin = begin < 2 ? 0 : key.rfind('.', begin - 2) + 1;
  }
  return count > 0 ? std::string_view{} : key.substr(begin);
}

// "smoother.type" of "amg.smoother.type" in "amg"; empty where the key is not in the section.
std::string_view relative_key(std::string_view key, std::string_view section) {
  if (section.empty()) {
    return key;
  }
  const bool inside = key.size() > section.size() && key.starts_with(section) && key[section.size()] == '.';
  return inside ? key.substr(section.size() + 1) : std::string_view{};
}

// Integers up to here are exact in a double.
constexpr double max_exact_integer = 9007199254740992.0;

std::optional<double> parse_real(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  double x = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(x)) {
    return std::nullopt;
  }
  return x;
}

/// Of a number that is too small or too large for a double, the double next to it that is not zero, or infinite.
std::optional<double> next_to_unheld(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  double x = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc::result_out_of_range || end != text.data() + text.size()) {
    return std::nullopt;
  }
  const std::size_t exponent = text.find_first_of("eE");
  const bool is_small =
      exponent < text.size() ? text[exponent + 1] == '-' : text.find_first_of("123456789") > text.find('.');
  const double size = is_small ? std::numeric_limits<double>::denorm_min() : std::numeric_limits<double>::max();
  return text.starts_with('-') ? -size : size;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error == std::errc{} && end == text.data() + text.size()) {
    return n;
  }
  const std::optional<double> x = parse_real(text);
  if (x && std::abs(*x) <= max_exact_integer && *x == std::trunc(*x)) {
    return static_cast<std::int64_t>(*x);
  }
  return std::nullopt;
}

/// What stands between the commas of a text, without the blanks around it.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    const std::size_t first = std::min(item.find_first_not_of(' '), item.size());
    items.emplace_back(item.substr(first, item.find_last_not_of(' ') + 1 - first));
    begin = end + 1;
  }
  return items;
}

std::string join(std::span<const std::string_view> words, std::string_view last_separator) {
  if (words.empty()) {
    return {};
  }
  if (words.size() == 1) {
    return std::string(words.front());
  }
  return format_text("{} {} {}", fmt::join(words.first(words.size() - 1), ", "), last_separator, words.back());
}

/// "; write [40, 40]" for "40x40", where a list is meant.
std::string list_hint(const SchemaEntry& entry, std::string_view text) {
  std::string separated(text);
  std::ranges::replace_if(
      separated, [](char c) { return c == 'x' || c == 'X' || c == '*' || c == ' '; }, ',');
  const std::vector<std::string> items = split(separated);
  const bool is_list =
      entry.type == ValueType::integer_list && items.size() >= entry.min_items && items.size() <= entry.max_items &&
      std::ranges::all_of(items, [](const std::string& item) { return parse_integer(item).has_value(); });
  return is_list ? format_text("; write [{}]", fmt::join(items, ", ")) : "";
}

[[noreturn]] void fail(const SchemaEntry& entry, std::string_view text) {
  if (text.empty()) {
    throw ConfigurationError(format_text("'{}' has no value; it must be {}", entry.key, entry.describe_values()));
  }
  throw ConfigurationError(
      format_text("'{}' is '{}'; it must be {}{}", entry.key, text, entry.describe_values(), list_hint(entry, text)));
}

bool contains(const std::vector<std::string_view>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::int64_t parse_item(const SchemaEntry& entry, std::string_view text, std::string_view whole) {
  const std::optional<std::int64_t> n = parse_integer(text);
  // The double nearest to the largest integer is one more.
  constexpr double past_integers = 0x1p63;
  if (const std::optional<double> x = parse_real(text); x && (*x > entry.range.high || (!n && *x >= past_integers))) {
    throw ConfigurationError(format_text("'{}' is '{}'; it must be at most {}", entry.key, whole,
                                         entry.range.high < max_exact_integer
                                             ? static_cast<std::int64_t>(entry.range.high)
                                             : std::numeric_limits<std::int64_t>::max()));
  }
  if (!n || !entry.range.contains(static_cast<double>(*n))) {
    fail(entry, whole);
  }
  return *n;
}

/// Of an input file that is there, as far as one may look.
void check_readable(const SchemaEntry& entry, const fs::path& file) {
  if (const std::string reason = reason_not_to_read(file); !reason.empty()) {
    throw ConfigurationError(format_text("'{}' is '{}', which cannot be read: {}", entry.key, file.string(), reason));
  }
}

void check_writable_place(const SchemaEntry& entry, const fs::path& file) {
  std::error_code ignored;
  const fs::path directory = file.parent_path();
  if (!directory.empty() && !fs::is_directory(directory, ignored)) {
    throw ConfigurationError(
        format_text("'{}' is '{}', but there is no directory '{}'", entry.key, file.string(), directory.string()));
  }
  const bool is_folder = fs::is_directory(file, ignored);
  const bool wants_folder = entry.type == ValueType::output_folder;
  if (is_folder && !wants_folder) {
    throw ConfigurationError(format_text("'{}' is '{}', which is a directory", entry.key, file.string()));
  }
  if (wants_folder && !is_folder && fs::exists(file, ignored)) {
    throw ConfigurationError(format_text("'{}' is '{}', which is no directory", entry.key, file.string()));
  }
  const fs::path first = is_folder ? file / "A0.mtx" : file;  // as a hierarchy's is called
  if (const std::string reason = reason_not_to_write(first); !reason.empty()) {
    throw ConfigurationError(
        format_text("'{}' is '{}', which cannot be written: {}", entry.key, file.string(), reason));
  }
}

/// The key that other packages call so; empty: none.
std::string_view known_elsewhere(std::string_view name) {
  using namespace std::string_view_literals;
  constexpr std::array names{std::pair{"tol"sv, "solver.tolerance"sv}, std::pair{"rtol"sv, "solver.tolerance"sv},
                             std::pair{"maxiter"sv, "solver.max_iterations"sv},
                             std::pair{"max_iter"sv, "solver.max_iterations"sv},
                             std::pair{"max_it"sv, "solver.max_iterations"sv}};
  const auto found = std::ranges::find(names, name, &std::pair<std::string_view, std::string_view>::first);
  return found == names.end() ? std::string_view{} : found->second;
}

/// The keys that end as a name does, or nearly so, in as many of its parts as there are such keys for.
std::vector<std::string_view> keys_like(std::string_view name, const std::vector<std::string_view>& keys) {
  constexpr std::size_t shortest_misspelt = 3;
  constexpr std::ptrdiff_t most_parts = 4;  // of a key
  for (std::ptrdiff_t count = std::min(std::ranges::count(name, '.') + 1, most_parts); count > 0; --count) {
    const std::string_view end = last_names(name, count);
    std::vector<std::string_view> ends;
    std::ranges::transform(keys, std::back_inserter(ends),
                           [&](std::string_view key) { return last_names(key, count); });
    const std::string_view meant = contains(ends, end)              ? end
                                   : end.size() < shortest_misspelt ? std::string_view{}
                                                                    : nearest(end, ends);
    if (!meant.empty()) {
      std::vector<std::string_view> result;
      std::ranges::copy_if(keys, std::back_inserter(result),
                           [&](std::string_view key) { return last_names(key, count) == meant; });
      return result;
    }
  }
  return {};
}

}  // namespace

std::string format(const Value& value) {
  struct Formatter {
    std::string operator()(bool x) const { return x ? "true" : "false"; }
    std::string operator()(std::int64_t x) const { return format_text("{}", x); }
    std::string operator()(double x) const { return format_text("{}", x); }
    std::string operator()(const std::string& x) const { return x; }
    std::string operator()(const std::vector<std::int64_t>& x) const { return format_text("[{}]", fmt::join(x, ", ")); }
    std::string operator()(const NamedNumbers& x) const {
      std::vector<std::string> items;
      for (const auto& [name, numbers] : x) {
        std::vector<std::string> texts;
        for (const std::optional<double>& number : numbers) {
          texts.push_back(number ? format_text("{}", *number) : std::string(free_number));
        }
        items.push_back(format_text("{}: [{}]", name, fmt::join(texts, ", ")));
      }
      return format_text("{{{}}}", fmt::join(items, ", "));
    }
  };
  return std::visit(Formatter{}, value);
}

bool Range::contains(double x) const { return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high); }

std::string Range::describe() const {
  // The largest value of the member's type is nothing a person asks for.
  constexpr double unlimited = std::numeric_limits<std::int32_t>::max();
  const std::string lower = low > -unlimited ? format_text("{} {}", low_open ? ">" : ">=", low) : "";
  const std::string upper = high < unlimited ? format_text("{} {}", high_open ? "<" : "<=", high) : "";
  return lower + (lower.empty() || upper.empty() ? "" : " and ") + upper;
}

std::string_view SchemaEntry::section() const { return parent(key); }

std::string_view SchemaEntry::name() const { return last_name(key); }

std::string SchemaEntry::describe_values() const {
  const std::string limits = range.describe();
  const std::string suffix = limits.empty() ? "" : " " + limits;
  const std::string or_words = choices.empty() ? "" : ", or " + join(choices, "or");
  switch (type) {
    case ValueType::boolean:
      return "true or false";
    case ValueType::integer:
      return "an integer" + suffix + or_words;
    case ValueType::real:
      return "a number" + suffix + or_words;
    case ValueType::choice:
      return join(choices, "or");
    case ValueType::integer_list:
      return min_items == max_items ? format_text("a list of {} integers{}", min_items, suffix)
                                    : format_text("a list of {} to {} integers{}", min_items, max_items, suffix);
    case ValueType::named_numbers:
      return format_text("a mapping of names to a number{} or a list of up to {}{}", suffix, max_items,
                         choices.empty() ? "" : format_text(", where {} may stand for one", join(choices, "or")));
    case ValueType::input_file: {
      std::vector<std::string_view> words = choices;
      words.push_back("a file that exists");
      return join(words, "or");
    }
    case ValueType::output_file:
      return "a file to write";
    case ValueType::output_folder:
      return "a directory to write to";
  }
  return {};
}

Value SchemaEntry::parse(std::string_view text) const {
  if (type == ValueType::boolean || contains(choices, "true")) {  // of which YAML has three spellings
    text = text == "True" || text == "TRUE" ? "true" : text == "False" || text == "FALSE" ? "false" : text;
  }
  if ((type == ValueType::integer || type == ValueType::real) && contains(choices, text)) {
    return std::string(text);
  }
  switch (type) {
    case ValueType::boolean:
      if (text == "true" || text == "false") {
        return text == "true";
      }
      break;
    case ValueType::integer:
      return parse_item(*this, text, text);
    case ValueType::real:
      if (const std::optional<double> x = parse_real(text); x && range.contains(*x)) {
        return *x;
      }
      if (const std::optional<double> x = next_to_unheld(text); x && range.contains(*x)) {
        throw ConfigurationError(format_text("'{}' is '{}', which is too {} for a number in double precision", key,
                                             text, std::abs(*x) < 1.0 ? "small" : "large"));
      }
      break;
    case ValueType::choice:
      if (contains(choices, text)) {
        return std::string(text);
      }
      break;
    case ValueType::input_file: {
      std::error_code error;
      const fs::file_status status = fs::status(fs::path(text), error);
      // An empty name takes a file away again; where words can stand for it, one of them does.
      if (contains(choices, text) || (choices.empty() && text.empty())) {
        return std::string(text);
      }
      if (status.type() != fs::file_type::not_found && !fs::is_directory(status)) {
        check_readable(*this, text);
        return std::string(text);
      }
      break;
    }
    case ValueType::output_file:
    case ValueType::output_folder: {
      fs::path place(text);
      if (type == ValueType::output_folder && !place.has_filename() && place.has_relative_path()) {
        place = place.parent_path();  // without the slash at its end
      }
      if (!text.empty() && text != standard_output) {
        check_writable_place(*this, place);
      }
      return place.string();
    }
    case ValueType::integer_list:
      if (text.starts_with('[') && text.ends_with(']')) {
        return parse_list(split(text.substr(1, text.size() - 2)));
      }
      break;
    case ValueType::named_numbers:
      if (text == "{}") {
        return NamedNumbers();
      }
      break;
  }
  fail(*this, text);
}

Value SchemaEntry::parse_list(std::span<const std::string> texts) const {
  const std::string whole = format_text("[{}]", fmt::join(texts, ", "));
  if (type != ValueType::integer_list || texts.size() < min_items || texts.size() > max_items) {
    fail(*this, whole);
  }
  std::vector<std::int64_t> items;
  for (const std::string& text : texts) {
    items.push_back(parse_item(*this, text, whole));
  }
  return items;
}

Value SchemaEntry::parse_named(std::span<const std::pair<std::string, std::vector<std::string>>> items) const {
  NamedNumbers result;
  for (const auto& [name, texts] : items) {
    std::vector<std::optional<double>> numbers;
    for (const std::string& text : texts) {
      const std::optional<double> x = parse_real(text);
      const bool is_free = contains(choices, text);
      if (!is_free && !(x && range.contains(*x))) {
        fail(*this, format_text("{{{}: {}}}", name, fmt::join(texts, ", ")));
      }
      numbers.push_back(is_free ? std::nullopt : x);
    }
    if (numbers.empty() || numbers.size() > max_items) {
      fail(*this, format_text("{{{}: [{}]}}", name, fmt::join(texts, ", ")));
    }
    if (std::ranges::find(result, name, &NamedNumbers::value_type::first) != result.end()) {
      throw ConfigurationError(format_text("'{}' has '{}' twice", key, name));
    }
    result.emplace_back(name, std::move(numbers));
  }
  return result;
}

void Schema::append(std::vector<SchemaEntry> entries) {
  entries_.insert(entries_.end(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
}

const SchemaEntry* Schema::find(std::string_view key) const {
  const auto found = std::ranges::find(entries_, key, &SchemaEntry::key);
  return found == entries_.end() ? nullptr : &*found;
}

bool Schema::has_section(std::string_view section) const {
  return std::ranges::any_of(entries_,
                             [&](const SchemaEntry& entry) { return !relative_key(entry.key, section).empty(); });
}

std::vector<std::string_view> Schema::names_in(std::string_view section) const {
  std::vector<std::string_view> names;
  for (const SchemaEntry& entry : entries_) {
    const std::string_view relative = relative_key(entry.key, section);
    const std::string_view name = relative.substr(0, relative.find('.'));
    if (!name.empty() && !contains(names, name)) {
      names.push_back(name);
    }
  }
  return names;
}

std::string Schema::describe_unknown(std::string_view section, std::string_view name) const {
  if (const std::string key = section.empty() ? std::string(name) : format_text("{}.{}", section, name);
      !name.empty() && has_section(key)) {
    return format_text("'{}' has no value of its own; there are {} in it", key, join(names_in(key), "and"));
  }
  // The innermost section that the name lies in, and what is wrong there.
  std::string within(section);
  std::string_view wrong = name;
  for (std::size_t dot = wrong.find('.'); dot != std::string_view::npos && dot > 0; dot = wrong.find('.')) {
    const std::string inner =
        within.empty() ? std::string(wrong.substr(0, dot)) : format_text("{}.{}", within, wrong.substr(0, dot));
    if (!has_section(inner)) {
      break;
    }
    within = inner;
    wrong.remove_prefix(dot + 1);
  }
  std::vector<std::string_view> below = names_in(within);
  std::vector<std::string_view> all;
  for (const SchemaEntry& entry : entries_) {
    // The key and the sections around it, from the inside out.
    for (std::string_view key = entry.key; !key.empty(); key = parent(key)) {
      if (const std::string_view relative = relative_key(key, within); !relative.empty()) {
        below.push_back(relative);
      }
      if (key != within && !contains(all, key)) {
        all.push_back(key);
      }
    }
  }
  const std::string problem =
      section.empty() ? format_text("unknown key '{}'", name) : format_text("unknown key '{}' in '{}'", name, section);
  const std::string_view of_others = known_elsewhere(last_name(wrong));
  const std::string_view near = nearest(wrong, below);
  if (const std::string_view meant = near.empty() ? relative_key(of_others, within) : near; !meant.empty()) {
    const std::string_view right = name.substr(0, name.size() - wrong.size());
    return format_text("{}; did you mean '{}{}'?", problem, right, meant);
  }
  std::vector<std::string_view> elsewhere =
      of_others.empty() ? keys_like(wrong, all) : std::vector<std::string_view>{of_others};
  const auto is_outside = [&](std::string_view key) { return relative_key(key, within).empty(); };
  if (!std::ranges::all_of(elsewhere, is_outside)) {
    std::erase_if(elsewhere, is_outside);
  }
  if (!elsewhere.empty()) {
    return contains(elsewhere, name) ? format_text("{}; it does not belong into a section", problem)
                                     : format_text("{}; did you mean '{}'?", problem, fmt::join(elsewhere, "' or '"));
  }
  const std::vector<std::string_view> names = names_in(within);
  return format_text("{}; there {} {}", problem, names.size() == 1 ? "is" : "are", join(names, "and"));
}

namespace schema {
namespace {

SchemaEntry file(ValueType type, std::string_view key, fs::path& target, std::string_view help) {
  return {.key = key,
          .help = help,
          .type = type,
          .get = [&target] { return Value(target.string()); },
          .set = [&target](const Value& value) { target = std::get<std::string>(value); },
          .default_value = target.string()};
}

/// @tparam Number  what a value of the type is
template <class Number, class T>
SchemaEntry number_or_auto(ValueType type, std::string_view key, std::optional<T>& target, Range range,
                           std::string_view help) {
  static constexpr std::string_view automatic = "auto";
  if constexpr (std::integral<T>) {
    range = within<T>(range);
  }
  const auto get = [&target] { return target ? Value(static_cast<Number>(*target)) : Value(std::string(automatic)); };
  return {.key = key,
          .help = help,
          .type = type,
          .range = range,
          .choices = {automatic},
          .get = get,
          .set =
              [&target](const Value& value) {
                const auto* number = std::get_if<Number>(&value);
                target = number != nullptr ? std::optional<T>(static_cast<T>(*number)) : std::nullopt;
              },
          .default_value = get()};
}

}  // namespace

SchemaEntry boolean(std::string_view key, bool& target, std::string_view help) {
  return {.key = key,
          .help = help,
          .type = ValueType::boolean,
          .get = [&target] { return Value(target); },
          .set = [&target](const Value& value) { target = std::get<bool>(value); },
          .default_value = target};
}

SchemaEntry real(std::string_view key, double& target, Range range, std::string_view help, std::string_view unit) {
  return {.key = key,
          .help = help,
          .unit = unit,
          .type = ValueType::real,
          .range = range,
          .get = [&target] { return Value(target); },
          .set = [&target](const Value& value) { target = std::get<double>(value); },
          .default_value = target};
}

SchemaEntry real(std::string_view key, std::optional<double>& target, Range range, std::string_view help) {
  return number_or_auto<double>(ValueType::real, key, target, range, help);
}

SchemaEntry integer(std::string_view key, std::optional<int>& target, Range range, std::string_view help) {
  return number_or_auto<std::int64_t>(ValueType::integer, key, target, range, help);
}

SchemaEntry integer(std::string_view key, std::optional<std::int64_t>& target, Range range, std::string_view help) {
  return number_or_auto<std::int64_t>(ValueType::integer, key, target, range, help);
}

SchemaEntry named_numbers(std::string_view key, NamedNumbers& target, Range range, std::size_t max_items,
                          bool may_be_free, std::string_view help) {
  SchemaEntry entry{.key = key,
                    .help = help,
                    .type = ValueType::named_numbers,
                    .range = range,
                    .max_items = max_items,
                    .get = [&target] { return Value(target); },
                    .set = [&target](const Value& value) { target = std::get<NamedNumbers>(value); },
                    .default_value = target};
  if (may_be_free) {
    entry.choices.push_back(free_number);
  }
  return entry;
}

SchemaEntry input_file(std::string_view key, fs::path& target, std::string_view help) {
  return file(ValueType::input_file, key, target, help);
}

SchemaEntry output_file(std::string_view key, fs::path& target, std::string_view help) {
  return file(ValueType::output_file, key, target, help);
}

SchemaEntry output_folder(std::string_view key, fs::path& target, std::string_view help) {
  return file(ValueType::output_folder, key, target, help);
}

}  // namespace schema
}  // namespace amgsolve
