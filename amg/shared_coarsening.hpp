#pragma once

#include <exception>
#include <optional>

#include "amg/coarsening_choices.hpp"
#include "amg/options.hpp"
#include "amg/result.hpp"
#include "amg/shared_model.hpp"
#include "dist/node_layout.hpp"
#include "spmv/multi_vector.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {

/// The step from a level whose rows ranks share to the next coarser one, strip by strip.
template <class T, MemorySpace S>
struct SharedStep {
  WindowStrip<T, S> P;                 ///< rows of the window of the level's A, columns of the coarser level
  LocalMatrix<T, S> R;                 ///< Pᵀ diag(y), own rows
  NodeStrip<T, S> A;                   ///< R A P, of as many unknowns a node as there are candidates
  MultiVector<T, S> candidates;        ///< of the coarser level
  Buffer<Index, S> aggregate_of_node;  ///< of the own nodes, see Level
  double spectral_radius = 0.0;        ///< ρ(D⁻¹M)
  CouplingKind kind = CouplingKind::plain;
  LevelSummary summary;  ///< without rows, entries, bytes and the spectral radius
};

/// What Coarsening does, to the same bits on any number of ranks: an aggregate is its root's
/// owner's, and so are the coarse rows and their candidates. Collective. Empty where the step is not one that ranks can
/// share, or would not coarsen, so that each of them must have the whole level: nodes of dense rows (amg/hubs.hpp), a
/// prolongator that the symmetric measure filters, a level that stalls.
/// @param A              over a window of whole nodes
/// @param M              its model
/// @param candidates     of the own rows
/// @param block_size     unknowns a node
/// @param finer          what A's level is told of those above it
/// @param light          A as an operator where that is there; becomes it where it is stored for the spectral radius,
///                       on all ranks; else empty
/// Phases: those of Coarsening.
template <class T, MemorySpace S>
std::optional<SharedStep<T, S>> coarsen_shared(Context<S>& ctx, const NodeStrip<T, S>& A, const SharedModel<T, S>& M,
                                               std::type_identity_t<MultiVectorView<const T, S>> candidates,
                                               Index block_size, const FinerLevels& finer, const AmgOptions& options,
                                               Operator<T, S>& light);

/// Ranks cannot share the levels of a matrix; no error, since each of them can have it whole.
class NotShareable : public std::exception {
 public:
  const char* what() const noexcept override { return "the ranks cannot share this matrix"; }
};

}  // namespace amgsolve
