#pragma once

#include <optional>

#include "amg/options.hpp"
#include "amg/result.hpp"
#include "core/context.hpp"
#include "dist/layout.hpp"
#include "spmv/operator.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

/// Looks whether the constants of block_size unknowns a node are what a symmetric A takes nearly to zero. Two products
/// for each of them, and two more where a node is said to be one unknown; 32 bytes of scratch for each of up to 6
/// vectors and each row. Synchronises. Phase: "constants check". Nothing where there is no memory for it: what
/// called has its own result. Where ranks share the rows collective, to the same figures as on one.
/// @param numbering  of A; by_node where ranks share the rows
template <class T, MemorySpace S>
std::optional<ConstantsCheck> check_constants(Context<S>& ctx, const Operator<T, S>& A, Index block_size,
                                              Numbering numbering = Numbering::by_node);

/// Looks whether the candidates are what a symmetric A takes nearly to zero in most rows, of 4096 that are spread
/// evenly or all: those given or made from coordinates, and the constants of several unknowns a node by the one
/// numbering and the other, but for scaled ones, which have been looked at. Synchronises.
/// @param vectors     the candidates where `modes` are not constants
/// @param numbering   that A is said to have; where it is by_field and A has not been ordered by node, of_coordinates
///                    are by node all the same
/// @param is_ordered  A, said to be by field, and the candidates have been ordered by node
template <class T, MemorySpace S>
ModesCheck check_modes(Context<S>& ctx, const CsrMatrix<T, S>& A, Modes modes,
                       std::type_identity_t<MultiVectorView<const T, S>> vectors, Index block_size, Numbering numbering,
                       bool is_ordered);

/// Rows take constants that are some near-nullspace to so much of |A| |B| on average, for boundaries.
inline constexpr double most_image_of_usual_constants = 0.02;

/// Means of |A B| / |A| |B| over rows, of the column of B where it is largest: 0 where A takes B to zero, 1 where it
/// takes nothing away from it.
struct MeanImages {
  double all = 0.0;
  double opposite = 0.0;  ///< of rows where a_ii B_ij (A B)_ij < 0 alone, as boundaries and mass terms leave none
  double lone = 0.0;      ///< of those alone where no other a_ik B_kj has the sign of a_ii B_ij, as in M-matrices
  double by_signs = 0.0;  ///< less what |a_ii B_ij| is beyond all other parts, which no signs of B take away: of
                          ///< constants nothing where rows are those of a Laplacian and a mass term
};

/// These over 4096 rows that are spread evenly, or all, the same for any number of ranks. Costs what a product with
/// these rows does. Synchronises.
/// @param B       has the ghosts' values in its margins
/// @param window  of A's columns where A is a strip of a matrix that ranks share. Then collective
template <class T, MemorySpace S>
MeanImages mean_images(Context<S>& ctx, const CsrMatrix<T, S>& A, const MultiVector<T, S>& B,
                       std::type_identity_t<const Layout<S>*> window = nullptr);

/// The constants B with row i divided by √|a_ii|, times a power of two that leaves them near 1, where a symmetric A
/// takes these nearer to zero: what L takes nearly to zero, S L S does when it is divided by S, a diagonal matrix, as
/// of the unknowns' units; and √|a_ii| is S up to what the diagonal of L varies. How near is the mean of |A B| / |A|
/// |B| over 4096 rows that are spread evenly, or all, the same for any number of ranks. Nothing where rows are of the
/// same size, where the constants are as near or nearly so, as with coefficients that jump, or where the diagonal is
/// not of one sign. Costs what a product with these rows does, and where the constants are not near another one and two
/// passes over B, with memory for B and a vector. Synchronises.
/// @param magnitudes  of all rows
/// @param constants   of the unknowns of a node, or a body's rigid-body modes, as A's rows and columns are numbered
/// @param window      of A's columns where A is a strip of a matrix that ranks share: the constants are those of its
///                    own rows, with the ghosts' in their margins. Then collective
template <class T, MemorySpace S>
std::optional<MultiVector<T, S>> scaled_constants(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                                  const RowMagnitudes& magnitudes, const MultiVector<T, S>& constants,
                                                  std::type_identity_t<const Layout<S>*> window = nullptr);

}  // namespace amgsolve
