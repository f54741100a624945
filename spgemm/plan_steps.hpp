#pragma once

#include "spmv/csr_matrix.hpp"

/// What a SpgemmPlan needs from a memory space.
namespace amgsolve {

/// How the rows of a planned product are worked on, in a memory space's own way: small beside the pattern of C.
template <MemorySpace S>
struct PlanSchedule;

template <>
struct PlanSchedule<Host> {
  Buffer<Index, Host> block_begins;  ///< the first row of each block of rows with about as many products
  Offset products = 0;
  Offset longest_row = 0;  ///< of C

  std::size_t bytes() const { return block_begins.bytes(); }
};

/// @param C_offsets  the row offsets of A B
template <class T>
PlanSchedule<Host> plan_schedule(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                 Span<const Offset, Host> C_offsets);

/// The values of C = A B, for a C that has the pattern of the product already; its values need not be set.
template <class T>
void sum_products(Context<Host>& ctx, const PlanSchedule<Host>& schedule, const CsrMatrix<T, Host>& A,
                  const CsrMatrix<T, Host>& B, CsrMatrix<T, Host>& C);

template <>
struct PlanSchedule<Cuda> {
  Offset products = 0;
  Index longest_row = 0;  ///< of C
  int lanes = 0;          ///< that work on a row together

  std::size_t bytes() const { return 0; }
};

template <class T>
PlanSchedule<Cuda> plan_schedule(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                 Span<const Offset, Cuda> C_offsets);
template <class T>
void sum_products(Context<Cuda>& ctx, const PlanSchedule<Cuda>& schedule, const CsrMatrix<T, Cuda>& A,
                  const CsrMatrix<T, Cuda>& B, CsrMatrix<T, Cuda>& C);

}  // namespace amgsolve
