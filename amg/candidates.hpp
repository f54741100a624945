#pragma once

#include <cstdint>
#include <optional>

#include "amg/options.hpp"
#include "amg/result.hpp"
#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"
#include "spmv/statistics.hpp"

/// What a hierarchy is set up with beside the matrix: its unknowns a node and the near-nullspace candidates.
namespace amgsolve {

/// Unknowns a node as the caller tells them: amg.block_size, or rows over the nodes that there are coordinates of.
/// Throws InputError where they do not fit to each other, or nothing tells them and amg.unknowns is by_field.
/// @param nodes  0 where there are no coordinates
std::optional<Index> told_unknowns_a_node(std::int64_t rows, Index nodes, const AmgOptions& amg);

/// Those, or what find_block_size() finds, which note_block_size() notes.
/// @param magnitudes  of A's rows
template <class T, MemorySpace S>
Index find_unknowns_a_node(Context<S>& ctx, const CsrMatrix<T, S>& A, const RowMagnitudes& magnitudes, Index nodes,
                           const AmgOptions& amg, MatrixKind kind);

/// Notes that nodes have several unknowns by the pattern of the matrix.
void note_block_size(Profile& profile, Index found);

/// Vectors, the caller's or made for it.
template <class T, MemorySpace S>
struct Candidates {
  MultiVectorView<const T, S> vectors;
  MultiVector<T, S> made{};  ///< empty where they are the caller's
  Modes modes = Modes::given;
  bool are_scaled = false;  ///< by scale_if_made()
};

/// Those given, which may be none; else a constant for each unknown of a node.
template <class T, MemorySpace S>
Candidates<T, S> candidates_or_constants(Context<S>& ctx, Index rows, Index block_size,
                                         MultiVectorView<const T, S> given);

/// Makes constants, and rigid-body modes of coordinates, scaled_constants() where they are for A, which is symmetric,
/// in the order that it is set up in.
/// @param magnitudes  of its rows
template <class T, MemorySpace S>
void scale_if_made(Context<S>& ctx, const CsrMatrix<T, S>& A, const RowMagnitudes& magnitudes,
                   Candidates<T, S>& candidates);

/// Makes them, scaled or not, relaxed_constants() where they are for A. Returns how they came about.
template <class T, MemorySpace S>
Relaxation relax_if_made(Context<S>& ctx, const CsrMatrix<T, S>& A, Candidates<T, S>& candidates);

/// Notes that the near-nullspace was scaled or relaxed.
void note_fitted(Profile& profile, Modes modes, bool are_scaled, const Relaxation& relaxation);

/// What the candidates of a problem are; see find_candidates().
/// @param coordinates  rows of them, likewise near_nullspace
inline Modes modes_of(Index near_nullspace, Index coordinates, Index block_size) {
  return near_nullspace > 0                  ? Modes::given
         : coordinates > 0 && block_size > 1 ? Modes::of_coordinates
                                             : Modes::constants;
}

/// The candidates of a problem but for what may be missing in its near-nullspace: see find_candidates(), which
/// completes that.
/// @param rows  of A
template <class T, MemorySpace S>
Candidates<T, S> told_candidates(Context<S>& ctx, Index rows, MultiVectorView<const T, S> near_nullspace,
                                 MultiVectorView<const T, S> coordinates, Index block_size, bool is_by_field);

/// The candidates of a problem: its near-nullspace, by node, scaled to norms of about 1 where a norm is far from that,
/// and completed by with_translations() where there are several unknowns a node; else, of several, the
/// rigid_body_modes() of its coordinates; else constants. Throws std::invalid_argument where the near-nullspace has not
/// A's rows, InputError where one of its vectors is zero or not finite, or coordinates are not of 2 or 3 dimensions.
/// @param is_by_field  how near_nullspace is numbered; A is by node
template <class T, MemorySpace S>
Candidates<T, S> find_candidates(Context<S>& ctx, const CsrMatrix<T, S>& A, MultiVectorView<const T, S> near_nullspace,
                                 MultiVectorView<const T, S> coordinates, Index block_size, bool is_by_field);

}  // namespace amgsolve
