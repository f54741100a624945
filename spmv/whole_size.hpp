#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/communicator.hpp"
#include "core/types.hpp"

namespace amgsolve {

/// Rows and entries of a matrix, those of all ranks together.
struct WholeSize {
  std::int64_t rows;
  std::int64_t nnz;

  /// Entries of a row on average.
  double mean_row_length() const {
    return static_cast<double>(nnz) / static_cast<double>(std::max(rows, std::int64_t{1}));
  }
};

/// From each rank's own. Collective.
inline WholeSize whole_size(const Communicator& communicator, Index own_rows, Offset own_nnz) {
  std::array<std::int64_t, 2> sums{own_rows, own_nnz};
  communicator.sum_ranks({sums.data(), sums.size()});
  return {sums[0], sums[1]};
}

}  // namespace amgsolve
