#pragma once

#include <functional>
#include <string>

namespace amgsolve {

/// The mistakes of a configuration, gathered so that all are told at once.
class Mistakes {
 public:
  void add(const std::string& message);

  /// Calls check() and adds what a ConfigurationError that it throws says.
  void gather(const std::function<void()>& check);

  /// A line for each; empty: there is none.
  const std::string& lines() const { return lines_; }

  /// Throws ConfigurationError with the lines, where there are any.
  void raise() const;

 private:
  std::string lines_;
};

}  // namespace amgsolve
