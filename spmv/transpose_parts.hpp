#pragma once

#include <memory>

#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// Some rows of Aᵀ that follow one another, and their entries.
struct TransposedRows {
  Index first;
  Index end;
  Offset begin;  ///< of the first row
  Offset stop;   ///< behind the last row

  bool has(Index row) const { return row >= first && row < end; }
};

/// The entries of A in the order of Aᵀ: see transpose_rows.hpp.
template <class T, MemorySpace S>
class EntriesByColumn;

/// The transpose of A, of which some rows are wanted at once and others elsewhere and later. Takes the scratch of
/// transpose() until it ends; nothing is written twice, so no row may be asked for twice. Works on the context's
/// workspace: what opens a scope of that before must not close it earlier.
template <class T, MemorySpace S>
class TransposeInParts {
 public:
  /// Finds the order of the entries.
  /// @param A  must outlive this
  TransposeInParts(Context<S>& ctx, const CsrMatrix<T, S>& A);
  ~TransposeInParts();

  Span<const Offset, S> row_offsets() const;  ///< of Aᵀ
  Offset nnz() const;

  /// Where entries are written: their columns, which are rows of A, become first_column + row.
  struct Target {
    Span<Index, S> columns;
    Span<T, S> values;
    Index first_column = 0;
  };

  /// The entries of some rows, one after another, from the place `begin` of the target on.
  void write(Context<S>& ctx, const TransposedRows& rows, Offset begin, const Target& target);
  /// Those of each row from a place of its own on.
  /// @param begins  of these rows
  void write(Context<S>& ctx, const TransposedRows& rows, Span<const Offset, S> begins, const Target& target);
  /// Those of all other rows, one after another.
  void write_others(Context<S>& ctx, const TransposedRows& rows, const Target& target);

 private:
  struct Order;

  std::unique_ptr<Order> order_;
};

}  // namespace amgsolve
