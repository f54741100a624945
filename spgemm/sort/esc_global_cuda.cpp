#include "spgemm/sort/esc_global.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/timer.hpp"
#include "spgemm/sort/esc_steps_cuda.hpp"
#include "spmv/counted_rows.hpp"
#include "spmv/index_bits.hpp"

namespace amgsolve {
namespace {

/// Entries of C of one slice.
template <class T>
struct Entries {
  Buffer<Index, Cuda> col_indices;
  Buffer<T, Cuda> values;
};

/// Products of a slice that half of the free memory holds, with an entry of C for each; the other half is for C as a
/// whole.
template <class T>
Offset affordable_products(Context<Cuda>& ctx) {
  constexpr std::size_t bytes = 2 * (sizeof(std::uint64_t) + sizeof(T)) + sizeof(Index) + sizeof(T);
  return static_cast<Offset>(ctx.memory().free().bytes / 2 / bytes);
}

template <class T>
Entries<T> form_slice(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                      Span<const Offset, Cuda> product_offsets, const esc::Slice& slice, Offset first_entry,
                      Span<Offset, Cuda> row_offsets) {
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
  const auto count = static_cast<std::size_t>(esc::find_starts(ctx, products.keys, starts));
  Entries<T> entries{Buffer<Index, Cuda>(ctx, count), Buffer<T, Cuda>(ctx, count)};
  esc::contract<T>(ctx, products, starts.subspan(0, count), col_bits, first_entry, entries.col_indices, entries.values,
                   row_offsets);
  return entries;
}

template <class T>
Entries<T> concatenate(Context<Cuda>& ctx, std::vector<Entries<T>> slices, Offset nnz) {
  if (slices.size() == 1) {
    return std::move(slices.front());
  }
  ScopedTimer timer(ctx, "concatenation");
  const auto size = static_cast<std::size_t>(nnz);
  Entries<T> all{Buffer<Index, Cuda>(ctx, size), Buffer<T, Cuda>(ctx, size)};
  std::size_t first = 0;
  for (const Entries<T>& slice : slices) {
    const std::size_t count = slice.values.size();
    copy(ctx, slice.col_indices.span(), all.col_indices.span().subspan(first, count));
    copy(ctx, slice.values.span(), all.values.span().subspan(first, count));
    first += count;
  }
  return all;
}

}  // namespace

template <class T>
SpgemmProduct<T, Cuda> multiply_esc_global(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                           const SpgemmOptions& options) {
  SpgemmProduct<T, Cuda> result{uncounted_matrix<T>(ctx, A.rows, B.cols)};
  CsrMatrix<T, Cuda>& C = result.C;
  set_zero(ctx, C.row_offsets.span().subspan(0, 1));

  const auto a_nnz = static_cast<std::size_t>(A.nnz());
  Buffer<Offset, Cuda> product_offsets(ctx, a_nnz + 1);
  {
    ScopedTimer timer(ctx, "analysis");
    esc::count_products(ctx, A, B, product_offsets.span().subspan(1, a_nnz));
    result.products = counts_to_offsets(ctx, product_offsets);
  }

  const Offset limit = options.slice_products > 0 ? options.slice_products : affordable_products<T>(ctx);
  std::vector<Entries<T>> slices;
  Offset nnz = 0;
  for (Index begin = 0; begin < A.rows;) {
    const esc::Slice slice = esc::next_slice(ctx, A, product_offsets, begin, limit);
    const auto offsets =
        C.row_offsets.span().subspan(static_cast<std::size_t>(slice.begin), static_cast<std::size_t>(slice.rows()) + 1);
    slices.push_back(form_slice(ctx, A, B, product_offsets.span(), slice, nnz, offsets));
    nnz += static_cast<Offset>(slices.back().values.size());
    begin = slice.end;
  }
  Entries<T> entries = concatenate(ctx, std::move(slices), nnz);
  C.col_indices = std::move(entries.col_indices);
  C.values = std::move(entries.values);
  return result;
}

template SpgemmProduct<float, Cuda> multiply_esc_global(Context<Cuda>&, const CsrMatrix<float, Cuda>&,
                                                        const CsrMatrix<float, Cuda>&, const SpgemmOptions&);
template SpgemmProduct<double, Cuda> multiply_esc_global(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                                         const CsrMatrix<double, Cuda>&, const SpgemmOptions&);

}  // namespace amgsolve
