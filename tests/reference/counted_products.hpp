#pragma once

#include <algorithm>
#include <vector>

#include "spgemm/spgemm.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

/// Sparse products whose rows sum as many products as a test wants.
namespace amgsolve::reference {

template <class T>
struct Operands {
  CsrMatrix<T, Host> A;
  CsrMatrix<T, Host> B;
};

/// An A and a B of `cols` ≥ 70 columns whose product's row i sums products[i] ≤ 8000 products: of rows of B with 70, 9
/// and 2 entries in turn as far as they go, then with one. Columns up to the last occur, many of them repeatedly.
template <class T>
Operands<T> operands_with_products(Context<Host>& ctx, const std::vector<Index>& products, Index cols) {
  constexpr Index lengths[] = {70, 9, 2};
  constexpr Index long_rows = 150;
  constexpr Index inner = long_rows + 8000;
  const auto length = [&](Index k) { return k < long_rows ? lengths[k % 3] : 1; };
  std::vector<Entry> b;
  for (Index k = 0; k < inner; ++k) {
    const Index stride = cols / length(k);
    for (Index j = 0; j < length(k); ++j) {
      b.push_back({k, cols - 1 - (j * stride + k % 97 % stride), 1.0 / (1 + k + j)});
    }
  }
  std::vector<Entry> a;
  for (std::size_t i = 0; i < products.size(); ++i) {
    Index left = products[i];
    for (Index k = 0; left > 0; ++k) {
      if (length(k) <= left) {
        a.push_back({static_cast<Index>(i), k, 0.5 + 1.0 / (1 + k)});
        left -= length(k);
      }
    }
  }
  return {matrix_from_entries<T>(ctx, static_cast<Index>(products.size()), inner, std::move(a)),
          matrix_from_entries<T>(ctx, inner, cols, std::move(b))};
}

#if AMGSOLVE_HAVE_CUDA
/// A B formed on a device.
template <class T>
CsrMatrix<T, Host> product_there(Context<Cuda>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                 const SpgemmOptions& options) {
  return download(ctx, multiply(ctx, upload(ctx, A), upload(ctx, B), options));
}
#endif

}  // namespace amgsolve::reference
