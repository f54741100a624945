#pragma once

#include <algorithm>

#include "core/context.hpp"
#include "core/instantiate.hpp"
#include "dist/layout.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/row_sample.hpp"

/// The steps of estimate_density() that are compiled for each memory space.
namespace amgsolve {

/// The rows of the coarse matrix, of so many, that its density is found by.
/// @param candidates  rows for each aggregate
inline RowStrata density_sample(std::int64_t coarse_rows, Index candidates) {
  const std::int64_t most = std::max(256 / candidates, 1);
  return {coarse_rows, static_cast<Index>(std::min(coarse_rows, most))};
}

/// A sample of the rows of a matrix, of which some are at hand.
struct SampledRows {
  RowStrata choice;
  WindowColumns at_hand;

  /// All rows are at hand.
  explicit SampledRows(const RowStrata& of_all)
      : SampledRows(of_all, {0, 0, static_cast<Index>(of_all.rows), nullptr, 0}) {}
  SampledRows(const RowStrata& of_all, const WindowColumns& window) : choice(of_all), at_hand(window) {}

  /// Among those at hand; −1 where it is not one of them.
  AMGSOLVE_HOST_DEVICE Index row(std::int64_t stratum) const { return at_hand.find_column_of(choice.row(stratum)); }
};

/// Σ over the rows of R sampled, which are R's where they are at hand, of the entries that R A P, which has `cols`
/// columns, has there. A need not be square. Synchronises.
/// @param first_of_A  the column of R that the first row of A belongs to: what R has in columns without a row is left
///                    out
template <class T>
Offset count_product_entries(Context<Host>& ctx, const CsrRef<T>& R, const CsrRef<T>& A, const CsrRef<T>& P, Index cols,
                             const SampledRows& sample, Index first_of_A = 0);
template <class T>
Offset count_product_entries(Context<Cuda>& ctx, const CsrRef<T>& R, const CsrRef<T>& A, const CsrRef<T>& P, Index cols,
                             const SampledRows& sample, Index first_of_A = 0);

/// is_chosen_j = 1 where column j is of the sample, else 0.
template <MemorySpace S>
void mark_sample(Context<S>& ctx, const RowStrata& choice, Span<std::uint8_t, S> is_chosen);

/// The entries k of P in columns of the sample, as s nnz + k of one in stratum s, in any order. Synchronises.
/// @param is_chosen  by mark_sample()
template <class T, MemorySpace S>
Buffer<std::uint64_t, S> list_sample(Context<S>& ctx, const CsrMatrix<T, S>& P, const RowStrata& choice,
                                     Span<const std::uint8_t, S> is_chosen);

/// Their rows, those of a stratum from its offset on.
/// @param found  by list_sample(), sorted
template <class T, MemorySpace S>
void fill_sample(Context<S>& ctx, const CsrMatrix<T, S>& P, Span<const std::uint64_t, S> found,
                 Span<Offset, S> row_offsets, Span<Index, S> rows);

#define AMGSOLVE_INSTANTIATE_DENSITY_STEPS(T, S)                                                                  \
  template Offset count_product_entries(Context<S>&, const CsrRef<T>&, const CsrRef<T>&, const CsrRef<T>&, Index, \
                                        const SampledRows&, Index);                                               \
  template Buffer<std::uint64_t, S> list_sample(Context<S>&, const CsrMatrix<T, S>&, const RowStrata&,            \
                                                Span<const std::uint8_t, S>);                                     \
  template void fill_sample(Context<S>&, const CsrMatrix<T, S>&, Span<const std::uint64_t, S>, Span<Offset, S>,   \
                            Span<Index, S>);

}  // namespace amgsolve
