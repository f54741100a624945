#pragma once

#include <cstdint>
#include <utility>

#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/row_entries.hpp"
#include "spmv/row_lengths.hpp"

namespace amgsolve {

/// Rows of a slice: those that a warp of a GPU reads together.
inline constexpr Index slice_rows = 32;

inline constexpr Index slice_count(Index rows) { return rows / slice_rows + (rows % slice_rows != 0); }

/// Rows of a window, eight slices: a byte tells where a row lies in it.
inline constexpr Index sorted_rows = 256;

/// Where slices begin, and at the end where the last one ends, which the host knows.
template <MemorySpace S>
struct SliceOffsets {
  Buffer<Offset, S> begins;
  Offset end;

  /// Places of all rows in the slices.
  std::size_t places() const { return static_cast<std::size_t>(slice_rows * end); }
};

/// Synchronises.
template <MemorySpace S>
SliceOffsets<S> offsets_of_slices(Context<S>& ctx, Span<const Index, S> widths) {
  Buffer<Offset, S> begins(ctx, widths.size() + 1);
  widen(ctx, widths, begins.span().subspan(1, widths.size()));
  const Offset end = counts_to_offsets(ctx, begins);
  return {std::move(begins), end};
}

/// A sparse matrix in sliced ELLPACK format (Monakov, Lokhmotov, Avetisyan, Automatically tuning sparse matrix-vector
/// multiplication for GPU architectures, 2010): every slice of 32 consecutive rows is stored as an EllMatrix, padded to
/// the longest of its own rows. On the host the rows of a window lie in the order of their lengths where that spares
/// padding (Kreutzer, Hager, Wellein, Fehske, Bishop, A unified sparse matrix data format for efficient general sparse
/// matrix-vector multiplication on modern processors with wide SIMD units, 2014).
template <class T, MemorySpace S>
struct SellMatrix {
  Index rows = 0;
  Index cols = 0;
  Offset entries = 0;               ///< without the padding
  Buffer<Offset, S> slice_offsets;  ///< where slices begin, counted in columns of 32 entries; one more than slices
  Buffer<std::uint8_t, S> places;   ///< of the rows in their windows; empty where they lie in their own order
  Buffer<Index, S> col_indices;
  Buffer<T, S> values;

  SellMatrix() = default;

  /// @param width  of all slices together
  SellMatrix(Context<S>& ctx, Index rows_, Index cols_, Offset width, Offset entries_)
      : rows(rows_),
        cols(cols_),
        entries(entries_),
        slice_offsets(ctx, static_cast<std::size_t>(slice_count(rows_)) + 1),
        col_indices(ctx, static_cast<std::size_t>(slice_rows * width)),
        values(ctx, static_cast<std::size_t>(slice_rows * width)) {}

  /// Room for the entries of A. Synchronises.
  /// @param slice_widths  the longest row of each slice
  SellMatrix(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const Index, S> slice_widths,
             Buffer<std::uint8_t, S> places_ = {})
      : rows(A.rows), cols(A.cols), entries(A.nnz()), places(std::move(places_)) {
    SliceOffsets<S> slices = offsets_of_slices(ctx, slice_widths);
    col_indices = Buffer<Index, S>(ctx, slices.places());
    values = Buffer<T, S>(ctx, slices.places());
    slice_offsets = std::move(slices.begins);
  }

  Offset nnz() const { return entries; }
  std::size_t bytes() const { return slice_offsets.bytes() + places.bytes() + col_indices.bytes() + values.bytes(); }
};

/// Row i of a matrix in slices with the padding behind it; those that fill the last slice up have padding alone.
AMGSOLVE_HOST_DEVICE inline RowEntries room_in_slice(const Offset* slice_offsets, Offset i) {
  const Offset slice = i / slice_rows;
  const Offset begin = slice_offsets[slice];
  return {begin * slice_rows + i % slice_rows, slice_rows, static_cast<Index>(slice_offsets[slice + 1] - begin)};
}

/// The arrays of a matrix, to be read.
template <class T>
struct SellRef {
  static constexpr bool has_padding = true;
  static constexpr Index block_rows = slice_rows;  ///< consecutive rows of which entry k lies together

  Index rows;
  const Offset* slice_offsets;
  const Index* col_indices;
  const T* values;
  const std::uint8_t* places = nullptr;  ///< null where rows lie in their own order, as they do on a device

  AMGSOLVE_HOST_DEVICE ListedEntries row(Offset i) const { return {room(i), col_indices}; }
  AMGSOLVE_HOST_DEVICE RowEntries room(Offset i) const { return room_in_slice(slice_offsets, place(i)); }
  /// Where row i lies among all.
  AMGSOLVE_HOST_DEVICE Offset place(Offset i) const {
#if !defined(__CUDA_ARCH__)
    if (places != nullptr && i < rows) {
      return i / sorted_rows * sorted_rows + places[i];
    }
#endif
    return i;
  }
  Offset rooms() const { return Offset{slice_count(rows)} * slice_rows; }
};

template <class T, MemorySpace S>
SellRef<T> ref_of(const SellMatrix<T, S>& A) {
  return {A.rows, A.slice_offsets.data(), A.col_indices.data(), A.values.data(), A.places.data()};
}

/// A copy in host memory. Synchronises `ctx`.
template <class T, MemorySpace S>
SellMatrix<T, Host> download(Context<S>& ctx, Context<Host>& host, const SellMatrix<T, S>& A) {
  SellMatrix<T, Host> B(host, A.rows, A.cols, static_cast<Offset>(A.values.size()) / slice_rows, A.nnz());
  B.places = Buffer<std::uint8_t, Host>(host, A.places.size());
  download(ctx, A.slice_offsets.span(), B.slice_offsets.span());
  download(ctx, A.places.span(), B.places.span());
  download(ctx, A.col_indices.span(), B.col_indices.span());
  download(ctx, A.values.span(), B.values.span());
  return B;
}

/// Without the offsets, of which 32 rows have one, and the rows' places.
/// @param entry_bytes  of a column and a value
inline double sell_bytes(const RowLengths& A, double entry_bytes) { return entry_bytes * A.in_windows; }

}  // namespace amgsolve
