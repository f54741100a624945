#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "spmv/csr_matrix.hpp"

namespace amgsolve::reference {

/// A file of PETSc's, object by object, with integers of type I.
template <class I>
class PetscFile {
 public:
  PetscFile& integers(std::initializer_list<std::int64_t> integers) {
    for (const std::int64_t n : integers) {
      add(static_cast<I>(n));
    }
    return *this;
  }

  PetscFile& values(std::initializer_list<double> values) {
    for (const double x : values) {
      add(x);
    }
    return *this;
  }

  PetscFile& matrix(const CsrMatrix<double, Host>& A) {
    integers({1211216, A.rows, A.cols, A.nnz()});
    for (Index i = 0; i < A.rows; ++i) {
      integers({A.row_offsets.data()[i + 1] - A.row_offsets.data()[i]});
    }
    for (Offset k = 0; k < A.nnz(); ++k) {
      integers({A.col_indices.data()[k]});
    }
    for (Offset k = 0; k < A.nnz(); ++k) {
      values({A.values.data()[k]});
    }
    return *this;
  }

  /// 2 × 3: [4 0 -1; 0 2.5 0]
  PetscFile& matrix() { return integers({1211216, 2, 3, 3}).integers({2, 1}).integers({0, 2, 1}).values({4, -1, 2.5}); }
  PetscFile& vector() { return integers({1211214, 2}).values({7, -8}); }

  const std::string& bytes() const { return bytes_; }

 private:
  /// Big-endian.
  template <class V>
  void add(V value) {
    std::string bytes(reinterpret_cast<const char*>(&value), sizeof(V));
    std::ranges::reverse(bytes);
    bytes_ += bytes;
  }

  std::string bytes_;
};

}  // namespace amgsolve::reference
