#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace amgsolve::fuzz {

/// Choices made by bytes; zeros after the last of them.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}

  bool is_empty() const { return left_.empty(); }

  std::size_t byte() {
    if (left_.empty()) {
      return 0;
    }
    const auto value = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    return value;
  }

  std::size_t below(std::size_t n) { return byte() % n; }

  /// A word of at most 15 bytes.
  std::string_view word() {
    const std::string_view result = left_.substr(0, below(16));
    left_.remove_prefix(result.size());
    return result;
  }

  /// Mostly small multiples of 1/8; else what arithmetic is weakest at.
  template <class T>
  T number() {
    using Limits = std::numeric_limits<T>;
    static constexpr std::array<T, 16> hostile{Limits::quiet_NaN(),
                                               Limits::infinity(),
                                               -Limits::infinity(),
                                               Limits::max(),
                                               Limits::lowest(),
                                               Limits::min(),
                                               Limits::denorm_min(),
                                               T{-0.0},
                                               Limits::epsilon(),
                                               T(1e30),
                                               T(-1e30),
                                               T(1e-30),
                                               T(1e15),
                                               T(1e-15),
                                               T(1) + Limits::epsilon(),
                                               T(1) / T(3)};
    const std::size_t choice = byte();
    if (choice >= 240) {
      return hostile[choice - 240];
    }
    return static_cast<T>(choice < 120 ? static_cast<int>(choice) : 119 - static_cast<int>(choice)) / T{8};
  }

  template <class T>
  std::vector<T> numbers(std::size_t n) {
    std::vector<T> result(n);
    for (T& x : result) {
      x = number<T>();
    }
    return result;
  }

 private:
  std::string_view left_;
};

}  // namespace amgsolve::fuzz
