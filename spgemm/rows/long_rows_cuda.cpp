#include "spgemm/rows/long_rows_cuda.hpp"

#include "core/timer.hpp"
#include "spgemm/rows/row_subset_cuda.hpp"
#include "spgemm/sort/esc_global.hpp"

namespace amgsolve {

template <class T>
LongRows<T>::LongRows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                      Span<const Index, Cuda> rows, Span<Offset, Cuda> lengths, Offset slice_products)
    : rows_(rows) {
  if (rows.empty()) {
    return;
  }
  ScopedTimer timer(ctx, "large rows");
  product_ = multiply_esc_global(ctx, gather_rows(ctx, A, rows), B, {.slice_products = slice_products}).C;
  scatter_row_lengths(ctx, product_, rows, lengths);
}

template <class T>
void LongRows<T>::write(Context<Cuda>& ctx, CsrMatrix<T, Cuda>& C) const {
  if (!rows_.empty()) {
    scatter_rows(ctx, product_, rows_, C);
  }
}

template class LongRows<float>;
template class LongRows<double>;

}  // namespace amgsolve
