#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "core/format.hpp"

/// What readers of binary files share.
namespace amgsolve {

/// Throws InputError: the file or array of that name, and what is wrong with it.
[[noreturn]] inline void refuse_file(const std::string& name, std::string_view problem) {
  throw InputError(format_text("{}: {}", name, problem));
}

/// The k-th of numbers of type V, as they lie in memory, at any address.
template <class V>
V number_at(std::string_view bytes, std::int64_t k) {
  V number;
  std::memcpy(&number, bytes.data() + static_cast<std::size_t>(k) * sizeof(V), sizeof(V));
  return number;
}

}  // namespace amgsolve
