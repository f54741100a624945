#pragma once

#include "spmv/csr_matrix.hpp"

#if AMGSOLVE_HAVE_HYPRE
#include <HYPRE.h>
#include <_hypre_utilities.h>
#include <seq_mv.h>

#include <algorithm>
#endif

namespace amgsolve::bench {

#if AMGSOLVE_HAVE_HYPRE

/// y = A x by hypre, on its own copy of A.
class HypreMatvec {
 public:
  static constexpr bool available = true;

  explicit HypreMatvec(const CsrMatrix<double, Host>& A)
      : matrix_(hypre_CSRMatrixCreate(A.rows, A.cols, static_cast<HYPRE_Int>(A.nnz()))),
        x_(hypre_SeqVectorCreate(A.cols)),
        y_(hypre_SeqVectorCreate(A.rows)) {
    hypre_CSRMatrixInitialize(matrix_);
    std::copy_n(A.row_offsets.data(), A.row_offsets.size(), hypre_CSRMatrixI(matrix_));
    std::copy_n(A.col_indices.data(), A.col_indices.size(), hypre_CSRMatrixJ(matrix_));
    std::copy_n(A.values.data(), A.values.size(), hypre_CSRMatrixData(matrix_));
    hypre_SeqVectorInitialize(x_);
    hypre_SeqVectorInitialize(y_);
    hypre_SeqVectorSetConstantValues(x_, 1.0);
  }
  ~HypreMatvec() {
    hypre_CSRMatrixDestroy(matrix_);
    hypre_SeqVectorDestroy(x_);
    hypre_SeqVectorDestroy(y_);
  }
  HypreMatvec(const HypreMatvec&) = delete;
  HypreMatvec& operator=(const HypreMatvec&) = delete;

  void multiply() { hypre_CSRMatrixMatvec(1.0, matrix_, x_, 0.0, y_); }

 private:
  hypre_CSRMatrix* matrix_;
  hypre_Vector* x_;
  hypre_Vector* y_;
};

#else

/// hypre was not found when this was built.
class HypreMatvec {
 public:
  static constexpr bool available = false;

  explicit HypreMatvec(const CsrMatrix<double, Host>&) {}
  void multiply() {}
};

#endif

}  // namespace amgsolve::bench
