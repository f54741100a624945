#pragma once

#include <cmath>

#include "spmv/multi_vector.hpp"
#include "spmv/storages.hpp"

/// What products of all storages are made of.
namespace amgsolve::detail {

/// What becomes of (A X)_ij, summed in `Sum`, at position = i · k + j of multivectors: store(position, load(i,
/// position), sum). What load() reads a device may have on its way while it sums.
template <class T>
struct MultiplyAdd {
  using Sum = T;
  T alpha;
  T beta;
  T* y;

  AMGSOLVE_HOST_DEVICE T load(Offset, Offset position) const { return beta == T{0} ? T{0} : y[position]; }
  AMGSOLVE_HOST_DEVICE void store(Offset position, T before, T sum) const {
    y[position] = beta == T{0} ? alpha * sum : alpha * sum + beta * before;
  }
};

template <class T>
struct Residual {
  using Sum = T;
  const T* b;
  T* r;

  AMGSOLVE_HOST_DEVICE T load(Offset, Offset position) const { return b[position]; }
  AMGSOLVE_HOST_DEVICE void store(Offset position, T rhs, T sum) const { r[position] = rhs - sum; }
};

/// Adds a term to a sum whose rounding errors are added apart (Knuth's TwoSum): sum + error is exact but for roundings
/// of the errors.
template <class Value>
AMGSOLVE_HOST_DEVICE void add_exactly(Value& sum, Value& error, const Value& term) {
  const Value next = sum + term;
  const Value taken = next - sum;
  error += (sum - (next - taken)) + (term - taken);
  sum = next;
}

/// A sum and that of its terms' magnitudes, in double: value + error is within (u + n² u²) · magnitude of Σ a_l x_l for
/// n terms and double's unit roundoff u, the first u being that of the products.
struct JudgedSum {
  double value;
  double error;
  double magnitude;

  JudgedSum() = default;
  AMGSOLVE_HOST_DEVICE explicit JudgedSum(double x) : value(x), error(0.0), magnitude(std::abs(x)) {}

  AMGSOLVE_HOST_DEVICE JudgedSum& operator+=(double term) {
    add_exactly(value, error, term);
    magnitude += std::abs(term);
    return *this;
  }
  AMGSOLVE_HOST_DEVICE JudgedSum& operator+=(const JudgedSum& other) {
    error += other.error;
    add_exactly(value, error, other.value);
    magnitude += other.magnitude;
    return *this;
  }
  AMGSOLVE_HOST_DEVICE friend double operator*(const JudgedSum& a, const JudgedSum& b) { return a.value * b.value; }
};

template <class T>
struct JudgedResidual {
  using Sum = JudgedSum;
  const T* b;
  double* r;
  T* magnitudes;

  AMGSOLVE_HOST_DEVICE double load(Offset, Offset position) const { return static_cast<double>(b[position]); }
  AMGSOLVE_HOST_DEVICE void store(Offset position, double rhs, JudgedSum sum) const {
    r[position] = rhs - sum.value - sum.error;
    magnitudes[position] = static_cast<T>(std::abs(rhs) + sum.magnitude);
  }
};

template <class T>
struct SmoothingStep {
  using Sum = T;
  T a;
  T s;
  T c;
  const T* d;
  const T* b;
  const T* x;  ///< x_i of the first row
  T* out;

  struct Operands {
    T d;
    T b;
    T x;
    T out;
  };

  AMGSOLVE_HOST_DEVICE Operands load(Offset row, Offset position) const {
    return {d[row], b[position], x[position], c == T{0} ? T{0} : out[position]};
  }
  AMGSOLVE_HOST_DEVICE void store(Offset position, const Operands& of, T sum) const {
    const T next = a * of.d * (of.b - sum) + s * of.x;
    out[position] = c == T{0} ? next : next + c * of.out;
  }
};

/// The epilogue of (A X)_ij for every row and column. Sums have the order of a row's entries, except by several
/// lanes on a device.
/// @param lanes  that share a row of a CSR matrix on a device, by its entries and by columns of X; other storages
///               have one for the entries
template <class Ref, class T, class Epilogue>
void multiply_rows(Context<Host>& ctx, const Ref& A, MultiVectorView<const T, Host> X, int lanes,
                   const Epilogue& epilogue);
template <class Ref, class T, class Epilogue>
void multiply_rows(Context<Cuda>& ctx, const Ref& A, MultiVectorView<const T, Cuda> X, int lanes,
                   const Epilogue& epilogue);

/// widths_s = the length of the longest row in slice s.
void find_slice_widths(Context<Host>& ctx, Span<const Offset, Host> row_offsets, Span<Index, Host> widths);
void find_slice_widths(Context<Cuda>& ctx, Span<const Offset, Cuda> row_offsets, Span<Index, Cuda> widths);

/// The same of the rows of each window in the order of their lengths, longest first, those of one length in their own;
/// places_i = where row i then lies in its window.
void sort_windows(Context<Host>& ctx, Span<const Offset, Host> row_offsets, Span<std::uint8_t, Host> places,
                  Span<Index, Host> widths);

/// Puts row i of A, if there is one, into its room, with padding behind it. Without columns the values alone.
template <class T>
AMGSOLVE_HOST_DEVICE void store_row(const CsrRef<T>& A, Offset i, const RowEntries& room, Index* columns, T* values) {
  const ListedEntries row = i < A.rows ? A.row(i) : ListedEntries{};
  for (Index e = 0; e < room.count; ++e) {
    const Offset place = room.place(e);
    values[place] = e < row.count ? A.values[row.place(e)] : T{0};
    if (columns != nullptr) {
      columns[place] = e < row.count ? row.column(e) : padding;
    }
  }
}

/// Puts the entries of A, where col_indices is not empty, or else their values alone, to the places that B tells, and
/// padding where none is.
template <class Ref, class T>
void store_entries(Context<Host>& ctx, const CsrRef<T>& A, const Ref& B, Span<Index, Host> col_indices,
                   Span<T, Host> values);
template <class Ref, class T>
void store_entries(Context<Cuda>& ctx, const CsrRef<T>& A, const Ref& B, Span<Index, Cuda> col_indices,
                   Span<T, Cuda> values);

/// The entries at the places that A tells, in CSR.
template <class T, class Ref>
CsrMatrix<T, Host> collect_entries(Context<Host>& ctx, const Ref& A, Index cols, Offset nnz);

}  // namespace amgsolve::detail
