#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/parallel_host.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

inline constexpr std::string_view not_finite = "a value that is NaN, infinite or too large";

/// Vectors with x_ij = value(i, j), of a file that errors call `name`. Throws InputError naming the first row with a
/// value that is NaN, infinite or too large for T, as one with `fault`; OutOfMemoryError. In parallel; asks for each
/// value once.
template <class T, class Value>
MultiVector<T, Host> vectors_of(Context<Host>& ctx, Index rows, Index columns, const std::string& name,
                                const Value& value, std::string_view fault = not_finite) {
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
    throw InputError(format_text("{}: row {}, counted from 1, has {}", name, first_bad + 1, fault));
  }
  return x;
}

}  // namespace amgsolve
