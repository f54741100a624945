#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/types.hpp"

/// What readers of binary files share.
namespace amgsolve {

/// Throws InputError: the file or array of that name, and what is wrong with it.
[[noreturn]] inline void refuse_file(const std::string& name, std::string_view problem) {
  throw InputError(format_text("{}: {}", name, problem));
}

/// The number of something in the file or array of that name; `what` is in the plural. Throws InputError where no index
/// counts so many.
inline Index index_in_file(std::int64_t count, std::string_view what, const std::string& name) {
  if (count < 0 || count > max_index) {
    refuse_file(name, format_text("{} {}; a process takes 0 to {}", count, what, max_index));
  }
  return static_cast<Index>(count);
}

/// The k-th of numbers of type V, as they lie in memory, at any address.
template <class V>
V number_at(std::string_view bytes, std::int64_t k) {
  V number;
  std::memcpy(&number, bytes.data() + static_cast<std::size_t>(k) * sizeof(V), sizeof(V));
  return number;
}

}  // namespace amgsolve
