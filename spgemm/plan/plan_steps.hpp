#pragma once

#include <cstdint>

#include "spmv/csr_matrix.hpp"

/// What a SpgemmPlan needs from a memory space.
namespace amgsolve {

/// How the rows of a planned product are worked on, in a memory space's own way.
template <MemorySpace S>
struct PlanSchedule;

template <>
struct PlanSchedule<Host> {
  Buffer<Index, Host> block_begins;  ///< the first row of each block of rows with about as many products
  Offset products = 0;
  Offset longest_row = 0;  ///< of C

  std::size_t bytes() const { return block_begins.bytes(); }

  /// Whether sum_products() reads the columns of B and C.
  bool reads_columns() const { return true; }
};

/// @param C  A B, of which only the pattern is used
template <class T>
PlanSchedule<Host> plan_schedule(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                 const CsrMatrix<T, Host>& C);

/// The values of C = A B, for a C that has the pattern of the product already; its values need not be set.
template <class T>
void sum_products(Context<Host>& ctx, const PlanSchedule<Host>& schedule, const CsrMatrix<T, Host>& A,
                  const CsrMatrix<T, Host>& B, CsrMatrix<T, Host>& C);

/// Where each product is added to: its position in its row of C, in the order of A's row, as many to a word as fit.
struct PackedPositions {
  Buffer<Offset, Cuda> row_words;  ///< where the words of each row begin
  Buffer<std::uint32_t, Cuda> words;
  int bits = 0;  ///< of a position; 0 where none are kept

  std::size_t bytes() const { return row_words.bytes() + words.bytes(); }
};

template <>
struct PlanSchedule<Cuda> {
  Offset products = 0;
  Index longest_row = 0;  ///< of C
  int lanes = 0;          ///< that work on a row together, or the threads of a block
  /// Kept where they take at most half of what A, B and C do, and B has less than 2³² entries.
  PackedPositions positions;

  std::size_t bytes() const { return positions.bytes(); }
  bool reads_columns() const { return positions.words.empty(); }
};

template <class T>
PlanSchedule<Cuda> plan_schedule(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                 const CsrMatrix<T, Cuda>& C);
template <class T>
void sum_products(Context<Cuda>& ctx, const PlanSchedule<Cuda>& schedule, const CsrMatrix<T, Cuda>& A,
                  const CsrMatrix<T, Cuda>& B, CsrMatrix<T, Cuda>& C);

}  // namespace amgsolve
