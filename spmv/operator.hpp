#pragma once

#include "spmv/csr_matrix.hpp"
#include "spmv/fat_vector.hpp"

namespace amgsolve {

/// How the entries of an Operator lie in memory.
enum class Storage {
  automatic,  ///< the cheapest for products, by the lengths of the rows
  csr,
};

/// A sparse matrix A (n × m) as a cycle and a Krylov method multiply by it: stored once, after setup, in the storage
/// that is cheapest for products. Everything here has the meaning, shapes, costs and errors of the functions of the
/// same name in spmv.hpp.
template <class T, MemorySpace S>
class Operator {
 public:
  Operator() = default;

  /// Takes A. Where another storage than CSR is chosen, A's arrays are given back; a borrowed A stays the caller's.
  Operator(Context<S>& ctx, CsrMatrix<T, S> A, Storage storage = Storage::automatic);

  /// The values of an A of the same pattern in place of those before. One pass over the entries.
  /// Throws std::invalid_argument where A has not the sizes or the number of entries of the pattern.
  void update_values(Context<S>& ctx, const CsrMatrix<T, S>& A);

  Index rows() const { return A_.rows; }
  Index cols() const { return A_.cols; }
  Offset nnz() const { return A_.nnz(); }  ///< without padding
  std::size_t bytes() const { return A_.bytes(); }
  Storage storage() const { return Storage::csr; }  ///< never automatic

  /// Y = α A X + β Y.
  void apply(Context<S>& ctx, T alpha, FatView<const T, S> X, T beta, FatView<T, S> Y) const;

  /// R = B − A X.
  void residual(Context<S>& ctx, FatView<const T, S> B, FatView<const T, S> X, FatView<T, S> R) const;

  /// X_out = a D⁻¹(B − A X) + s X + c X_out.
  void smoothing_step(Context<S>& ctx, Span<const T, S> d, T a, T s, T c, FatView<const T, S> B, FatView<const T, S> X,
                      FatView<T, S> X_out) const;

 private:
  CsrMatrix<T, S> A_;
};

}  // namespace amgsolve
