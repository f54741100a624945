#include "spgemm/sort/esc_global.hpp"

#include <utility>
#include <vector>

#include "core/algorithms.hpp"
#include "core/timer.hpp"
#include "spgemm/rows/stack_rows_cuda.hpp"
#include "spgemm/sort/esc_steps_cuda.hpp"
#include "spmv/index_bits.hpp"

namespace amgsolve {
namespace {

/// Products of a slice that half of the free memory holds, with an entry of C for each; the other half is for C as a
/// whole.
template <class T>
Offset affordable_products(Context<Cuda>& ctx) {
  constexpr std::size_t bytes = 2 * (sizeof(std::uint64_t) + sizeof(T)) + sizeof(Index) + sizeof(T);
  return static_cast<Offset>(ctx.memory().free().bytes / 2 / bytes);
}

/// The rows of C of one slice.
template <class T>
CsrMatrix<T, Cuda> form_slice(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                              Span<const Offset, Cuda> product_offsets, const esc::Slice& slice) {
  const int col_bits = bits_below(B.cols);
  esc::Products<T> products(ctx, slice.products());
  {
    ScopedTimer timer(ctx, "expansion");
    esc::expand(ctx, A, B, product_offsets, slice, col_bits, products);
  }
  {
    ScopedTimer timer(ctx, "sorting");
    esc::sort(ctx, products, bits_below(slice.rows()) + col_bits);
  }
  ScopedTimer timer(ctx, "contraction");
  // The half of the keys that sorting left over is as large as the positions can be many.
  const Span<Offset, Cuda> starts(reinterpret_cast<Offset*>(products.other_keys.data()), products.other_keys.size());
  const Offset count = esc::find_starts(ctx, products.keys, starts);
  CsrMatrix<T, Cuda> C(ctx, slice.rows(), B.cols, count);
  esc::contract<T>(ctx, products, starts.subspan(0, static_cast<std::size_t>(count)), col_bits, C);
  return C;
}

}  // namespace

template <class T>
SpgemmProduct<T, Cuda> multiply_esc_global(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                           const SpgemmOptions& options) {
  SpgemmProduct<T, Cuda> result;
  const auto a_nnz = static_cast<std::size_t>(A.nnz());
  Buffer<Offset, Cuda> product_offsets(ctx, a_nnz + 1);
  {
    ScopedTimer timer(ctx, "analysis");
    esc::count_products(ctx, A, B, product_offsets.span().subspan(1, a_nnz));
    result.products = counts_to_offsets(ctx, product_offsets);
  }

  const Offset limit = options.slice_products > 0 ? options.slice_products : affordable_products<T>(ctx);
  std::vector<CsrMatrix<T, Cuda>> slices;
  for (Index begin = 0; begin < A.rows;) {
    const esc::Slice slice = esc::next_slice(ctx, A, product_offsets, begin, limit);
    slices.push_back(form_slice(ctx, A, B, product_offsets.span(), slice));
    begin = slice.end;
  }
  result.C = stack_rows(ctx, B.cols, std::move(slices));
  return result;
}

template SpgemmProduct<float, Cuda> multiply_esc_global(Context<Cuda>&, const CsrMatrix<float, Cuda>&,
                                                        const CsrMatrix<float, Cuda>&, const SpgemmOptions&);
template SpgemmProduct<double, Cuda> multiply_esc_global(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                                         const CsrMatrix<double, Cuda>&, const SpgemmOptions&);

}  // namespace amgsolve
