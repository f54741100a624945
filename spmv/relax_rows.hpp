#pragma once

#include "spmv/multi_vector.hpp"
#include "spmv/storages.hpp"

/// The step of Operator::relax_in_turn().
namespace amgsolve::detail {

/// x_ij += d_i (b_ij − (A x)_ij), in place.
template <class T>
struct Relaxation {
  const T* d;
  const T* b;
  T* x;
  Index columns;

  AMGSOLVE_HOST_DEVICE void operator()(Index row, Index column, T sum) const {
    const Offset position = Offset{row} * columns + column;
    x[position] += d[row] * (b[position] - sum);
  }
};

/// Relaxes these rows of A, of which no two are coupled.
/// @param row_work  entries of a row, on average
/// @param lanes     that share a row of a CSR matrix in a product on a device; the others have one
template <class Ref, class T>
void relax_rows(Context<Host>& ctx, const Ref& A, Span<const Index, Host> rows, std::int64_t row_work, int lanes,
                const Relaxation<T>& relaxation);
template <class Ref, class T>
void relax_rows(Context<Cuda>& ctx, const Ref& A, Span<const Index, Cuda> rows, std::int64_t row_work, int lanes,
                const Relaxation<T>& relaxation);

}  // namespace amgsolve::detail
