#pragma once

#include "core/hash.hpp"
#include "core/host_device.hpp"
#include "spmv/csr_matrix.hpp"

/// The steps of estimate_density() that each memory space has its own of.
namespace amgsolve {

/// Rows of a matrix, one from each of `count` strata of neighbours.
struct RowSample {
  Index rows;
  Index count;  ///< at most `rows`

  /// A pseudo-random one, so that no pattern of the rows meets one of the sample.
  AMGSOLVE_HOST_DEVICE std::int64_t row(std::int64_t stratum) const {
    const std::int64_t begin = stratum * rows / count;
    const std::int64_t end = (stratum + 1) * rows / count;
    return begin + static_cast<std::int64_t>(hash64(static_cast<std::uint64_t>(stratum)) >> 1) % (end - begin);
  }
};

/// counts_s = the entries of the row of stratum s.
void count_sampled_rows(Context<Host>& ctx, Span<const Offset, Host> row_offsets, const RowSample& sample,
                        Span<Offset, Host> counts);
void count_sampled_rows(Context<Cuda>& ctx, Span<const Offset, Cuda> row_offsets, const RowSample& sample,
                        Span<Offset, Cuda> counts);

/// Copies the rows of the sample, whose row offsets in the result are known.
template <class T>
void copy_sampled_rows(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const RowSample& sample,
                       CsrMatrix<T, Host>& result);
template <class T>
void copy_sampled_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const RowSample& sample,
                       CsrMatrix<T, Cuda>& result);

}  // namespace amgsolve
