#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

/// What check_matrix() learned of a matrix.
struct MatrixFindings {
  RowMagnitudes magnitudes;
  EntryPosition asymmetry{};  ///< an entry that differs from its mirror; none where A is symmetric

  bool is_symmetric() const { return asymmetry.row < 0; }
};

/// Refuses a matrix that no method here is for: throws InputError where A is not square, not a valid CSR structure, has
/// a NaN or infinite entry, a zero row, or a largest entry beyond 2^±900 (in float 2^±96), each naming the row, counted
/// from 1. A is symmetric where ‖A − Aᵀ‖ is at most 1e−10 ‖A‖ in double, 1e−5 ‖A‖ in float, by a randomised estimate
/// for A with its rows and columns scaled to the same size, or no single entry shows otherwise. Synchronises.
template <class T, MemorySpace S>
MatrixFindings check_matrix(Context<S>& ctx, const CsrMatrix<T, S>& A);

/// How A is stored for its checks, where that is light: see Operator::beside(). On the host products with two vectors
/// take longer by patterns than in CSR.
template <MemorySpace S>
constexpr Storage storage_of_checks(Storage wanted) {
  return std::same_as<S, Cuda> ? wanted : Storage::csr;
}

/// What of it does not depend on the values.
template <class T, MemorySpace S>
void check_pattern(Context<S>& ctx, const CsrMatrix<T, S>& A);

/// What does, in a structure that was checked before.
/// @param stored  A, as products multiply by it
template <class T, MemorySpace S>
MatrixFindings check_values(Context<S>& ctx, const CsrMatrix<T, S>& A, const Operator<T, S>& stored);

/// The first rows, in order, of which the diagonal entry is not positive, and not negative; −1 where there is none.
struct DiagonalSigns {
  Index not_positive = -1;
  Index not_negative = -1;

  bool all_positive() const { return not_positive < 0; }
  bool all_negative() const { return !all_positive() && not_negative < 0; }
  bool is_one() const { return all_positive() || all_negative(); }
};

/// Synchronises.
/// @param first   the column of the first row's diagonal entry, where others have the rest of the rows
/// @param stored  A, which is not read on a device where that is light
template <class T, MemorySpace S>
DiagonalSigns diagonal_signs(Context<S>& ctx, const CsrMatrix<T, S>& A, Index first = 0,
                             const Operator<T, S>& stored = {});

/// Throws the BreakdownError of an A whose diagonal is not of one sign, which names rows, counted from 1, that show it.
template <class T, MemorySpace S>
void throw_not_of_one_sign(Context<S>& ctx, const CsrMatrix<T, S>& A, const DiagonalSigns& signs, bool is_symmetric);

/// What is said of a row that is zero.
/// @param row  counted from 0
std::string error_of_zero_row(std::int64_t row);

/// How to solve so many equations directly, as the end of a sentence: "use a direct solver", ours where that is for it.
std::string directly(std::int64_t rows);

/// Whether products and quotients of a few entries of a matrix with such rows are numbers in T.
template <class T>
bool has_usual_magnitudes(const RowMagnitudes& magnitudes);

/// Whether a matrix with that symmetry_defect() counts as symmetric.
template <class T>
bool is_symmetric_within_rounding(double symmetry_defect);

}  // namespace amgsolve
