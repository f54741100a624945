#pragma once

#include <utility>

#include "spmv/row_patterns.hpp"
#include "spmv/sell_matrix.hpp"

namespace amgsolve {

/// A sparse matrix whose values lie as in sliced ELLPACK, and whose columns are told by the patterns of its rows: 1
/// byte a row in place of 4 an entry. What products read of a stencil's matrix halves in float, and slices that are
/// alike, values and all, share them: of constant coefficients next to nothing is left to read.
template <class T, MemorySpace S>
struct PatternMatrix {
  Index rows = 0;
  Index cols = 0;
  Offset entries = 0;               ///< without the padding
  Buffer<Offset, S> slice_offsets;  ///< as those of a SellMatrix; of slices that are alike the same
  RowPatterns<S> patterns;
  Buffer<T, S> values;
  bool may_share = false;  ///< whether slices share values; else each has its own

  PatternMatrix() = default;

  /// Room for the entries of A, whose patterns these are. Synchronises.
  /// @param slice_widths  the longest row of each slice
  PatternMatrix(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const Index, S> slice_widths, RowPatterns<S> patterns_)
      : rows(A.rows), cols(A.cols), entries(A.nnz()), patterns(std::move(patterns_)) {
    SliceOffsets<S> slices = offsets_of_slices(ctx, slice_widths);
    values = Buffer<T, S>(ctx, slices.places());
    slice_offsets = std::move(slices.begins);
  }

  Offset nnz() const { return entries; }
  std::size_t bytes() const { return slice_offsets.bytes() + patterns.bytes() + values.bytes(); }
};

/// A by the patterns of its rows, the same rows in the same order. Three passes over the values, of which the last is
/// over those of different slices. Synchronises.
/// @param patterns  taken where nothing is thrown
template <class T, MemorySpace S>
PatternMatrix<T, S> store(Context<S>& ctx, const CsrMatrix<T, S>& A, RowPatterns<S>&& patterns);

/// The share of slices whose values store() keeps: of slices that are alike it keeps one.
template <class T>
double different_slices(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const RowPatterns<Host>& patterns);

/// Columns of a row that its pattern tells, by a pointer that goes on from entry to entry.
struct PatternColumns {
  const Index* next;  ///< shift
  Index row;

  /// Of the e-th entry from here.
  AMGSOLVE_HOST_DEVICE Index column(int e) const { return row + read_only(next + e); }
  AMGSOLVE_HOST_DEVICE void advance(int entries) { next += entries; }
};

/// The entries of a row whose columns its pattern tells.
struct PatternEntries : RowEntries {
  const Index* shifts;  ///< of the pattern
  Index row;

  AMGSOLVE_HOST_DEVICE Index column(Index e) const { return columns_from(e).column(0); }
  AMGSOLVE_HOST_DEVICE PatternColumns columns_from(Index e) const { return {shifts + e, row}; }
};

/// The arrays of a matrix, to be read.
template <class T>
struct PatternRef {
  static constexpr bool has_padding = false;  // none that is read
  static constexpr Index block_rows = slice_rows;

  Index rows;
  Index cols;
  const Offset* slice_offsets;
  const std::uint8_t* patterns;  ///< of the rows
  const Offset* starts;
  const Index* shifts;
  const T* values;

  AMGSOLVE_HOST_DEVICE PatternEntries row(Offset i) const {
    const std::uint8_t pattern = patterns[i];
    const Offset start = starts[pattern];
    return {{slice_offsets[i / slice_rows] * slice_rows + i % slice_rows, slice_rows,
             static_cast<Index>(starts[pattern + 1] - start)},
            shifts + start,
            static_cast<Index>(i)};
  }
  /// Where slices share no values.
  AMGSOLVE_HOST_DEVICE RowEntries room(Offset i) const { return room_in_slice(slice_offsets, i); }
  Offset rooms() const { return Offset{slice_count(rows)} * slice_rows; }
};

template <class T, MemorySpace S>
PatternRef<T> ref_of(const PatternMatrix<T, S>& A) {
  return {A.rows,
          A.cols,
          A.slice_offsets.data(),
          A.patterns.of_row.data(),
          A.patterns.starts.data(),
          A.patterns.shifts.data(),
          A.values.data()};
}

/// A copy in host memory. Synchronises `ctx`.
template <class T, MemorySpace S>
PatternMatrix<T, Host> download(Context<S>& ctx, Context<Host>& host, const PatternMatrix<T, S>& A) {
  const auto copied = [&]<class V>(const Buffer<V, S>& from) {
    Buffer<V, Host> to(host, from.size());
    download(ctx, from.span(), to.span());
    return to;
  };
  PatternMatrix<T, Host> B;
  B.rows = A.rows;
  B.cols = A.cols;
  B.entries = A.entries;
  B.slice_offsets = copied(A.slice_offsets);
  B.may_share = A.may_share;
  B.patterns = {copied(A.patterns.of_row), copied(A.patterns.starts), copied(A.patterns.shifts)};
  B.values = copied(A.values);
  return B;
}

}  // namespace amgsolve
