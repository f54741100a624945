#pragma once

#include <utility>

namespace amgsolve {

/// A value that is another one while this lives.
template <class Value>
class Replaced {
 public:
  Replaced(Value& place, Value now) : place_(place), before_(std::exchange(place, std::move(now))) {}
  ~Replaced() { place_ = std::move(before_); }
  Replaced(const Replaced&) = delete;
  Replaced& operator=(const Replaced&) = delete;

 private:
  Value& place_;
  Value before_;
};

}  // namespace amgsolve
