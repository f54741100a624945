#pragma once

#include "core/context.hpp"
#include "spmv/coo_matrix.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/pattern_matrix.hpp"

/// Conversions between sparse formats, and what changes the order of entries. Results are the same for any number of
/// threads, on the host and on a device.
namespace amgsolve {

/// CSR from triplets in any order: rows sorted by column, duplicates summed in their order of occurrence.
/// @param duplicates  receives the number of entries that were merged into another one; may be null
/// Throws InputError naming the entry where an index is outside the matrix. O(nnz log(nnz of a row)) on the host; a
/// stable radix sort by row and column on a device, with 40 bytes of scratch an entry.
template <class T>
CsrMatrix<T, Host> coo_to_csr(Context<Host>& ctx, const CooMatrix<T, Host>& A, Offset* duplicates = nullptr);
template <class T>
CsrMatrix<T, Cuda> coo_to_csr(Context<Cuda>& ctx, const CooMatrix<T, Cuda>& A, Offset* duplicates = nullptr);

/// Triplets in row order.
template <class T>
CooMatrix<T, Host> csr_to_coo(Context<Host>& ctx, const CsrMatrix<T, Host>& A);
template <class T>
CooMatrix<T, Cuda> csr_to_coo(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A);

/// Aᵀ; its rows are sorted even where those of A are not. By a stable counting sort on the host, O(nnz + rows + cols);
/// by a stable radix sort on the bits that columns need on a device, with 20 bytes of scratch an entry, or 36 from 2³²
/// entries on.
template <class T, MemorySpace S>
CsrMatrix<T, S> transpose(Context<S>& ctx, const CsrMatrix<T, S>& A);

/// Sort each row by column, in place and stably; duplicates stay. Where memory runs out, every row still has all of its
/// entries; where the host is interrupted, entries are undefined. On the host with a copy of A where rows of more than
/// 64 entries are out of order, else without scratch.
template <class T>
void sort_rows(Context<Host>& ctx, CsrMatrix<T, Host>& A);
template <class T>
void sort_rows(Context<Cuda>& ctx, CsrMatrix<T, Cuda>& A);

/// A copy of A with rows sorted by column, duplicates summed in their order of occurrence. Throws InputError naming the
/// entry where a column is outside the matrix. Cost as of coo_to_csr.
template <class T, MemorySpace S>
CsrMatrix<T, S> sum_duplicates(Context<S>& ctx, const CsrMatrix<T, S>& A);

/// A without the entries whose value is exactly zero; A itself where it has none. O(rows + nnz); beside the result 8
/// bytes of scratch an entry on a device.
template <class T>
CsrMatrix<T, Host> drop_zeros(Context<Host>& ctx, CsrMatrix<T, Host> A);
template <class T>
CsrMatrix<T, Cuda> drop_zeros(Context<Cuda>& ctx, CsrMatrix<T, Cuda> A);

/// A with values times the factor, in double, converted from T to U. Takes A's other arrays, which may be borrowed.
template <class U, class T, MemorySpace S>
CsrMatrix<U, S> convert_values(Context<S>& ctx, CsrMatrix<T, S>&& A, double factor = 1.0);
/// The same of a copy.
template <class U, class T, MemorySpace S>
CsrMatrix<U, S> convert_values(Context<S>& ctx, const CsrMatrix<T, S>& A, double factor = 1.0);
template <class U, class T, MemorySpace S>
PatternMatrix<U, S> convert_values(Context<S>& ctx, const PatternMatrix<T, S>& A, double factor = 1.0);

/// A matrix over the arrays of another, which must outlive it.
template <class T, MemorySpace S>
CsrMatrix<T, S> borrow(const CsrMatrix<T, S>& A);

/// A matrix with uninitialised values of its own over the pattern of another, which must outlive it.
template <class T, MemorySpace S>
CsrMatrix<T, S> borrow_pattern(Context<S>& ctx, const CsrMatrix<T, S>& A);

namespace detail {

/// to_k = factor · from_k.
template <class U, class T>
void convert_list(Context<Host>& ctx, Span<const T, Host> from, double factor, Span<U, Host> to);
template <class U, class T>
void convert_list(Context<Cuda>& ctx, Span<const T, Cuda> from, double factor, Span<U, Cuda> to);

}  // namespace detail
}  // namespace amgsolve
