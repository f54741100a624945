#pragma once

#include <vector>

#include "spmv/csr_matrix.hpp"

namespace amgsolve::reference {

/// Matrices side by side on a diagonal, their rows dealt out at random.
template <class T>
struct Blocks {
  CsrMatrix<T, Host> A;
  std::vector<int> block_of_row;
};

template <class T>
Blocks<T> shuffled_blocks(Context<Host>& host, const std::vector<CsrMatrix<T, Host>>& blocks);

}  // namespace amgsolve::reference
