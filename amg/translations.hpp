#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// Near-nullspace vectors that begin with the translations.
template <class T, MemorySpace S>
struct WithTranslations {
  MultiVector<T, S> vectors;  ///< of 0 rows: the vectors given are right as they are
  Index missing = 0;          ///< translations that they did not span
};

/// Whether each of the first b vectors is a translation, t_c the c-th, times a number.
template <class T, MemorySpace S>
bool begins_with_translations(Context<S>& ctx, std::type_identity_t<MultiVectorView<const T, S>> vectors,
                              Index block_size);

/// Near-nullspace vectors B of a body, of b > 1 unknowns a node, with the translations t_c (1 at unknown c of every
/// node) before them: coarse spaces need these above all, files of rotations alone leave them out, and
/// strong_block_couplings() takes the first b vectors for them.
///
/// Translations that B spans (within 1e-3 of their length) change its basis alone. One that it does not span joins it
/// where its Rayleigh quotient tᵀAt / tᵀDt, D the diagonal of A, is at most five times the largest one of B: where it
/// is as smooth as what the caller calls smooth. Vectors that those before them span are left out. Where a translation
/// is neither spanned nor smooth, or B begins with all of them, B stays as it is.
///
/// Some (b + k)² sums over A.rows and a product of A with b + k columns. Synchronises.
/// @param vectors  B, A.rows × k
template <class T, MemorySpace S>
WithTranslations<T, S> with_translations(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                         std::type_identity_t<MultiVectorView<const T, S>> vectors, Index block_size);

}  // namespace amgsolve
