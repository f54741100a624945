#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/library/schema.hpp"

/// The lines that schema tables are written in: each binds a key to the member that holds its value and takes the
/// default from it.
namespace amgsolve::schema {

inline Range at_least(double low) { return {.low = low}; }
inline Range at_least_and_below(double low, double high) { return {.low = low, .high = high, .high_open = true}; }
inline Range above(double low) { return {.low = low, .low_open = true}; }
inline Range strictly_between(double low, double high) {
  return {.low = low, .high = high, .low_open = true, .high_open = true};
}

/// The part of a range that numbers of the type T reach.
template <std::integral T>
Range within(Range range) {
  range.low = std::max(range.low, static_cast<double>(std::numeric_limits<T>::min()));
  range.high = std::min(range.high, static_cast<double>(std::numeric_limits<T>::max()));
  return range;
}

/// The lines of a table, which go into a list; by an initializer list they would be copied.
template <std::size_t N>
std::vector<SchemaEntry> entries_of(SchemaEntry (&&lines)[N]) {
  return {std::make_move_iterator(std::begin(lines)), std::make_move_iterator(std::end(lines))};
}

SchemaEntry boolean(std::string_view key, bool& target, std::string_view help);
SchemaEntry real(std::string_view key, double& target, Range range, std::string_view help, std::string_view unit = {});
/// @param max_items    numbers of a name
/// @param may_be_free  whether free_number may stand for a number
SchemaEntry named_numbers(std::string_view key, NamedNumbers& target, Range range, std::size_t max_items,
                          bool may_be_free, std::string_view help);
SchemaEntry input_file(std::string_view key, std::filesystem::path& target, std::string_view help);
SchemaEntry output_file(std::string_view key, std::filesystem::path& target, std::string_view help);
SchemaEntry output_folder(std::string_view key, std::filesystem::path& target, std::string_view help);

/// The range also ends where the member's type does.
template <std::integral T>
SchemaEntry integer(std::string_view key, T& target, Range range, std::string_view help, std::string_view unit = {}) {
  return {.key = key,
          .help = help,
          .unit = unit,
          .type = ValueType::integer,
          .range = within<T>(range),
          .get = [&target] { return Value(static_cast<std::int64_t>(target)); },
          .set = [&target](const Value& value) { target = static_cast<T>(std::get<std::int64_t>(value)); },
          .default_value = static_cast<std::int64_t>(target)};
}

/// One to max_items integers.
template <std::integral T>
SchemaEntry integer_list(std::string_view key, std::vector<T>& target, Range range, std::size_t max_items,
                         std::string_view help) {
  const auto get = [&target] { return Value(std::vector<std::int64_t>(target.begin(), target.end())); };
  const auto set = [&target](const Value& value) {
    target.clear();
    std::ranges::transform(std::get<std::vector<std::int64_t>>(value), std::back_inserter(target),
                           [](std::int64_t x) { return static_cast<T>(x); });
  };
  return {.key = key,
          .help = help,
          .type = ValueType::integer_list,
          .range = within<T>(range),
          .min_items = 1,
          .max_items = max_items,
          .get = get,
          .set = set,
          .default_value = get()};
}

/// A number, or the word "auto", for which the member is empty.
SchemaEntry real(std::string_view key, std::optional<double>& target, Range range, std::string_view help);
SchemaEntry integer(std::string_view key, std::optional<int>& target, Range range, std::string_view help);
SchemaEntry integer(std::string_view key, std::optional<std::int64_t>& target, Range range, std::string_view help);

/// Words and what they stand for.
template <class E>
using Words = std::vector<std::pair<std::string_view, E>>;

template <class E>
std::vector<std::string_view> spellings(const Words<E>& words) {
  std::vector<std::string_view> result;
  for (const auto& [word, meaning] : words) {
    result.push_back(word);
  }
  return result;
}

template <class E>
std::string spelling(const Words<E>& words, E meaning) {
  return std::string(std::ranges::find(words, meaning, &std::pair<std::string_view, E>::second)->first);
}

template <class E>
E meaning(const Words<E>& words, std::string_view word) {
  return std::ranges::find(words, word, &std::pair<std::string_view, E>::first)->second;
}

template <class E>
SchemaEntry choice(std::string_view key, E& target, const Words<std::type_identity_t<E>>& words,
                   std::string_view help) {
  return {.key = key,
          .help = help,
          .type = ValueType::choice,
          .choices = spellings(words),
          .get = [&target, words] { return Value(spelling(words, target)); },
          .set = [&target, words](const Value& value) { target = meaning(words, std::get<std::string>(value)); },
          .default_value = spelling(words, target)};
}

}  // namespace amgsolve::schema
