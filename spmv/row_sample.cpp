#include "spmv/row_sample.hpp"

#include <algorithm>
#include <cmath>

namespace amgsolve {

double RowSample::mean() const { return static_cast<double>(entries) / std::max(sampled_rows, 1); }

Offset RowSample::entries_bound() const {
  if (sampled_rows == rows) {
    return entries;
  }
  const double counted = std::max(sampled_rows, 1);
  const double variance = std::max(static_cast<double>(squares) / counted - mean() * mean(), 0.0);
  return static_cast<Offset>((mean() + 4.5 * std::sqrt(variance / counted)) * rows) + 1;
}

}  // namespace amgsolve
