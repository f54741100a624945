#include "spmv/shapes.hpp"

#include <stdexcept>

#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve {

void expect_shape(const char* what, Shape actual, Shape expected) {
  if (actual != expected) {
    throw std::invalid_argument(format_text("{} is {} x {}, expected {} x {}", what, actual.rows, actual.columns,
                                            expected.rows, expected.columns));
  }
}

void expect_length(const char* what, std::size_t actual, Index expected) {
  if (actual != static_cast<std::size_t>(expected)) {
    throw std::invalid_argument(format_text("{} has {} entries, expected {}", what, actual, expected));
  }
}

void expect_square(Shape A) {
  if (A.rows != A.columns) {
    throw std::invalid_argument(format_text("a square matrix is needed, not one of {} x {}", A.rows, A.columns));
  }
}

void expect_strip(Shape A, Index first_own) {
  if (first_own < 0 || first_own > A.columns - A.rows) {
    throw std::invalid_argument(
        format_text("rows that begin at column {} do not fit a matrix of {} x {}", first_own, A.rows, A.columns));
  }
}

void throw_entry_outside(Offset entry, Index row, Index col, Shape A) {
  throw InputError(
      format_text("entry {} is at ({}, {}), outside a {} x {} matrix", entry, row, col, A.rows, A.columns));
}

}  // namespace amgsolve
