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
template <class T>
Offset count_product_entries(Context<Host>& ctx, const CsrRef<T>& R, const CsrRef<T>& A, const CsrRef<T>& P, Index cols,
                             const SampledRows& sample);
template <class T>
Offset count_product_entries(Context<Cuda>& ctx, const CsrRef<T>& R, const CsrRef<T>& A, const CsrRef<T>& P, Index cols,
                             const SampledRows& sample);

/// stratum_j = 1 + the stratum whose choice is column j, 0 where it is none's.
template <MemorySpace S>
void mark_sample(Context<S>& ctx, const RowStrata& choice, Span<Index, S> stratum);

/// Counts the entries of the columns marked, one after another: counts_k becomes that of stratum k. Where offsets are
/// given, lists their rows there, in no particular order.
/// @param counts  0 at first
template <class T, MemorySpace S>
void list_sample(Context<S>& ctx, const CsrMatrix<T, S>& P, std::type_identity_t<Span<const Index, S>> stratum,
                 std::type_identity_t<Span<Index, S>> counts, std::type_identity_t<Span<const Offset, S>> offsets,
                 std::type_identity_t<Span<Index, S>> rows);

#define AMGSOLVE_INSTANTIATE_DENSITY_STEPS(T, S)                                                                  \
  template Offset count_product_entries(Context<S>&, const CsrRef<T>&, const CsrRef<T>&, const CsrRef<T>&, Index, \
                                        const SampledRows&);                                                      \
  template void list_sample(Context<S>&, const CsrMatrix<T, S>&, Span<const Index, S>, Span<Index, S>,            \
                            Span<const Offset, S>, Span<Index, S>);

}  // namespace amgsolve
