#include "core/parallel_host.hpp"
#include "spgemm/rows/row_products.hpp"

namespace amgsolve {

template <class T>
void count_row_products(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                        Span<Offset, Host> products) {
  const Offset* a_offsets = A.row_offsets.data();
  const Offset* b_offsets = B.row_offsets.data();
  const Index* a_cols = A.col_indices.data();
  parallel_for(ctx, A.rows, [&](std::int64_t i) {
    Offset sum = 0;
    for (Offset k = a_offsets[i]; k < a_offsets[i + 1]; ++k) {
      sum += b_offsets[a_cols[k] + 1] - b_offsets[a_cols[k]];
    }
    products.data()[i] = sum;
  });
}

template void count_row_products(Context<Host>&, const CsrMatrix<float, Host>&, const CsrMatrix<float, Host>&,
                                 Span<Offset, Host>);
template void count_row_products(Context<Host>&, const CsrMatrix<double, Host>&, const CsrMatrix<double, Host>&,
                                 Span<Offset, Host>);

}  // namespace amgsolve
