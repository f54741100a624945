#pragma once

#include <functional>
#include <optional>

#include "amg/graph.hpp"
#include "core/context.hpp"
#include "dist/layout.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// Strong connections of a matrix with one unknown a node, and the matrix that a prolongator is smoothed with.
template <class T, MemorySpace S>
struct Couplings {
  Graph<S> strong;
  CsrMatrix<T, S> filtered;     ///< A_F; empty where the filter drops nothing: then it is A itself
  CsrMatrix<T, S> kept_blocks;  ///< the pattern of the blocks that A_F keeps, where it is filtered in blocks
  double dropped_weight = 0.0;  ///< mean over the rows of min(1, Σ_dropped |a_ij B_j / B_i| / a_ii)
  /// Of the entries that are not strong, the share that A_F keeps; 0 where they are few (few_one_sided), without filter
  /// and of blocks. Where every row has couplings of the sizes of its neighbours' there are none, however they differ.
  double one_sided_share = 0.0;
  double threshold = 0.0;  ///< θ

  bool is_filtered() const { return filtered.rows > 0; }
};

/// What a θ makes of the couplings of all rows, before any are written.
struct CouplingSurvey {
  double nodes;
  double neighbours;       ///< of all nodes together
  double dropped_weight;   ///< as in Couplings
  double one_sided_share;  ///< likewise
};

/// Another θ, where the survey with the first one calls for it.
using SecondThreshold = std::function<std::optional<double>(const CouplingSurvey&)>;

/// A scaled coupling s_ij = −a_ij sign(B_i B_j) / √(a_ii a_jj) at most this large is weak wherever it stands.
inline constexpr double weakest_coupling = 0.02;

/// As few one-sided entries a row do not count.
inline constexpr double few_one_sided = 0.05;

/// A diagonal that lumping would make smaller than this fraction of a_ii stays as it is.
inline constexpr double least_lumped_diagonal = 1e-3;

/// The graph of strong connections by signed couplings, relative to the rows' largest, and A without its weak entries.
/// With B a vector that A nearly annihilates and m_i = max_j s_ij, i and j ≠ i are neighbours where s_ij is at least
/// weakest_coupling and θ √(m_i m_j). Couplings that pull against B are weak. The graph is as symmetric as A.
///
/// A_F keeps what is strong, and what is large in its row: −a_ij B_j / B_i ≥ θ max_k(−a_ik B_k / B_i). This is unscaled
/// and so one-sided: a soft row keeps its couplings to a stiff neighbour, the stiff row drops them. Dropped entries are
/// lumped with B, Σ_dropped a_ij B_j / B_i onto the diagonal, so that A_F B = A B, unless that left next to nothing of
/// the diagonal (least_lumped_diagonal).
///
/// Scaling A or B by a power of four changes no bit of the graph; the same on host and device for any number of
/// threads. Three passes over A, four where there is a second θ; scratch of a byte an entry. Synchronises.
/// @param diagonal   of A, A.rows entries; rows where it is not positive have no strong connections
/// @param candidate  B, A.rows entries; zeros count as positive and of no weight
/// @param threshold  θ
/// @param filter     whether A_F is wanted
/// @param second     asked once, where it is given, for a θ in place of the first
/// Throws std::invalid_argument naming the sizes where they do not match.
/// @param window  of A's rows and columns where A is a strip of a matrix that ranks share, as the square one of its
///                window (square_of()). Then collective; diagonal and candidate are those of the own rows, and
///                the dropped weight that of all ranks
template <class T, MemorySpace S>
Couplings<T, S> strong_couplings(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                 std::type_identity_t<Span<const T, S>> diagonal,
                                 std::type_identity_t<Span<const T, S>> candidate, double threshold, bool filter,
                                 std::type_identity_t<const Layout<S>*> window = nullptr,
                                 const SecondThreshold& second = {});

/// The values of an A_F, whose pattern stands, for new values of A, with what it dropped dropped again: those of
/// strong_couplings() bit by bit where A has the values that it had there.
/// Throws std::invalid_argument naming the sizes where they do not match.
template <class T, MemorySpace S>
void refill_filtered(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<const T, S>> candidate,
                     CsrMatrix<T, S>& filtered);

}  // namespace amgsolve
