#pragma once

#include <gtest/gtest.h>

#include <amgsolve/amgsolve.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "problems/generate.hpp"
#include "tests/reference/model_problems.hpp"

/// What tests of the public API share: a program's own arrays, and the truth about a solution.
namespace amgsolve {

/// Of a host's solver that coarsens small matrices.
inline Options small_options() { return Options().set("solver.backend", "host").set("amg.coarse_size", 50); }

/// A matrix in a program's own arrays.
template <class T, class Offset>
struct OwnMatrix {
  std::int64_t rows = 0;
  std::vector<Offset> row_offsets;
  std::vector<std::int32_t> col_indices;
  std::vector<T> values;

  CsrView<T, Offset> view() const { return {rows, rows, row_offsets, col_indices, values}; }
};

template <class T, class Offset>
OwnMatrix<T, Offset> poisson(std::int64_t n) {
  Context<Host> ctx(1);
  const auto A = generate_matrix<T>(ctx, reference::poisson(reference::grid({n, n}), Discretization::fd));
  OwnMatrix<T, Offset> result;
  result.rows = A.rows;
  for (const auto offset : A.row_offsets.span()) {
    result.row_offsets.push_back(static_cast<Offset>(offset));
  }
  result.col_indices.assign(A.col_indices.span().begin(), A.col_indices.span().end());
  result.values.assign(A.values.span().begin(), A.values.span().end());
  return result;
}

/// y = A x of `columns` vectors, row-major, in double.
template <class Matrix, class T>
std::vector<double> naive_product(const Matrix& A, const T* x, std::size_t columns = 1) {
  std::vector<double> y(static_cast<std::size_t>(A.rows) * columns, 0.0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    for (auto e = static_cast<std::size_t>(A.row_offsets[i]); e < static_cast<std::size_t>(A.row_offsets[i + 1]); ++e) {
      for (std::size_t j = 0; j < columns; ++j) {
        y[i * columns + j] += static_cast<double>(A.values[e]) *
                              static_cast<double>(x[static_cast<std::size_t>(A.col_indices[e]) * columns + j]);
      }
    }
  }
  return y;
}

/// ‖b − A x‖ / ‖b‖ of column j, in double.
template <class T, class Offset>
double relative_residual(const OwnMatrix<T, Offset>& A, const std::vector<T>& b, const std::vector<T>& x,
                         std::size_t columns, std::size_t j) {
  const std::vector<double> product = naive_product(A, x.data(), columns);
  double residual_squared = 0.0;
  double b_squared = 0.0;
  for (std::size_t i = j; i < b.size(); i += columns) {
    const auto b_i = static_cast<double>(b[i]);
    residual_squared += (b_i - product[i]) * (b_i - product[i]);
    b_squared += b_i * b_i;
  }
  return std::sqrt(residual_squared / b_squared);
}

template <class Call>
Status status_thrown_by(Call&& call) {
  try {
    call();
  } catch (const Exception& error) {
    EXPECT_STRNE(error.what(), "");
    return error.status();
  }
  ADD_FAILURE() << "nothing was thrown";
  return Status::converged;
}

}  // namespace amgsolve
