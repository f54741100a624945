#pragma once

#include "amg/coarsening_choices.hpp"
#include "amg/couplings.hpp"
#include "amg/options.hpp"
#include "core/context.hpp"
#include "dist/layout.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

/// Strength of connection on a level as the defaults have it; see Coarsening. Where ranks share the level, M is its
/// square_of() the window, `window` is that of the nodes, what is said of rows is that of the own ones, and all of this
/// is collective.
namespace amgsolve {

/// How the nodes of a level are coupled.
template <class T, MemorySpace S>
struct LevelCouplings {
  Couplings<T, S> couplings;
  CouplingKind kind = CouplingKind::plain;
  bool is_signed = false;  ///< the measure
  bool filters =
      false;  ///< whether P is to be smoothed with A_F, or, by the symmetric measure, along strong couplings alone
};

/// By the measure that serves the level.
/// @param M               the model of A
/// @param diagonal        of M
/// @param near_nullspace  candidates of A's level
/// @param finer           the kind of the next finer level; directed above the finest
template <class T, MemorySpace S>
LevelCouplings<T, S> find_couplings(Context<S>& ctx, const CsrMatrix<T, S>& M,
                                    std::type_identity_t<Span<const T, S>> diagonal,
                                    std::type_identity_t<MultiVectorView<const T, S>> near_nullspace, Index block_size,
                                    int level, CouplingKind finer, const AmgOptions& options,
                                    std::type_identity_t<const Layout<S>*> window = nullptr);

/// By the symmetric measure, of the norms of blocks where nodes have several unknowns.
template <class T, MemorySpace S>
LevelCouplings<T, S> find_symmetric_couplings(Context<S>& ctx, const CsrMatrix<T, S>& M,
                                              std::type_identity_t<Span<const T, S>> diagonal, Index block_size,
                                              const AmgOptions& options,
                                              std::type_identity_t<const Layout<S>*> window = nullptr);

}  // namespace amgsolve
