#include "amg/matrix_analysis.hpp"

#include <utility>

#include "amg/candidates.hpp"
#include "amg/check_matrix.hpp"
#include "amg/connected_components.hpp"
#include "amg/constants_check.hpp"
#include "amg/relaxed_constants.hpp"
#include "amg/rigid_body_modes.hpp"
#include "amg/unknown_order.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/conversions.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {
namespace {

template <class T, MemorySpace S>
RitzValues ritz_values_of(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  return ritz_values<T, S>(ctx, A, diagonal_of(ctx, A), analysis_steps);
}

template <class T, MemorySpace S>
MultiVector<T, S> numbered_constants(Context<S>& ctx, Index rows, Index block_size, Numbering numbering) {
  Candidates<T, S> by_node = candidates_or_constants<T, S>(ctx, rows, block_size, {});
  if (numbering == Numbering::by_node) {
    return std::move(by_node.made);
  }
  MultiVector<T, S> by_field(ctx, rows, block_size);
  order_by_field<T>(ctx, by_node.vectors, block_size, by_field);
  return by_field;
}

/// Of a symmetric A.
template <class T, MemorySpace S>
std::optional<ConstantsCheck> check_candidates(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                               const RowMagnitudes& magnitudes, const Operator<T, S>& as_operator,
                                               const AmgOptions& amg, MultiVectorView<const T, S> near_nullspace,
                                               MultiVectorView<const T, S> coordinates) {
  const Index block_size = find_unknowns_a_node(ctx, A, magnitudes, coordinates.rows, amg, MatrixKind::definite);
  std::optional<ConstantsCheck> check = check_constants(ctx, as_operator, block_size, amg.unknowns);
  if (check) {
    Modes modes = modes_of(near_nullspace.rows, coordinates.rows, block_size);
    Relaxation relaxation;
    MultiVector<T, S> made;
    if (modes == Modes::constants) {
      made = numbered_constants<T>(ctx, A.rows, block_size, amg.unknowns);
    } else if (modes == Modes::of_coordinates) {
      made = rigid_body_modes<T>(ctx, coordinates, block_size);
    }
    // Rigid-body modes are node by node.
    if (modes == Modes::constants || (modes == Modes::of_coordinates && amg.unknowns == Numbering::by_node)) {
      if (std::optional<MultiVector<T, S>> vectors = scaled_constants(ctx, A, magnitudes, made)) {
        modes = scaled(modes);
        made = *std::move(vectors);
      }
      const bool is_negated = diagonal_signs(ctx, A).all_negative();
      const CsrMatrix<T, S> as_set_up = is_negated ? convert_values<T>(ctx, borrow(A), -1.0) : borrow(A);
      if (const auto fitted = relaxed_constants(ctx, as_set_up, made)) {
        modes = relaxed(modes);
        relaxation = fitted->relaxation;
      }
    }
    check->modes = check_modes(ctx, A, modes, modes == Modes::given ? near_nullspace : made.view(), block_size,
                               amg.unknowns, false);
    check->modes.relaxation = relaxation;
  }
  return check;
}

}  // namespace

template <class T, MemorySpace S>
MatrixAnalysis analyse_matrix(Context<S>& ctx, const CsrMatrix<T, S>& A, const AmgOptions& amg,
                              std::type_identity_t<MultiVectorView<const T, S>> near_nullspace,
                              std::type_identity_t<MultiVectorView<const T, S>> coordinates) {
  ScopedTimer timer(ctx, "analysis");
  MatrixAnalysis analysis;
  analysis.findings = check_matrix<T>(ctx, A);
  analysis.rows = A.rows;
  analysis.nnz = A.nnz();
  analysis.lengths = row_statistics<T>(ctx, A);
  analysis.counts = detail::count_entries(ctx, A);
  const Operator<T, S> as_operator(ctx, borrow(A), Storage::csr);
  analysis.components = connected_components(ctx, as_operator, 1).count;
  if (!analysis.is_symmetric()) {
    analysis.lopsided = lopsided_share(ctx, A);
  } else {
    analysis.constants =
        check_candidates(ctx, A, analysis.findings.magnitudes, as_operator, amg, near_nullspace, coordinates);
  }
  if (analysis.is_symmetric() && analysis.has_diagonal_of_one_sign()) {
    analysis.ritz = analysis.counts.negative_diagonal == A.rows
                        ? ritz_values_of<T>(ctx, convert_values<T>(ctx, borrow(A), -1.0))
                        : ritz_values_of<T>(ctx, A);
  }
  return analysis;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                               \
  template MatrixAnalysis analyse_matrix(Context<S>&, const CsrMatrix<T, S>&, const AmgOptions&, \
                                         MultiVectorView<const T, S>, MultiVectorView<const T, S>);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
