#pragma once

#include <cstdint>

#include "amg/aggregation.hpp"
#include "core/host_device.hpp"
#include "spmv/blas1.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"
#include "spmv/row_sample.hpp"

/// What Nullspace is made of, row by row and component by component.
namespace amgsolve::detail {

/// Whether |A B| > tolerance |A| |B| for a column of B in one of the first `rows` rows. Synchronises.
template <class T, MemorySpace S>
bool has_row_beyond_zero(Context<S>& ctx, const CsrMatrix<T, S>& A, Same<MultiVectorView<const T, S>> candidates,
                         double tolerance, Index rows);

/// Whether all candidates are zero at a node. Synchronises.
template <class T, MemorySpace S>
bool has_node_without_candidates(Context<S>& ctx, Same<MultiVectorView<const T, S>> candidates, Index block_size);

/// Vectors for a matrix whose rows may be in another order than theirs: its row i is their (i mod m) · rows / m + ⌊i /
/// m⌋. With m = rows the order is the same, with m = nodes the matrix is by field and the vectors are by node, with m =
/// unknowns a node the other way round.
template <class T>
struct PlacedVectors {
  const T* data;  ///< by row; null: the constants of `columns` unknowns of a node, by node
  std::int64_t columns;
  std::int64_t rows;
  std::int64_t m;

  AMGSOLVE_HOST_DEVICE double value(std::int64_t i, std::int64_t column) const {
    const std::int64_t place = m == rows ? i : i % m * (rows / m) + i / m;
    return data != nullptr             ? static_cast<double>(data[place * columns + column])
           : place % columns == column ? 1.0
                                       : 0.0;
  }
};

/// How many rows of the sample have |A B| > tolerance |A| |B| for a column of B. Synchronises.
template <class T, MemorySpace S>
std::int64_t count_rows_beyond_zero(Context<S>& ctx, const CsrMatrix<T, S>& A, const PlacedVectors<T>& B,
                                    double tolerance, RowStrata sample);

/// What sum_relative_images() counts in: integers add up to the same in any order, be it that of ranks.
inline constexpr double units_of_image = 0x1p20;

/// Sums over rows i of the largest |A B|_ij / (|A| |B|)_ij of the columns j of B, at most 1, each rounded to units.
struct RelativeImages {
  std::int64_t all = 0;
  std::int64_t opposite = 0;  ///< of those columns alone where a_ii B_ij (A B)_ij < 0
  std::int64_t lone = 0;      ///< of those alone where no other a_ik B_kj has the sign of a_ii B_ij
  std::int64_t by_signs = 0;  ///< less what |a_ii B_ij| is beyond all other parts, which no signs of B take away
};

/// These of rows of the sample. Synchronises.
/// @param first_row  of A among those that the sample is of; others are left out
/// @param first_own  the row of B that belongs to row 0 of A
template <class T, MemorySpace S>
RelativeImages sum_relative_images(Context<S>& ctx, const CsrMatrix<T, S>& A, const PlacedVectors<T>& B,
                                   RowStrata sample, std::int64_t first_row, Index first_own);

/// flags_ij = 1 where |residual| > tolerance · magnitude for a row of node i in column j, else 0.
template <class T, MemorySpace S>
void flag_nodes_beyond_zero(Context<S>& ctx, Same<MultiVectorView<const double, S>> residual,
                            Same<MultiVectorView<const T, S>> magnitudes, double tolerance, Index block_size,
                            Same<MultiVectorView<double, S>> flags);

/// result_ij = image_ij / Σ_q magnitude_iq, and 0 where |image_ij| ≤ tolerance · magnitude_ij.
template <class T, MemorySpace S>
void relative_images(Context<S>& ctx, Same<MultiVectorView<const double, S>> images,
                     Same<MultiVectorView<const T, S>> magnitudes, double tolerance,
                     Same<MultiVectorView<double, S>> result);

/// kept_ij = candidate_ij where flagged = 0 for i's component and column j, else 0.
template <class T, MemorySpace S>
void keep_candidates(Context<S>& ctx, Same<MultiVectorView<const T, S>> candidates, Index block_size,
                     const Aggregates<S>& components, Same<MultiVectorView<const double, S>> flagged,
                     Same<MultiVectorView<double, S>> kept);

/// products_i = Σ over the rows of node i of N_r ᵀ X_r: k × c values a node.
template <class T, MemorySpace S>
void multiply_nodes(Context<S>& ctx, Same<MultiVectorView<const double, S>> N, Same<MultiVectorView<const T, S>> X,
                    Index block_size, Same<MultiVectorView<double, S>> products);

/// How many candidates are left, and in how many components.
struct NullityCounts {
  std::int64_t candidates;
  std::int64_t components;
};

/// The k × k matrix of each component to its Cholesky factor, with zero columns for vanishing pivots. Synchronises.
template <MemorySpace S>
NullityCounts factor_components(Context<S>& ctx, MultiVectorView<double, S> gram);

/// sums_c = (L Lᵀ)⁻¹ sums_c for each component c, of k × c values.
template <MemorySpace S>
void solve_components(Context<S>& ctx, MultiVectorView<const double, S> factors, MultiVectorView<double, S> sums);

/// X_r −= N_r coefficients_c for all rows r of component c.
template <class T, MemorySpace S>
void subtract_candidates(Context<S>& ctx, Same<MultiVectorView<const double, S>> N,
                         Same<MultiVectorView<const double, S>> coefficients, Index block_size,
                         const Aggregates<S>& components, Same<MultiVectorView<T, S>> X);

}  // namespace amgsolve::detail
