#include "amg/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "amg/block_size.hpp"
#include "amg/constants_check.hpp"
#include "amg/relaxed_constants.hpp"
#include "amg/rigid_body_modes.hpp"
#include "amg/tentative.hpp"
#include "amg/translations.hpp"
#include "amg/unknown_order.hpp"
#include "core/copy.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/power_of_two.hpp"
#include "core/vector_error.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

/// Candidates with norms this far from 1 are scaled; the others are taken as they are.
constexpr int most_scaling_exponent = 40;

template <class T, MemorySpace S>
Candidates<T, S> made_candidates(MultiVector<T, S> made, Modes modes = Modes::given) {
  const MultiVectorView<const T, S> vectors = std::as_const(made);
  return {vectors, std::move(made), modes};
}

/// Refuses candidates that are none. Returns them, or copies with norms of about 1 where a norm is far from that.
template <class T, MemorySpace S>
Candidates<T, S> scaled(Context<S>& ctx, Candidates<T, S> candidates) {
  std::vector<double> scales = norms<T>(ctx, candidates.vectors);
  bool is_near = true;
  for (std::size_t j = 0; j < scales.size(); ++j) {
    if (!std::isfinite(scales[j]) || scales[j] == 0.0) {
      throw VectorError(
          VectorError::Role::near_nullspace,
          format_text("near-nullspace vector {} is zero, or contains NaN, infinity or numbers too large for its norm",
                      j + 1));
    }
    is_near = is_near && std::abs(std::ilogb(scales[j])) < most_scaling_exponent;
    scales[j] = 1.0 / power_of_two_below(scales[j]);
  }
  if (is_near) {
    return candidates;
  }
  MultiVector<T, S> result(ctx, candidates.vectors.rows, candidates.vectors.columns);
  Buffer<double, S> factors(ctx, scales.size());
  upload<double>(ctx, {scales.data(), scales.size()}, factors.span());
  scale_columns<T, T>(ctx, factors, candidates.vectors, result);
  return made_candidates(std::move(result));
}

/// With the translations that it lacks.
template <class T, MemorySpace S>
Candidates<T, S> completed(Context<S>& ctx, const CsrMatrix<T, S>& A, Candidates<T, S> candidates, Index block_size) {
  WithTranslations<T, S> with = with_translations(ctx, A, candidates.vectors, block_size);
  if (with.vectors.rows() == 0) {
    return candidates;
  }
  if (with.missing > 0) {
    ctx.profile().note(
        format_text("the near-nullspace lacked {} of {} translations, which are added", with.missing, block_size));
  }
  return made_candidates(std::move(with.vectors));
}

}  // namespace

std::optional<Index> told_unknowns_a_node(std::int64_t rows, Index nodes, const AmgOptions& amg) {
  if (amg.block_size && rows % *amg.block_size != 0) {
    throw InputError(format_text("'amg.block_size' is {}, and the matrix has {} rows, which is no multiple of it",
                                 *amg.block_size, rows));
  }
  if (nodes > 0 && (rows % nodes != 0 || (amg.block_size && rows / nodes != *amg.block_size))) {
    throw VectorError(VectorError::Role::coordinates,
                      format_text("there are coordinates of {} nodes for a matrix of {} rows{}", nodes, rows,
                                  amg.block_size ? format_text(" and a block size of {}", *amg.block_size) : ""));
  }
  if (nodes > 0) {
    return static_cast<Index>(rows / nodes);
  }
  if (!amg.block_size && amg.unknowns == Numbering::by_field) {
    throw InputError("'amg.unknowns' by_field needs 'amg.block_size', or coordinates of the nodes");
  }
  return amg.block_size;
}

void note_block_size(Profile& profile, Index found) {
  profile.note(format_text("{} unknowns a node, by the pattern of the matrix ('amg.block_size')", found));
}

void note_fitted(Profile& profile, Modes modes, bool are_scaled, const Relaxation& relaxation) {
  const bool are_of_bodies = modes == Modes::of_coordinates;
  if (relaxation.products > 0) {
    profile.note(
        format_text("A takes {} far from zero: the near-nullspace is relaxed by {} products, which "
                    "leave {:.1f} % of |A| |B| for A B on average instead of {:.1f} %",
                    are_of_bodies ? "rigid-body modes" : "constants", relaxation.products, 100.0 * relaxation.image,
                    100.0 * relaxation.image_before));
  } else if (are_scaled) {
    profile.note(
        format_text("rows differ in size: the near-nullspace is {}",
                    are_of_bodies ? "rigid-body modes times 1 / sqrt(a_ii)" : "1 / sqrt(a_ii) instead of constants"));
  }
}

template <class T, MemorySpace S>
Index find_unknowns_a_node(Context<S>& ctx, const CsrMatrix<T, S>& A, const RowMagnitudes& magnitudes, Index nodes,
                           const AmgOptions& amg, MatrixKind kind) {
  if (const std::optional<Index> told = told_unknowns_a_node(A.rows, nodes, amg)) {
    return *told;
  }
  const Index found = kind == MatrixKind::general ? 1 : find_block_size(ctx, A, magnitudes);
  if (found > 1) {
    note_block_size(ctx.profile(), found);
  }
  return found;
}

template <class T, MemorySpace S>
Candidates<T, S> candidates_or_constants(Context<S>& ctx, Index rows, Index block_size,
                                         MultiVectorView<const T, S> given) {
  if (given.rows > 0) {
    return {given};
  }
  MultiVector<T, S> constants(ctx, rows, block_size);
  fill_constant_candidates<T>(ctx, constants);
  return made_candidates(std::move(constants), Modes::constants);
}

template <class T, MemorySpace S>
void scale_if_made(Context<S>& ctx, const CsrMatrix<T, S>& A, const RowMagnitudes& magnitudes,
                   Candidates<T, S>& candidates) {
  if (candidates.modes == Modes::given) {
    return;
  }
  if (std::optional<MultiVector<T, S>> vectors = scaled_constants(ctx, A, magnitudes, candidates.made)) {
    candidates = made_candidates(*std::move(vectors), scaled(candidates.modes));
    candidates.are_scaled = true;
  }
}

template <class T, MemorySpace S>
Relaxation relax_if_made(Context<S>& ctx, const CsrMatrix<T, S>& A, Candidates<T, S>& candidates) {
  if (candidates.modes == Modes::given) {
    return {};
  }
  std::optional<RelaxedConstants<T, S>> fitted = relaxed_constants(ctx, A, candidates.made);
  if (!fitted) {
    return {};
  }
  candidates = made_candidates(std::move(fitted->vectors), relaxed(candidates.modes));
  return fitted->relaxation;
}

template <class T, MemorySpace S>
Candidates<T, S> told_candidates(Context<S>& ctx, Index rows, MultiVectorView<const T, S> near_nullspace,
                                 MultiVectorView<const T, S> coordinates, Index block_size, bool is_by_field) {
  if (coordinates.rows > 0) {
    expect_dimensions(coordinates.columns);
  }
  const Modes modes = modes_of(near_nullspace.rows, coordinates.rows, block_size);
  if (modes == Modes::of_coordinates) {
    return made_candidates(rigid_body_modes<T>(ctx, coordinates, block_size), modes);
  }
  if (modes == Modes::constants) {
    return candidates_or_constants(ctx, rows, block_size, near_nullspace);
  }
  if (near_nullspace.rows != rows) {
    throw std::invalid_argument(
        format_text("near-nullspace of {} rows for a matrix of {} rows", near_nullspace.rows, rows));
  }
  Candidates<T, S> given{near_nullspace};
  if (is_by_field) {
    given = made_candidates(by_node(ctx, near_nullspace, block_size));
  }
  return scaled(ctx, std::move(given));
}

template <class T, MemorySpace S>
Candidates<T, S> find_candidates(Context<S>& ctx, const CsrMatrix<T, S>& A, MultiVectorView<const T, S> near_nullspace,
                                 MultiVectorView<const T, S> coordinates, Index block_size, bool is_by_field) {
  Candidates<T, S> told = told_candidates(ctx, A.rows, near_nullspace, coordinates, block_size, is_by_field);
  const bool may_lack_some = near_nullspace.rows > 0 && block_size > 1;
  return may_lack_some ? completed(ctx, A, std::move(told), block_size) : std::move(told);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                            \
  template Index find_unknowns_a_node(Context<S>&, const CsrMatrix<T, S>&, const RowMagnitudes&, Index,       \
                                      const AmgOptions&, MatrixKind);                                         \
  template Candidates<T, S> candidates_or_constants(Context<S>&, Index, Index, MultiVectorView<const T, S>);  \
  template void scale_if_made(Context<S>&, const CsrMatrix<T, S>&, const RowMagnitudes&, Candidates<T, S>&);  \
  template Relaxation relax_if_made(Context<S>&, const CsrMatrix<T, S>&, Candidates<T, S>&);                  \
  template Candidates<T, S> told_candidates(Context<S>&, Index, MultiVectorView<const T, S>,                  \
                                            MultiVectorView<const T, S>, Index, bool);                        \
  template Candidates<T, S> find_candidates(Context<S>&, const CsrMatrix<T, S>&, MultiVectorView<const T, S>, \
                                            MultiVectorView<const T, S>, Index, bool);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
