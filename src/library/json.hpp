#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace amgsolve {

/// A value of JSON, with the members of an object in the order in which they came. Unlike those of nlohmann's library
/// it takes no memory to destroy, which would be the end of a program that has none left.
class Json {
 public:
  using Member = std::pair<std::string, Json>;

  Json(std::nullptr_t = nullptr) {}
  Json(bool value) : value_(value) {}
  Json(std::integral auto value) : value_(static_cast<std::int64_t>(value)) {}
  Json(double value) : value_(value) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  template <class T>
  Json(const std::vector<T>& items) : value_(Array(items.begin(), items.end())) {}
  Json(std::initializer_list<Member> members) : value_(Object(members)) {}

  static Json array() { return Json(std::vector<Json>()); }
  static Json object() { return Json(std::initializer_list<Member>()); }

  /// The member of this name, which is added where there is none. Of an object, which null becomes.
  Json& operator[](std::string_view name);

  /// Of an array.
  void push_back(Json item) { std::get<Array>(value_).push_back(std::move(item)); }

  /// Replaces the numbers in it that are not finite by null. Returns an object that says what stood where, by JSON
  /// pointers.
  Json take_not_finite();

  /// Its text, indented by two blanks a level. What is not UTF-8 becomes U+FFFD.
  std::string dump() const;

 private:
  // Types of our own: libstdc++ 12 takes a variant of standard containers for one that always holds something, and
  // destroys what is not there where copying one throws.
  struct Array : std::vector<Json> {
    using vector::vector;
  };
  struct Object : std::vector<Member> {
    using vector::vector;
  };

  void take_not_finite(const std::string& pointer, Json& found);
  void write(std::string& text, std::size_t indent) const;

  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object> value_;
};

}  // namespace amgsolve
