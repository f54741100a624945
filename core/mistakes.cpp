#include "core/mistakes.hpp"

#include "core/errors.hpp"

namespace amgsolve {

void Mistakes::add(const std::string& message) {
  lines_ += lines_.empty() ? "" : "\n";
  lines_ += message;
}

void Mistakes::gather(const std::function<void()>& check) {
  try {
    check();
  } catch (const ConfigurationError& error) {
    add(error.what());
  }
}

void Mistakes::raise() const {
  if (!lines_.empty()) {
    throw ConfigurationError(lines_);
  }
}

}  // namespace amgsolve
