#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "dist/local_matrix.hpp"
#include "problems/generate.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

/// Matrices that ranks share.
namespace amgsolve::ranks {

template <class T, MemorySpace S>
LocalMatrix<T, S> share(Context<S>& ctx, const CsrMatrix<T, Host>& A, Cut cut) {
  const Partition partition(world(), own_rows(world(), cut, A.rows));
  // A's columns are shared as its rows are where it is square.
  const Partition columns = A.cols == A.rows ? partition : Partition(world(), own_rows(world(), Cut::even, A.cols));
  return to_local(ctx, columns, upload_rows(ctx, A, partition));
}

inline GeneratedProblem poisson(std::initializer_list<std::int64_t> sizes, Discretization discretization) {
  return reference::poisson(reference::grid(sizes), discretization);
}

template <class I>
class OnRanks : public reference::SpaceTest<typename I::Space> {};

/// A with the first rows and columns replaced by those of the identity, as where unknowns are masked.
inline CsrMatrix<double, Host> with_identity_rows(Context<Host>& ctx, const CsrMatrix<double, Host>& A, Index rows) {
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < A.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(A.row_offsets[row]); k < static_cast<std::size_t>(A.row_offsets[row + 1]);
         ++k) {
      const Index j = A.col_indices[k];
      if (i == j || (i >= rows && j >= rows)) {
        entries.push_back({i, j, i < rows ? 1.0 : A.values[k]});
      }
    }
  }
  return reference::matrix_from_entries<double>(ctx, A.rows, A.cols, std::move(entries));
}

/// A, whose first unknown is coupled to all others that it is not yet: ranks cannot share such nodes.
inline CsrMatrix<double, Host> with_hub(Context<Host>& host, const CsrMatrix<double, Host>& A) {
  std::vector<reference::Entry> entries;
  std::vector<bool> is_coupled(static_cast<std::size_t>(A.rows), false);
  constexpr double weight = 1e-3;
  for (Index i = 0; i < A.rows; ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i) + 1]); ++k) {
      const Index j = A.col_indices[k];
      is_coupled[static_cast<std::size_t>(j)] = is_coupled[static_cast<std::size_t>(j)] || i == 0;
      entries.push_back({i, j, i != j ? A.values[k] : A.values[k] + weight * (i == 0 ? A.rows : 1)});
    }
  }
  for (Index j = 0; j < A.rows; ++j) {
    if (!is_coupled[static_cast<std::size_t>(j)]) {
      entries.push_back({0, j, -weight});
      entries.push_back({j, 0, -weight});
    }
  }
  return reference::matrix_from_entries<double>(host, A.rows, A.cols, std::move(entries));
}

/// One matrix after the other on the diagonal.
inline CsrMatrix<double, Host> block_diagonal(Context<Host>& host, const std::vector<CsrMatrix<double, Host>>& blocks) {
  std::vector<reference::Entry> entries;
  Index rows = 0;
  for (const CsrMatrix<double, Host>& A : blocks) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
      for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]);
           ++k) {
        entries.push_back({rows + static_cast<Index>(i), rows + A.col_indices[k], A.values[k]});
      }
    }
    rows += A.rows;
  }
  return reference::matrix_from_entries<double>(host, rows, rows, std::move(entries));
}

}  // namespace amgsolve::ranks
