#pragma once

#include "spgemm/hash/tuning.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/one_pass_cuda.hpp"

/// The kernel of the one-pass hash algorithm; see hash_one_pass.hpp.
namespace amgsolve {

/// Tables in shared memory, one for each row at work.
struct HashPass {
  int lanes;  ///< of a warp that work on a row together: 4, 8, 16 or 32
  int slots;  ///< of a table, a power of two ≥ 32: a row with more entries does not fit, and a third of them is quick

  int tile_rows() const { return hash::threads_of_lanes / lanes; }
};

/// Forms C = A B for a B of less than 2³² entries.
template <class T>
void hash_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, const HashPass& pass,
               const OnePassTarget<T>& target);

}  // namespace amgsolve
