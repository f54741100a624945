#include "tests/reference/naive_spgemm.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "tests/reference/tolerance.hpp"

namespace amgsolve::reference {
template <class T>
CsrMatrix<T, Host> absolute(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  CsrMatrix<T, Host> result(ctx, A.rows, A.cols, A.nnz());
  std::copy(A.row_offsets.data(), A.row_offsets.data() + A.row_offsets.size(), result.row_offsets.data());
  std::copy(A.col_indices.data(), A.col_indices.data() + A.nnz(), result.col_indices.data());
  std::transform(A.values.data(), A.values.data() + A.nnz(), result.values.data(), [](T a) { return std::abs(a); });
  return result;
}

template <class T>
CsrMatrix<T, Host> naive_spgemm(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B) {
  std::vector<std::map<Index, T>> rows(static_cast<std::size_t>(A.rows));
  Offset nnz = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      const auto row = static_cast<std::size_t>(A.col_indices[k]);
      for (auto l = static_cast<std::size_t>(B.row_offsets[row]); l < static_cast<std::size_t>(B.row_offsets[row + 1]);
           ++l) {
        rows[i][B.col_indices[l]] += A.values[k] * B.values[l];
      }
    }
    nnz += static_cast<Offset>(rows[i].size());
  }
  CsrMatrix<T, Host> C(ctx, A.rows, B.cols, nnz);
  std::size_t k = 0;
  C.row_offsets[0] = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [col, value] : rows[i]) {
      C.col_indices[k] = col;
      C.values[k] = value;
      ++k;
    }
    C.row_offsets[i + 1] = static_cast<Offset>(k);
  }
  return C;
}

template <class T>
Offset longest_row(const CsrMatrix<T, Host>& A) {
  Offset longest = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    longest = std::max(longest, A.row_offsets[i + 1] - A.row_offsets[i]);
  }
  return longest;
}

template <class T>
double product_error_bound(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B) {
  const CsrMatrix<T, Host> magnitudes = naive_spgemm(ctx, absolute(ctx, A), absolute(ctx, B));
  const T* end = magnitudes.values.data() + magnitudes.nnz();
  const double largest =
      magnitudes.nnz() == 0 ? 0.0 : static_cast<double>(*std::max_element(magnitudes.values.data(), end));
  return summation_bound<T>(static_cast<double>(longest_row(A)), largest);
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                   \
  template CsrMatrix<T, Host> naive_spgemm(Context<Host>&, const CsrMatrix<T, Host>&, const CsrMatrix<T, Host>&); \
  template CsrMatrix<T, Host> absolute(Context<Host>&, const CsrMatrix<T, Host>&);                                \
  template Offset longest_row(const CsrMatrix<T, Host>&);                                                         \
  template double product_error_bound(Context<Host>&, const CsrMatrix<T, Host>&, const CsrMatrix<T, Host>&);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve::reference
