#pragma once

#include <cstdint>

#include "spmv/csr_matrix.hpp"

/// The steps of expansion, sorting and contraction in global memory; see esc_global.hpp.
namespace amgsolve::esc {

/// Consecutive rows of A whose products are expanded together.
struct Slice {
  Index begin = 0;
  Index end = 0;
  Offset first_product = 0;  ///< products of all rows before
  Offset end_product = 0;

  Index rows() const { return end - begin; }
  Offset products() const { return end_product - first_product; }
};

/// The products of a slice: keys are row − begin in the upper and the column in the lower `col_bits` bits.
template <class T>
struct Products {
  Buffer<std::uint64_t, Cuda> keys;
  Buffer<T, Cuda> values;
  Buffer<std::uint64_t, Cuda> other_keys;  ///< for sorting, which is not in place
  Buffer<T, Cuda> other_values;

  Products(Context<Cuda>& ctx, Offset n)
      : keys(ctx, static_cast<std::size_t>(n)),
        values(ctx, static_cast<std::size_t>(n)),
        other_keys(ctx, static_cast<std::size_t>(n)),
        other_values(ctx, static_cast<std::size_t>(n)) {}
};

/// counts_k = entries of the row of B that entry k of A is multiplied with.
template <class T>
void count_products(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                    Span<Offset, Cuda> counts);

/// The longest slice from row `begin` < A.rows on with at most `limit` products, and no more than find_starts() takes;
/// at least one row. Synchronises.
/// @param product_offsets  products before each entry of A, nnz + 1
template <class T>
Slice next_slice(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const Offset, Cuda> product_offsets, Index begin,
                 Offset limit);

/// Writes keys and values of the slice's products in the order of A's entries.
template <class T>
void expand(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
            Span<const Offset, Cuda> product_offsets, const Slice& slice, int col_bits, Products<T>& products);

/// Sorts the products stably by the low `bits` bits of their keys, which are all that may be set.
template <class T>
void sort(Context<Cuda>& ctx, Products<T>& products, int bits);

/// The positions where a new key begins, ascending, into `starts` (room for all of them). Returns how many
/// (synchronises). Throws DeviceError for 2³¹ keys or more in a build by a CUDA older than 12.9.
Offset find_starts(Context<Cuda>& ctx, Span<const std::uint64_t, Cuda> keys, Span<Offset, Cuda> starts);

/// Sums sorted products of equal key from the first to the last into an entry each.
/// @param starts  position of the first product of each entry
/// @param C       the slice's rows, of as many entries, which are set
template <class T>
void contract(Context<Cuda>& ctx, const Products<T>& products, Span<const Offset, Cuda> starts, int col_bits,
              CsrMatrix<T, Cuda>& C);

}  // namespace amgsolve::esc
