#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "amg/check_matrix.hpp"
#include "amg/options.hpp"
#include "amg/result.hpp"
#include "amg/spectral_radius.hpp"
#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/statistics.hpp"

/// What a look at a matrix tells of how to solve with it.
namespace amgsolve {

/// Beyond this share rows were multiplied by very different numbers: by 1e-12 to 1e12 it is 0.7; in matrices of flows,
/// circuits and chemical plants as they come it is 0.1 at most.
inline constexpr double most_lopsided = 0.25;

/// Of the entries beside the diagonal that have a mirror, neither of them zero, the share whose mirror is more than 1e4
/// times as large or as small. Of up to 4096 rows that are spread evenly. Synchronises.
template <class T, MemorySpace S>
double lopsided_share(Context<S>& ctx, const CsrMatrix<T, S>& A);

/// Counts of rows and entries.
struct EntryCounts {
  Index bandwidth;            ///< the largest |i − j| of an entry
  Offset unmatched;           ///< entries whose mirror is not stored
  Index positive_diagonal;    ///< rows
  Index negative_diagonal;    ///< rows; what is in neither is zero or not stored
  Offset positive_couplings;  ///< entries beside the diagonal
  Offset negative_couplings;
  Index dominant;   ///< rows with |a_ii| ≥ Σ_{j≠i} |a_ij|
  Index zero_sums;  ///< rows that sum to zero, to rounding
  Index uncoupled;  ///< rows of nothing but their diagonal, as Dirichlet conditions leave them
  double smallest;  ///< |a_ii| that is not zero
  double largest;   ///< |a_ii|
};

struct MatrixAnalysis {
  Index rows = 0;
  Offset nnz = 0;
  RowStatistics lengths;
  EntryCounts counts{};
  MatrixFindings findings{};
  Index components = 0;   ///< of the graph
  double lopsided = 0.0;  ///< see lopsided_share(); 0 where A is symmetric
  std::optional<ConstantsCheck>
      constants{};                   ///< of a symmetric A, with the unknowns a node that it would be solved with
  std::optional<RitzValues> ritz{};  ///< of D⁻¹A, or of −A's where the diagonal is negative; of a symmetric A with a
                                     ///< diagonal of one sign

  bool is_symmetric() const { return findings.is_symmetric(); }
  bool has_diagonal_of_one_sign() const { return counts.positive_diagonal == rows || counts.negative_diagonal == rows; }
  /// Whether a Ritz value shows it, beyond rounding.
  bool is_indefinite() const { return ritz && ritz->smallest < -1e-4 * ritz->largest; }
};

/// The Lanczos steps of an analysis.
inline constexpr int analysis_steps = 40;

/// Throws what check_matrix() throws. Cost: some passes over A with a search of the mirror of each entry, 43 to 49
/// products, and the search of the components; on a device that waits for it. Synchronises. Phase: "analysis".
/// Beside A it takes analysis_bytes(), and where the diagonal is negative a copy of the values. Throws, too, what
/// find_unknowns_a_node() and rigid_body_modes() throw of a symmetric A.
/// @param amg  which unknowns a node has, and how they are numbered
/// @param near_nullspace, coordinates  may be none; of a symmetric A of A's rows, or those of its nodes
template <class T, MemorySpace S>
MatrixAnalysis analyse_matrix(Context<S>& ctx, const CsrMatrix<T, S>& A, const AmgOptions& amg = {},
                              std::type_identity_t<MultiVectorView<const T, S>> near_nullspace = {},
                              std::type_identity_t<MultiVectorView<const T, S>> coordinates = {});

/// Bytes that an analysis needs beside the matrix: at its most the constants of a node's unknowns, of which it tries up
/// to three where it knows of fewer, scaled or not, a zero vector, magnitudes, and images in double. Of more unknowns
/// that it finds it looks at the constants where memory is left.
inline double analysis_bytes(double rows, Index block_size, std::size_t value_bytes) {
  return rows * std::max(block_size, Index{3}) * (sizeof(double) + 4.0 * static_cast<double>(value_bytes));
}

namespace detail {

/// One pass. A is square, its structure checked.
template <class T, MemorySpace S>
EntryCounts count_entries(Context<S>& ctx, const CsrMatrix<T, S>& A);

}  // namespace detail
}  // namespace amgsolve
