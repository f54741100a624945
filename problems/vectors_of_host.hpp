#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/parallel_host.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// Vectors with x_ij = value(i, j), of a file that errors call `name`. Throws InputError naming the first row with a
/// value that is NaN, infinite or too large for T; OutOfMemoryError. In parallel; asks for each value once.
template <class T, class Value>
MultiVector<T, Host> vectors_of(Context<Host>& ctx, Index rows, Index columns, const std::string& name,
                                const Value& value) {
  MultiVector<T, Host> x(ctx, rows, columns);
  const std::int64_t first_bad = parallel_reduce(
      ctx, rows, std::int64_t{rows},
      [&](std::int64_t begin, std::int64_t end) {
        std::int64_t bad = rows;
        for (std::int64_t i = begin; i < end; ++i) {
          for (std::int64_t j = 0; j < columns; ++j) {
            T& x_ij = x.data()[i * columns + j];
            x_ij = static_cast<T>(value(i, j));
            bad = std::isfinite(x_ij) ? bad : std::min(bad, i);
          }
        }
        return bad;
      },
      [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
  if (first_bad < rows) {
    throw InputError(
        format_text("{}: row {}, counted from 1, has a value that is NaN, infinite or too large", name, first_bad + 1));
  }
  return x;
}

}  // namespace amgsolve
