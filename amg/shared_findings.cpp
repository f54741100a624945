#include "amg/shared_findings.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "amg/candidates.hpp"
#include "amg/check_matrix.hpp"
#include "amg/constants_check.hpp"
#include "amg/nullspace.hpp"
#include "amg/nullspace_steps.hpp"
#include "amg/shared_block_size.hpp"
#include "amg/tentative.hpp"
#include "amg/translations.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/halo.hpp"
#include "dist/node_layout.hpp"
#include "dist/transpose.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/matrix_checks.hpp"

namespace amgsolve {
namespace {

/// Of a column of the window. Synchronises.
template <MemorySpace S>
std::int64_t row_of(Context<S>& ctx, const Layout<S>& layout, Index column) {
  const Index own = column - layout.first_own();
  if (own >= 0 && own < layout.own_rows()) {
    return layout.first_row() + own;
  }
  return element(ctx, layout.ghosts(), static_cast<std::size_t>(own < 0 ? column : column - layout.own_rows()));
}

/// Refuses what no rank can work with, naming the row as the whole matrix has it.
/// @param own  of this rank's rows
template <class T, MemorySpace S>
void check_rows(Context<S>& ctx, const LocalMatrix<T, S>& A, const RowMagnitudes& own) {
  const Layout<S>& layout = *A.layout;
  collectively(ctx.communicator(), [&] {
    const EntryPosition wrong = A.rows_ascend ? EntryPosition{} : detail::find_wrong_column(ctx, A.A);
    if (wrong.row >= 0) {
      throw InputError(format_text("row {}: column {} is repeated or out of order", layout.first_row() + wrong.row + 1,
                                   row_of(ctx, layout, wrong.col) + 1));
    }
    if (!std::isfinite(own.largest)) {
      const EntryPosition bad = find_non_finite<T>(ctx, A.A);
      throw InputError(format_text("the matrix entry in row {}, column {} is NaN or infinite",
                                   layout.first_row() + bad.row + 1, row_of(ctx, layout, bad.col) + 1));
    }
    if (own.smallest == 0.0) {
      throw InputError(error_of_zero_row(layout.first_row() + find_zero_row<T>(ctx, A.A)));
    }
  });
}

/// Whether A has a diagonal that the method takes and entries of usual size; else `found` does not tell whether it is
/// symmetric. Throws where check_rows() does.
/// @param storage  see storage_of_checks()
template <class T, MemorySpace S>
bool has_usual_entries(Context<S>& ctx, const LocalMatrix<T, S>& A, Storage storage, Method method,
                       SharedFindings<T, S>& found) {
  const Communicator& communicator = ctx.communicator();
  RowMagnitudes& magnitudes = found.magnitudes;
  Buffer<T, S> scales;
  DiagonalSigns signs;
  collectively(communicator, [&] {
    scales = Buffer<T, S>(ctx, static_cast<std::size_t>(A.A.rows));
    magnitudes = scale_by_rows<T>(ctx, A.A, scales);
  });
  check_rows(ctx, A, magnitudes);
  magnitudes.largest = largest_of(communicator, magnitudes.largest);
  magnitudes.smallest = smallest_of(communicator, magnitudes.smallest);
  if (!has_usual_magnitudes<T>(magnitudes)) {
    return false;
  }
  Operator<T, S> stored;
  {
    ScopedTimer timer(ctx, "storage", 0);
    stored = Operator<T, S>::beside(ctx, A.A, storage, std::make_shared<Halo<T, S>>(A.layout), A.layout->first_row());
  }
  found.is_symmetric =
      is_symmetric_within_rounding<T>(symmetry_defect<T>(ctx, stored, scales.span(), A.layout->first_row()));
  collectively(communicator, [&] { signs = diagonal_signs(ctx, A.A, A.layout->first_own(), stored); });
  if (communicator.max(signs.all_positive() ? 0 : 1) == 0) {
    found.light = stored.is_light() ? std::move(stored) : Operator<T, S>();
    return true;
  }
  found.is_negated = communicator.max(A.A.rows > 0 && !signs.all_negative() ? 1 : 0) == 0;
  return found.is_negated || method == Method::minres;
}

/// Whether A takes all candidates to zero. Collective.
/// @param window  of them
template <class T, MemorySpace S>
bool takes_to_zero(Context<S>& ctx, const CsrMatrix<T, S>& A, MultiVectorView<const T, S> window) {
  return ctx.communicator().max(maps_to_zero<T>(ctx, A, window) ? 0 : 1) == 0;
}

/// The same of Aᵀ.
/// @param candidates  of the own rows
template <class T, MemorySpace S>
bool transpose_takes_to_zero(Context<S>& ctx, const LocalMatrix<T, S>& A, MultiVectorView<const T, S> candidates) {
  const LocalMatrix<T, S> transposed = transpose(ctx, A, A.layout->partition());
  const Buffer<T, S> window = window_of<T, S>(ctx, *transposed.layout, candidates.span(), candidates.columns);
  return takes_to_zero<T, S>(ctx, transposed.A, {window.data(), transposed.layout->columns(), candidates.columns});
}

/// Takes the candidates of this rank's rows with those of its ghosts, as find_candidates() and scale_if_made()
/// find them. Returns whether that does without the whole matrix.
template <class T, MemorySpace S>
bool take_candidates(Context<S>& ctx, const LocalMatrix<T, S>& A, const GivenOfAll<T, S>& given,
                     SharedFindings<T, S>& found) {
  const Layout<S>& layout = *A.layout;
  const Index block_size = found.block_size;
  found.modes = modes_of(given.near_nullspace.rows, given.coordinates.rows, block_size);
  const Margins margins = Halo<T, S>(A.layout).margins();
  std::optional<MultiVector<T, S>> own;
  all_alike(ctx.communicator(), [&] {
    const typename Context<S>::Alone alone(ctx);
    if (found.modes == Modes::constants) {
      own.emplace(ctx, layout.own_rows(), block_size, margins);
      fill_constant_candidates<T>(ctx, own->view(), layout.first_row());
      return;
    }
    const Candidates<T, S> told = told_candidates(ctx, checked_index(layout.partition().rows(), "rows"),
                                                  given.near_nullspace, given.coordinates, block_size, false);
    const MultiVectorView<const T, S> all = told.vectors;
    if (found.modes == Modes::of_coordinates || block_size == 1 || begins_with_translations<T>(ctx, all, block_size)) {
      own.emplace(ctx, layout.own_rows(), all.columns, margins);
      copy<T, T>(ctx, {all.data + layout.first_row() * all.columns, layout.own_rows(), all.columns}, own->view());
    }
  });
  if (!own) {
    return false;
  }
  found.candidates = *std::move(own);
  exchange_ghosts<T, S>(ctx, layout, found.candidates.view().widened(margins));
  if (found.modes != Modes::given && found.is_symmetric) {
    if (auto vectors = scaled_constants(ctx, A.A, found.magnitudes, found.candidates, &layout)) {
      found.candidates = *std::move(vectors);
      found.modes = scaled(found.modes);
      found.are_scaled = true;
    }
  }
  return true;
}

}  // namespace

template <class T, MemorySpace S>
SharedFindings<T, S> find_of_shared(Context<S>& ctx, const LocalMatrix<T, S>& A, const GivenOfAll<T, S>& given,
                                    const AmgOptions& amg, Method method) {
  SharedFindings<T, S> found;
  if (!has_usual_entries(ctx, A, storage_of_checks<S>(amg.storage), method, found)) {
    return found;
  }
  const std::optional<Index> told = told_unknowns_a_node(A.layout->partition().rows(), given.coordinates.rows, amg);
  found.block_size = told ? *told : found.is_symmetric ? find_shared_block_size(ctx, A, found.magnitudes) : 1;
  found.tells_block_size = !told && found.block_size > 1;
  if (!has_whole_nodes(A.layout->partition(), found.block_size)) {
    return found;
  }
  if (!take_candidates(ctx, A, given, found)) {
    return found;
  }
  const MultiVectorView<const T, S> own = std::as_const(found.candidates).view();
  found.is_singular = takes_to_zero<T, S>(ctx, A.A, own.widened(Halo<T, S>(A.layout).margins()));
  // A node where a singular one has no candidate is none of the others' component, and sums go by components.
  if (found.is_singular &&
      ctx.communicator().max(detail::has_node_without_candidates<T>(ctx, own, found.block_size) ? 1 : 0) > 0) {
    return found;
  }
  // Of one that is not symmetric what b must be orthogonal to is found with the whole matrix. An indefinite one that is
  // singular has a preconditioner that may not be.
  found.is_plain = found.is_symmetric ? !found.is_singular || method != Method::minres
                                      : !found.is_singular && !transpose_takes_to_zero(ctx, A, own);
  return found;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                             \
  template SharedFindings<T, S> find_of_shared(Context<S>&, const LocalMatrix<T, S>&, const GivenOfAll<T, S>&, \
                                               const AmgOptions&, Method);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
