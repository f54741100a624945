#include "core/errors.hpp"

#include "core/format.hpp"
#include "core/types.hpp"

namespace amgsolve {

namespace {

std::string at_work(const std::string& where) { return where.empty() ? "between phases" : "in " + where; }

}  // namespace

OutOfMemoryError::OutOfMemoryError(const std::string& message, std::size_t bytes_wanted, std::size_t bytes_free)
    : Error(message), bytes_wanted_(bytes_wanted), bytes_free_(bytes_free) {}

OutOfMemoryError::OutOfMemoryError(const std::string& where, const char* space, std::size_t bytes_wanted,
                                   std::size_t bytes_free)
    : OutOfMemoryError(format_text("out of {} memory {}: {} wanted, {} free", space, at_work(where),
                                   format_bytes(bytes_wanted), format_bytes(bytes_free)),
                       bytes_wanted, bytes_free) {}

InterruptedError::InterruptedError(const std::string& where) : Error("interrupted " + at_work(where)) {}

Index checked_index(std::int64_t n, const char* what) {
  if (n < 0 || n > max_index) {
    throw InputError(format_text("{} is {}, outside 0 to {}", what, n, max_index));
  }
  return static_cast<Index>(n);
}

std::size_t checked_multiply(std::size_t a, std::size_t b, const char* what) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw InputError(format_text("{}: {} x {} does not fit in 64 bits", what, a, b));
  }
  return product;
}

}  // namespace amgsolve
