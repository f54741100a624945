#pragma once

#include <utility>
#include <vector>

#include "tests/reference/matrices.hpp"

namespace amgsolve::reference {

/// A of nodes with so many unknowns, of which the last `supported` nodes are held by springs along (1, 1, …).
inline CsrMatrix<double, Host> with_inclined_supports(Context<Host>& ctx, const CsrMatrix<double, Host>& A,
                                                      Index unknowns, Index supported, double stiffness) {
  const Index first = A.rows - supported * unknowns;
  std::vector<Entry> entries;
  for (Index i = 0; i < A.rows; ++i) {
    const Index node = i / unknowns;
    std::vector<double> block(static_cast<std::size_t>(unknowns), stiffness / unknowns);
    const auto end = static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i) + 1]);
    for (auto k = static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i)]); k < end; ++k) {
      if (i >= first && A.col_indices[k] / unknowns == node) {
        block[static_cast<std::size_t>(A.col_indices[k] % unknowns)] += A.values[k];
      } else {
        entries.push_back({i, A.col_indices[k], A.values[k]});
      }
    }
    for (Index c = 0; i >= first && c < unknowns; ++c) {
      entries.push_back({i, node * unknowns + c, block[static_cast<std::size_t>(c)]});
    }
  }
  return matrix_from_entries<double>(ctx, A.rows, A.cols, std::move(entries));
}

}  // namespace amgsolve::reference
