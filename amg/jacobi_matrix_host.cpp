#include "amg/jacobi_matrix.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {

template <class T>
CsrMatrix<T, Host> jacobi_matrix(Context<Host>& ctx, const CsrMatrix<T, Host>& A,
                                 Span<const std::type_identity_t<T>, Host> diagonal, std::type_identity_t<T> damping,
                                 Index first_own) {
  CsrMatrix<T, Host> J = borrow_pattern(ctx, A);
  parallel_for(ctx, A.rows, [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    const T scale = diagonal[i] > T{0} ? damping / diagonal[i] : T{0};
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      J.values[k] = (A.col_indices[k] == first_own + row ? T{1} : T{0}) - scale * A.values[k];
    }
  });
  ctx.profile().add({.bytes = static_cast<std::int64_t>(A.bytes() + J.values.bytes()), .flops = 2 * A.nnz()});
  return J;
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template CsrMatrix<T, S> jacobi_matrix(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, T, Index);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
