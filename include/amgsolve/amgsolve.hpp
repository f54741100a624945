#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <amgsolve/export.hpp>

namespace amgsolve {

/// How a call ended. The application's exit codes are these numbers.
enum class Status : int {
  converged = 0,
  not_converged = 1,  ///< not within max_iterations; x holds the last iterate
  bad_configuration = 2,
  bad_input = 3,
  out_of_memory = 4,
  breakdown = 5,  ///< NaN, divergence, a matrix that is not positive definite
  device_failed = 6
};

/// The name of a status as reports print it, for example "not_converged".
AMGSOLVE_EXPORT std::string_view name(Status status);

/// The library's version, "0.1.0".
AMGSOLVE_EXPORT std::string_view version();

template <class T>
class Solver;

/// The choices of a solver, by the keys of problem.yaml's sections solver, amg and spgemm (docs/configuration.md), at
/// their defaults until set:
///
///     Options options;
///     options.set("solver.tolerance", 1e-10).set("amg.smoother.type", "l1_jacobi");
///
/// An unknown key, a value of the wrong type or out of range throws std::invalid_argument with the message that the
/// command prints for it, and changes nothing.
class AMGSOLVE_EXPORT Options {
 public:
  Options();
  Options(const Options& other);
  Options(Options&& other) noexcept;
  Options& operator=(Options other) noexcept;
  ~Options();

  /// @param value  as problem.yaml spells it
  Options& set(std::string_view key, std::string_view value);

  template <class Number>
  requires std::is_arithmetic_v<Number> Options& set(std::string_view key, Number value) {
    if constexpr (std::same_as<Number, bool>) {
      return set(key, value ? "true" : "false");
    } else if constexpr (std::integral<Number>) {
      return set(key, std::to_string(value));
    } else {
      return set_real(key, value);
    }
  }

  /// The value as problem.yaml spells it; reads back as the same.
  std::string get(std::string_view key) const;

  static std::vector<std::string> keys();

 private:
  template <class T>
  friend class Solver;
  struct State;

  Options& set_real(std::string_view key, double value);

  std::unique_ptr<State> state_;
};

}  // namespace amgsolve
