#include "amg/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "amg/bicgstab.hpp"
#include "amg/block_size.hpp"
#include "amg/check_matrix.hpp"
#include "amg/conjugate_gradients.hpp"
#include "amg/constants_check.hpp"
#include "amg/gmres.hpp"
#include "amg/minres.hpp"
#include "amg/multigrid_preconditioner.hpp"
#include "amg/nullspace.hpp"
#include "amg/optimal_polynomial.hpp"
#include "amg/raised_diagonal.hpp"
#include "amg/rigid_body_modes.hpp"
#include "amg/stationary_iteration.hpp"
#include "amg/symmetric_sum.hpp"
#include "amg/tentative.hpp"
#include "amg/translations.hpp"
#include "amg/unknown_order.hpp"
#include "core/copy.hpp"
#include "core/errors.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// How a matrix is solved.
struct Approach {
  Method method = Method::cg;  ///< never automatic
  MatrixKind kind = MatrixKind::definite;
  bool is_negated = false;  ///< what is set up is −A

  bool operator==(const Approach&) const = default;
};

bool is_symmetric_cycle(const AmgOptions& amg) {
  return amg.smoother.pre_sweeps == amg.smoother.post_sweeps && amg.cycle != CycleType::f && amg.cycle != CycleType::k;
}

std::string not_symmetric(const MatrixFindings& findings) {
  return fmt::format("not symmetric (entry in row {}, column {} differs from its mirror)", findings.asymmetry.row + 1,
                     findings.asymmetry.col + 1);
}

/// Throws InputError naming an entry where the method that was asked for is not for the matrix.
Approach approach_to(const MatrixFindings& findings, const AmgOptions& amg, Method wanted) {
  const bool needs_symmetry = wanted == Method::cg || wanted == Method::fcg || wanted == Method::minres;
  if (!findings.is_symmetric()) {
    if (needs_symmetry) {
      throw InputError(
          fmt::format("the matrix is {}: 'solver.method' {} needs a symmetric matrix; auto, gmres, fgmres and bicgstab "
                      "take any",
                      not_symmetric(findings), name(wanted)));
    }
    return {wanted == Method::automatic ? Method::fgmres : wanted, MatrixKind::general};
  }
  if (wanted == Method::automatic) {
    return {is_symmetric_cycle(amg) ? Method::cg : Method::fcg};
  }
  return {wanted, needs_symmetry || wanted == Method::amg ? MatrixKind::definite : MatrixKind::symmetric};
}

/// For a report to tell.
void note_approach(Profile& profile, const Approach& approach, const MatrixFindings& findings) {
  if (approach.kind == MatrixKind::general) {
    profile.note(fmt::format("{}: {}", not_symmetric(findings), name(approach.method)));
  }
  if (approach.is_negated) {
    profile.note("the diagonal is negative: -A x = -b is solved");
  }
}

}  // namespace

/// What a caller tells of the near-nullspace.
template <class T, MemorySpace S>
struct Given {
  MultiVectorView<const T, S> near_nullspace;
  MultiVectorView<const T, S> coordinates;
  Index block_size = 0;                      ///< of a near-nullspace that was found for an earlier matrix; else 0
  const MatrixFindings* findings = nullptr;  ///< of check_matrix(), where that ran before

  bool is_from_earlier() const { return block_size > 0; }
};

template <class T, MemorySpace S>
struct AmgSolver<T, S>::State {
  AmgOptions amg;
  SolverOptions solver;
  Approach approach{};  ///< to the matrix at hand
  std::unique_ptr<MultigridPreconditioner<T, S>> preconditioner{};
  Operator<T, S> beside{};                     ///< A, where the preconditioner is that of another matrix: under minres
  std::optional<Nullspace<T, S>> nullspace{};  ///< where A is singular and the candidates tell how
  MultiVector<T, S> near_nullspace{};          ///< that of the caller, kept for a later setup
  bool has_own_candidates = false;             ///< the caller gave none
  Index block_size = 1;                        ///< unknowns a node
  std::uint64_t pattern = 0;                   ///< pattern_hash() of the matrix, where new values may come
  int first_iterations = 0;                    ///< of the first solve after a setup; 0 before
  int last_iterations = 0;
  bool last_converged = true;

  MultigridPreconditioner<T, S>& ready_preconditioner() const {
    if (!preconditioner) {
      throw std::invalid_argument("AmgSolver: setup() has not run, or failed");
    }
    return *preconditioner;
  }

  bool is_beside() const { return approach.method == Method::minres; }

  /// A as the method multiplies by it.
  const Operator<T, S>& matrix() const {
    const MultigridPreconditioner<T, S>& ready = ready_preconditioner();
    return is_beside() ? beside : ready.matrix();
  }

  /// Whether the last solve was so slow that what is left of the last setup does not serve any more.
  bool is_outdated() const {
    return !last_converged || last_iterations > solver.rebuild_factor * std::max(first_iterations, 1);
  }

  Approach find_approach(Context<S>& ctx, const CsrMatrix<T, S>& A, const MatrixFindings& findings) const;
  void build(Context<S>& ctx, CsrMatrix<T, S> A, const Given<T, S>& given);
  Given<T, S> given_earlier() const { return {std::as_const(near_nullspace), {}, block_size, nullptr}; }
  MultiVectorView<const T, S> find_candidates(Context<S>& ctx, const CsrMatrix<T, S>& A, const Given<T, S>& given,
                                              MultiVector<T, S>& made) const;
  Index find_unknowns_a_node(Context<S>& ctx, const CsrMatrix<T, S>& A, MultiVectorView<const T, S> coordinates) const;
  bool is_by_field() const { return amg.unknowns == Numbering::by_field && block_size > 1; }
  void find_two_sided_nullspace(Context<S>& ctx, const CsrMatrix<T, S>& A, MultiVectorView<const T, S> candidates,
                                bool is_singular);
  void find_nullspace(Context<S>& ctx, MultiVectorView<const T, S> candidates, bool is_singular);
  void keep_nullspace(Context<S>& ctx, Nullspace<T, S> found);
};

namespace {

/// Candidates with norms this far from 1 are scaled; the others are taken as they are.
constexpr int most_exponent = 40;

/// The candidates, or in `constants` those of a problem that comes with none.
template <class T, MemorySpace S>
MultiVectorView<const T, S> candidates_or_constants(Context<S>& ctx, Index rows, Index block_size,
                                                    MultiVectorView<const T, S> candidates,
                                                    MultiVector<T, S>& constants) {
  if (candidates.rows > 0) {
    return candidates;
  }
  constants = MultiVector<T, S>(ctx, rows, block_size);
  fill_constant_candidates<T>(ctx, constants);
  return std::as_const(constants);
}

/// x by node. Where it is by node already: x, and nothing in `ordered`.
template <class T, MemorySpace S>
MultiVectorView<const T, S> by_node(Context<S>& ctx, bool is_by_field,
                                    std::type_identity_t<MultiVectorView<const T, S>> x, Index block_size,
                                    MultiVector<T, S>& ordered) {
  if (!is_by_field || x.rows == 0) {
    return x;
  }
  ordered = MultiVector<T, S>(ctx, x.rows, x.columns);
  order_by_node<T>(ctx, x, block_size, ordered);
  return std::as_const(ordered);
}

/// A right-hand side without its part in the null space of A.
template <class T, MemorySpace S>
struct Projected {
  MultiVector<T, S> b;
  double outside_range = 0.0;  ///< the norm of that part relative to b's, of the worst column
};

template <class T, MemorySpace S>
Projected<T, S> project(Context<S>& ctx, const Nullspace<T, S>& nullspace, MultiVectorView<const T, S> b) {
  MultiVector<T, S> inside(ctx, b.rows, b.columns);
  copy<T, T>(ctx, b, inside);
  nullspace.project(ctx, inside);
  MultiVector<T, S> outside(ctx, b.rows, b.columns);
  copy<T, T>(ctx, b, outside);
  axpby<T>(ctx, T{-1}, std::as_const(inside), T{1}, outside);
  const std::vector<double> whole = norms<T>(ctx, b);
  const std::vector<double> left = norms<T>(ctx, std::as_const(inside));
  const std::vector<double> taken = norms<T>(ctx, std::as_const(outside));
  // What rounding leaves of a b that lies in the null space is not solved for.
  std::vector<double> factors(whole.size(), 1.0);
  Projected<T, S> result{MultiVector<T, S>(ctx, b.rows, b.columns)};
  for (std::size_t j = 0; j < whole.size(); ++j) {
    if (whole[j] > 0.0) {
      result.outside_range = std::max(result.outside_range, taken[j] / whole[j]);
      factors[j] = left[j] <= 16.0 * static_cast<double>(std::numeric_limits<T>::epsilon()) * whole[j] ? 0.0 : 1.0;
    }
  }
  scale_columns<T, T>(ctx, upload(ctx, Span<const double, Host>(factors.data(), factors.size())).span(),
                      std::as_const(inside), result.b);
  return result;
}

/// Refuses vectors that do not fit to each other or to the matrix.
template <class T, MemorySpace S>
void expect_vectors(const char* given, Index rows, MultiVectorView<const T, S> x, const char* sought,
                    MultiVectorView<T, S> y) {
  if (x.rows != rows || y.rows != rows || x.columns != y.columns || x.columns < 1) {
    throw std::invalid_argument(fmt::format("solving with a {0} x {0} matrix: {1} is {2} x {3}, {4} is {5} x {6}", rows,
                                            given, x.rows, x.columns, sought, y.rows, y.columns));
  }
}

/// Y = −A X from Y = A X.
template <class T, MemorySpace S>
FormProduct<T, S> negative(const FormProduct<T, S>& product) {
  return [product](Context<S>& ctx, MultiVectorView<const T, S> X, MultiVectorView<T, S> Y) {
    product(ctx, X, Y);
    axpby<T>(ctx, T{-1}, Y, T{0}, Y);
  };
}

template <class T, MemorySpace S>
std::unique_ptr<IterativeMethod<T, S>> make_method(Context<S>& ctx, const Operator<T, S>& A,
                                                   Preconditioner<T, S>& preconditioner, Index columns, Method method,
                                                   int restart) {
  switch (method) {
    case Method::gmres:
    case Method::fgmres:
      return std::make_unique<Gmres<T, S>>(ctx, A, preconditioner, columns, restart, method == Method::fgmres);
    case Method::minres:
      return std::make_unique<Minres<T, S>>(ctx, A, preconditioner, columns);
    case Method::bicgstab:
      return std::make_unique<BiCgStab<T, S>>(ctx, A, preconditioner, columns);
    case Method::amg:
      return std::make_unique<StationaryIteration<T, S>>(ctx, A, preconditioner, columns);
    case Method::automatic:
    case Method::cg:
    case Method::fcg:
      break;
  }
  return std::make_unique<ConjugateGradients<T, S>>(ctx, A, preconditioner, columns, method == Method::fcg);
}

/// Refuses candidates that are none. Returns them, or copies with norms of about 1 where a norm is far from that.
template <class T, MemorySpace S>
MultiVector<T, S> scaled_candidates(Context<S>& ctx, MultiVectorView<const T, S> candidates) {
  std::vector<double> scales = norms<T>(ctx, candidates);
  bool is_near = true;
  for (std::size_t j = 0; j < scales.size(); ++j) {
    if (!std::isfinite(scales[j]) || scales[j] == 0.0) {
      throw InputError(fmt::format("near-nullspace vector {} is zero, or has an entry that is NaN or infinite", j + 1));
    }
    is_near = is_near && std::abs(std::ilogb(scales[j])) < most_exponent;
    scales[j] = std::ldexp(1.0, -std::max(std::ilogb(scales[j]), -1000));
  }
  MultiVector<T, S> result;
  if (!is_near) {
    result = MultiVector<T, S>(ctx, candidates.rows, candidates.columns);
    Buffer<double, S> factors(ctx, scales.size());
    upload<double>(ctx, {scales.data(), scales.size()}, factors.span());
    scale_columns<T, T>(ctx, factors, candidates, result);
  }
  return result;
}

}  // namespace

template <class T, MemorySpace S>
AmgSolver<T, S>::AmgSolver(const AmgOptions& amg, const SolverOptions& solver)
    : state_(std::make_unique<State>(State{amg, solver})) {}

template <class T, MemorySpace S>
Approach AmgSolver<T, S>::State::find_approach(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                               const MatrixFindings& findings) const {
  Approach result = approach_to(findings, amg, solver.method);
  result.is_negated = result.method == Method::minres ? diagonal_signs<T>(ctx, A).all_negative()
                                                      : has_negative_diagonal<T>(ctx, A, findings.is_symmetric());
  note_approach(ctx.profile(), result, findings);
  return result;
}

template <class T, MemorySpace S>
void AmgSolver<T, S>::State::build(Context<S>& ctx, CsrMatrix<T, S> A, const Given<T, S>& given) {
  preconditioner.reset();
  first_iterations = 0;
  last_iterations = 0;
  last_converged = true;
  MatrixFindings findings;
  {
    ScopedTimer check_timer(ctx, "check", 0);
    findings = given.findings != nullptr ? *given.findings : check_matrix<T>(ctx, A);
    approach = find_approach(ctx, A, findings);
    pattern = solver.reuse == Reuse::none ? 0 : pattern_hash(ctx, A);
  }
  block_size = given.is_from_earlier() ? given.block_size : find_unknowns_a_node(ctx, A, given.coordinates);
  if (is_by_field()) {
    A = order_by_node(ctx, A, block_size);
  }
  MultiVector<T, S> made;
  const MultiVectorView<const T, S> candidates = find_candidates(ctx, A, given, made);
  if (approach.is_negated) {
    A = convert_values<T>(ctx, A, -1.0);
  }
  const bool is_singular = maps_to_zero<T>(ctx, A, candidates);
  find_two_sided_nullspace(ctx, A, candidates, is_singular);
  AmgOptions options = amg;
  options.matrix = approach.kind;
  options.block_size = block_size;
  if (!options.smoother.lower_fraction && block_size > 1) {
    options.smoother.lower_fraction = lower_fraction_of_blocks;
  }
  if (options.smoother.type == SmootherType::automatic && block_size >= unknowns_of_shells &&
      approach.kind != MatrixKind::general && options.smoother.degree <= highest_optimal_degree) {
    options.smoother.type = SmootherType::block_chebyshev;
  }
  if (options.cycle == CycleType::automatic && approach.kind == MatrixKind::general &&
      approach.method != Method::gmres) {
    options.cycle = CycleType::k;
  }
  beside = {};
  if (is_beside()) {
    CsrMatrix<T, S> raised = raised_diagonal(ctx, A);
    beside = Operator<T, S>(ctx, std::move(A), amg.storage);
    A = std::move(raised);
  }
  preconditioner =
      make_multigrid_preconditioner<T>(ctx, std::move(A), findings.magnitudes, candidates, options, solver.reuse);
  find_nullspace(ctx, candidates, is_singular);
  if (!has_own_candidates && solver.reuse != Reuse::none && !given.is_from_earlier()) {
    near_nullspace = MultiVector<T, S>(ctx, candidates.rows, candidates.columns);
    copy<T, T>(ctx, candidates, near_nullspace);
  }
  // A solve needs much less.
  ctx.workspace().release();
}

template <class T, MemorySpace S>
Index AmgSolver<T, S>::State::find_unknowns_a_node(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                                   MultiVectorView<const T, S> coordinates) const {
  const Index nodes = coordinates.rows;
  if (amg.block_size && A.rows % *amg.block_size != 0) {
    throw InputError(
        fmt::format("the matrix has {} rows, which is no multiple of the block size {}", A.rows, *amg.block_size));
  }
  if (nodes > 0 && (A.rows % nodes != 0 || (amg.block_size && A.rows / nodes != *amg.block_size))) {
    throw InputError(fmt::format("there are coordinates of {} nodes for a matrix of {} rows{}", nodes, A.rows,
                                 amg.block_size ? fmt::format(" and a block size of {}", *amg.block_size) : ""));
  }
  if (amg.block_size || nodes > 0) {
    return amg.block_size.value_or(A.rows / std::max(nodes, Index{1}));
  }
  if (amg.unknowns == Numbering::by_field) {
    throw InputError("'amg.unknowns' by_field needs 'amg.block_size', or coordinates of the nodes");
  }
  const Index found = approach.kind == MatrixKind::general ? 1 : find_block_size(ctx, A);
  if (found > 1) {
    ctx.profile().note(fmt::format("{} unknowns a node, by the pattern of the matrix ('amg.block_size')", found));
  }
  return found;
}

/// The candidates to set up with, which may be held by `made`.
template <class T, MemorySpace S>
MultiVectorView<const T, S> AmgSolver<T, S>::State::find_candidates(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                                                    const Given<T, S>& given,
                                                                    MultiVector<T, S>& made) const {
  if (given.is_from_earlier() && given.near_nullspace.rows > 0) {
    return given.near_nullspace;
  }
  if (given.near_nullspace.rows == 0 && given.coordinates.rows > 0) {
    made = rigid_body_modes<T>(ctx, given.coordinates, block_size);
    return std::as_const(made);
  }
  if (given.near_nullspace.rows == 0) {
    return candidates_or_constants(ctx, A.rows, block_size, given.near_nullspace, made);
  }
  if (given.near_nullspace.rows != A.rows) {
    throw std::invalid_argument(
        fmt::format("near-nullspace of {} rows for a matrix of {} rows", given.near_nullspace.rows, A.rows));
  }
  MultiVector<T, S> ordered;
  const MultiVectorView<const T, S> vectors = by_node<T>(ctx, is_by_field(), given.near_nullspace, block_size, ordered);
  made = scaled_candidates<T>(ctx, vectors);
  const MultiVectorView<const T, S> scaled = made.rows() > 0 ? std::as_const(made).view() : vectors;
  if (block_size > 1) {
    WithTranslations<T, S> completed = with_translations(ctx, A, scaled, block_size);
    if (completed.missing > 0 && completed.vectors.rows() > 0) {
      ctx.profile().note(fmt::format("the near-nullspace lacked {} of {} translations, which are added",
                                     completed.missing, block_size));
    }
    if (completed.vectors.rows() > 0) {
      made = std::move(completed.vectors);
    }
  }
  if (made.rows() == 0) {
    made = std::move(ordered);
  }
  return made.rows() > 0 ? std::as_const(made).view() : given.near_nullspace;
}

/// What b must be orthogonal to is the null space of Aᵀ, which of a matrix that is not symmetric is known where that
/// takes the candidates to zero as A does.
template <class T, MemorySpace S>
void AmgSolver<T, S>::State::find_two_sided_nullspace(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                                      MultiVectorView<const T, S> candidates, bool is_singular) {
  nullspace.reset();
  if (approach.kind != MatrixKind::general || !is_singular) {
    return;
  }
  ScopedTimer timer(ctx, "null space", 0);
  if (!maps_to_zero<T>(ctx, transpose(ctx, A), candidates)) {
    ctx.profile().note(
        "singular: A takes the near-nullspace to zero and its transpose does not; a right-hand side is taken to be in "
        "the range of A");
    return;
  }
  keep_nullspace(ctx, {ctx, Operator<T, S>(ctx, symmetric_sum(ctx, A), Storage::csr), candidates, block_size});
}

/// Of a symmetric matrix.
/// @param is_singular  as is known of the matrix; where it is not, the coarsest level may tell
template <class T, MemorySpace S>
void AmgSolver<T, S>::State::find_nullspace(Context<S>& ctx, MultiVectorView<const T, S> candidates, bool is_singular) {
  if (approach.kind != MatrixKind::general && (is_singular || preconditioner->summary().nullity > 0)) {
    ScopedTimer timer(ctx, "null space", 0);
    keep_nullspace(ctx, {ctx, matrix(), candidates, block_size});
  }
}

template <class T, MemorySpace S>
void AmgSolver<T, S>::State::keep_nullspace(Context<S>& ctx, Nullspace<T, S> found) {
  if (found.dimension() > 0) {
    ctx.profile().note(fmt::format("singular: {} null vectors, in {} of {} components of the graph", found.dimension(),
                                   found.singular_components(), found.components()));
    nullspace.emplace(std::move(found));
  }
}

template <class T, MemorySpace S>
void AmgSolver<T, S>::setup(Context<S>& ctx, CsrMatrix<T, S> A, MultiVectorView<const T, S> near_nullspace,
                            MultiVectorView<const T, S> coordinates, const MatrixFindings* findings) {
  State& state = *state_;
  ScopedTimer timer(ctx, "setup");
  state.has_own_candidates = near_nullspace.rows == 0 && coordinates.rows == 0;
  state.near_nullspace = {};
  state.build(ctx, std::move(A), {near_nullspace, coordinates, 0, findings});
}

template <class T, MemorySpace S>
void AmgSolver<T, S>::update_values(Context<S>& ctx, CsrMatrix<T, S> A) {
  State& state = *state_;
  const Operator<T, S>& before = state.ready_preconditioner().matrix();
  if (A.rows != before.rows() || A.cols != before.cols() || A.nnz() != before.nnz()) {
    throw std::invalid_argument(
        fmt::format("new values: the matrix is {} x {} with {} entries, but was {} x {} with {}", A.rows, A.cols,
                    A.nnz(), before.rows(), before.cols(), before.nnz()));
  }
  ScopedTimer timer(ctx, "update");
  if (state.solver.reuse != Reuse::none) {
    ScopedTimer check_timer(ctx, "check", 0);
    if (pattern_hash(ctx, A) != state.pattern) {
      throw InputError("new values: the matrix has entries at other places than before");
    }
  }
  if (state.solver.reuse == Reuse::none || state.is_outdated()) {
    if (state.solver.reuse != Reuse::none) {
      ctx.profile().note(fmt::format(
          "set up anew: the last solve {} in {} iterations, the first one after a setup took {}",
          state.last_converged ? "converged" : "did not converge", state.last_iterations, state.first_iterations));
    } else if (!state.has_own_candidates) {
      throw std::invalid_argument("new values: a near-nullspace is kept for them only where the hierarchy is reused");
    }
    state.build(ctx, std::move(A), state.given_earlier());
    return;
  }
  // Until it has succeeded there is none.
  auto preconditioner = std::move(state.preconditioner);
  MatrixFindings findings;
  Approach approach;
  {
    ScopedTimer check_timer(ctx, "check", 0);
    findings = check_values<T>(ctx, A);
    approach = state.find_approach(ctx, A, findings);
  }
  if (approach != state.approach) {
    ctx.profile().note("set up anew: the symmetry or the sign of the matrix is not what it was");
    preconditioner.reset();
    state.build(ctx, std::move(A), state.given_earlier());
    return;
  }
  if (state.is_by_field()) {
    A = order_by_node(ctx, A, state.block_size);
  }
  if (approach.is_negated) {
    A = convert_values<T>(ctx, A, -1.0);
  }
  MultiVector<T, S> constants;
  const MultiVectorView<const T, S> candidates =
      candidates_or_constants(ctx, A.rows, state.block_size, std::as_const(state.near_nullspace).view(), constants);
  const bool is_singular = maps_to_zero<T>(ctx, A, candidates);
  state.find_two_sided_nullspace(ctx, A, candidates, is_singular);
  if (state.is_beside()) {
    preconditioner->update_values(ctx, raised_diagonal(ctx, A), findings.magnitudes);
    state.beside.update_values(ctx, std::move(A));
  } else {
    preconditioner->update_values(ctx, std::move(A), findings.magnitudes);
  }
  state.preconditioner = std::move(preconditioner);
  state.find_nullspace(ctx, candidates, is_singular);
}

template <class T, MemorySpace S>
SolveResult AmgSolver<T, S>::solve(Context<S>& ctx, MultiVectorView<const T, S> b, MultiVectorView<T, S> x,
                                   const SolveChoices<T, S>& choices) {
  const State& state = *state_;
  expect_vectors("b", state.ready_preconditioner().matrix().rows(), b, "x", x);
  if (!state.is_by_field()) {
    return solve_by_node(ctx, b, x, choices);
  }
  const Index block_size = state.block_size;
  SolveChoices<T, S> ordered = choices;
  if (choices.product) {
    ordered.product = [&choices, block_size](Context<S>& where, MultiVectorView<const T, S> X,
                                             MultiVectorView<T, S> Y) {
      MultiVector<T, S> x_by_field(where, X.rows, X.columns);
      MultiVector<T, S> y_by_field(where, X.rows, X.columns);
      order_by_field<T>(where, X, block_size, x_by_field);
      choices.product(where, std::as_const(x_by_field), y_by_field);
      order_by_node<T>(where, std::as_const(y_by_field), block_size, Y);
    };
  }
  MultiVector<T, S> b_by_node;
  MultiVector<T, S> x_by_node;
  by_node<T>(ctx, true, b, block_size, b_by_node);
  by_node<T>(ctx, true, x, block_size, x_by_node);
  SolveResult result = solve_by_node(ctx, std::as_const(b_by_node), x_by_node, ordered);
  if (result.reason == StopReason::interrupted) {
    ctx.set_stop({});  // what came out is handed over whole
  }
  order_by_field<T>(ctx, std::as_const(x_by_node), block_size, x);
  return result;
}

template <class T, MemorySpace S>
SolveResult AmgSolver<T, S>::solve_by_node(Context<S>& ctx, MultiVectorView<const T, S> b, MultiVectorView<T, S> x,
                                           const SolveChoices<T, S>& choices) {
  State& state = *state_;
  MultigridPreconditioner<T, S>& preconditioner = state.ready_preconditioner();
  const typename Context<S>::WholeLoops whole_loops(ctx);  // x stays what a step made of it
  const Operator<T, S> not_stored(state.matrix(),
                                  state.approach.is_negated ? negative(choices.product) : choices.product);
  const Operator<T, S>& A = choices.product ? not_stored : state.matrix();
  SolverOptions options = state.solver;
  options.tolerance = choices.tolerance ? choices.tolerance : options.tolerance;
  options.max_iterations = choices.max_iterations.value_or(options.max_iterations);
  ScopedTimer timer(ctx, "solve");
  MultiVector<T, S> negated;
  if (state.approach.is_negated) {
    negated = MultiVector<T, S>(ctx, b.rows, b.columns);
    axpby<T>(ctx, T{-1}, b, T{0}, negated);
    b = std::as_const(negated);
  }
  Projected<T, S> in_range;
  if (state.nullspace) {
    in_range = project(ctx, *state.nullspace, b);
    b = std::as_const(in_range.b);
    state.nullspace->project(ctx, x);
  }
  auto method = make_method<T, S>(ctx, A, preconditioner, b.columns, state.approach.method, state.solver.restart);
  SolveResult result = iterate<T, S>(ctx, A, *method, b, x, options);
  result.method = state.approach.method;
  result.is_negated = state.approach.is_negated;
  if (state.nullspace) {
    state.nullspace->project(ctx, x);  // of what rounding has put there
    result.outside_range = in_range.outside_range;
  }
  if (result.reason == StopReason::interrupted) {
    return result;
  }
  const bool has_converged = result.reason <= StopReason::attained;
  if (!choices.any()) {
    state.last_iterations = result.iterations;
    state.last_converged = has_converged;
    if (state.first_iterations == 0) {
      state.first_iterations = result.iterations;
    }
  }
  if (result.iterations >= slow_iterations && state.has_own_candidates && state.approach.kind != MatrixKind::general &&
      !state.is_beside()) {
    method.reset();  // its memory serves
    result.slow = check_constants(ctx, preconditioner.matrix(), state.block_size);
  }
  if (!has_converged && result.reason != StopReason::not_finite && !state.is_beside() &&
      preconditioner.summary().nullity > 0) {
    result.reason = StopReason::singular;
  }
  return result;
}

template <class T, MemorySpace S>
void AmgSolver<T, S>::precondition(Context<S>& ctx, MultiVectorView<const T, S> r, MultiVectorView<T, S> z) {
  MultigridPreconditioner<T, S>& preconditioner = state_->ready_preconditioner();
  expect_vectors("r", preconditioner.matrix().rows(), r, "z", z);
  const typename Context<S>::WholeLoops whole_loops(ctx);
  ScopedTimer timer(ctx, "precondition");
  const T sign = state_->approach.is_negated ? T{-1} : T{1};
  if (!state_->is_by_field()) {
    axpby<T>(ctx, sign, preconditioner.apply(ctx, r), T{0}, z);
    return;
  }
  MultiVector<T, S> r_by_node;
  by_node<T>(ctx, true, r, state_->block_size, r_by_node);
  order_by_field<T>(ctx, preconditioner.apply(ctx, std::as_const(r_by_node)), state_->block_size, z);
  axpby<T>(ctx, sign, z, T{0}, z);
}

template <class T, MemorySpace S>
CsrMatrix<T, Host> AmgSolver<T, S>::level_matrix(Context<S>& ctx, Context<Host>& host, int level,
                                                 LevelPart part) const {
  CsrMatrix<T, Host> matrix = level == 0 && part == LevelPart::A
                                  ? state_->matrix().to_csr(ctx, host)
                                  : state_->ready_preconditioner().level_matrix(ctx, host, level, part);
  return state_->approach.is_negated && part == LevelPart::A ? convert_values<T>(host, matrix, -1.0)
                                                             : std::move(matrix);
}

template <class T, MemorySpace S>
HierarchySummary AmgSolver<T, S>::summary() const {
  HierarchySummary summary = state_->ready_preconditioner().summary();
  summary.levels.front().bytes += state_->beside.bytes();
  return summary;
}

template <class T, MemorySpace S>
AmgSolver<T, S>::~AmgSolver() = default;
template <class T, MemorySpace S>
AmgSolver<T, S>::AmgSolver(AmgSolver&&) noexcept = default;
template <class T, MemorySpace S>
AmgSolver<T, S>& AmgSolver<T, S>::operator=(AmgSolver&&) noexcept = default;

#define AMGSOLVE_INSTANTIATE(T, S) template class AmgSolver<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
