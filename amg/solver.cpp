#include "amg/solver.hpp"

#include <stdexcept>
#include <utility>

#include "amg/amalgamation.hpp"
#include "amg/approach.hpp"
#include "amg/candidates.hpp"
#include "amg/check_matrix.hpp"
#include "amg/constants_check.hpp"
#include "amg/hierarchy_wear.hpp"
#include "amg/iterative_method.hpp"
#include "amg/matrix_analysis.hpp"
#include "amg/measured_step.hpp"
#include "amg/multigrid_preconditioner.hpp"
#include "amg/negated.hpp"
#include "amg/null_vectors.hpp"
#include "amg/nullspace.hpp"
#include "amg/raised_diagonal.hpp"
#include "amg/setup_memory.hpp"
#include "amg/smoother.hpp"
#include "amg/solve_system.hpp"
#include "amg/unknown_order.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "spmv/storage_choice.hpp"

namespace amgsolve {

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
  std::shared_ptr<Operator<T, S>> beside{};  ///< A, where the preconditioner is that of another matrix: under minres
  std::shared_ptr<const Nullspace<T, S>> nullspace{};  ///< where A is singular and the candidates tell how
  double lopsided = 0.0;                               ///< see lopsided_share()
  bool rows_differ = false;                            ///< see differ_in_size()
  bool has_other_nullspace = false;                    ///< A is singular, and takes others to zero than its transpose
  MultiVector<T, S> near_nullspace{};                  ///< that of the caller, kept for a later setup
  bool has_own_candidates = false;                     ///< the caller gave none
  ModesCheck modes{};                                  ///< of the last setup; of a symmetric A
  bool is_share = false;                               ///< another solver has set up what this one solves by
  Index block_size = 1;                                ///< unknowns a node
  bool has_block_smoother = false;                     ///< the levels' smoother is_of_blocks()
  Index rows = 0;                                      ///< of the matrix that was set up last; 0 before
  Offset nnz = 0;
  std::uint64_t pattern = 0;    ///< pattern_hash() of the matrix, where new values may come
  bool has_new_values = false;  ///< since the last setup
  HierarchyWear wear{};         ///< since the last setup

  MultigridPreconditioner<T, S>& ready_preconditioner() const {
    if (!preconditioner) {
      throw std::invalid_argument(no_hierarchy);
    }
    return *preconditioner;
  }

  bool is_beside() const { return approach.method == Method::minres; }

  /// A as the method multiplies by it.
  const Operator<T, S>& matrix() const { return matrix_of(ready_preconditioner()); }
  const Operator<T, S>& matrix_of(const MultigridPreconditioner<T, S>& made) const {
    return is_beside() ? *beside : made.matrix();
  }

  MatrixFindings look_at(Context<S>& ctx, const CsrMatrix<T, S>& A, const Given<T, S>& given,
                         Operator<T, S>* stored = nullptr);
  Candidates<T, S> order(Context<S>& ctx, CsrMatrix<T, S>& A, const RowMagnitudes& magnitudes,
                         const Given<T, S>& given);
  void build(Context<S>& ctx, CsrMatrix<T, S> A, const Given<T, S>& given);
  void form(Context<S>& ctx, CsrMatrix<T, S> A, const RowMagnitudes& magnitudes, Candidates<T, S> of_problem,
            std::int64_t nullity, bool keeps_candidates, Operator<T, S> stored = {});
  Given<T, S> given_earlier() const { return {std::as_const(near_nullspace), {}, block_size, nullptr}; }
  bool is_by_field() const { return amg.unknowns == Numbering::by_field && block_size > 1; }
  std::int64_t find_known_nullspace(Context<S>& ctx, const CsrMatrix<T, S>& A, MultiVectorView<const T, S> candidates);
  void find_nullspace(Context<S>& ctx, const MultigridPreconditioner<T, S>& made,
                      MultiVectorView<const T, S> candidates, std::int64_t nullity);
  void keep_nullspace(Context<S>& ctx, Nullspace<T, S> found);
};

namespace {

/// Refuses vectors that do not fit to each other or to the matrix.
template <class T, MemorySpace S>
void expect_vectors(const char* given, Index rows, MultiVectorView<const T, S> x, const char* sought,
                    MultiVectorView<T, S> y) {
  if (x.rows != rows || y.rows != rows || x.columns != y.columns || x.columns < 1) {
    throw std::invalid_argument(format_text("solving with a {0} x {0} matrix: {1} is {2} x {3}, {4} is {5} x {6}", rows,
                                            given, x.rows, x.columns, sought, y.rows, y.columns));
  }
}

/// Whether A has all entries of the blocks of nodes of which it has any.
template <class T, MemorySpace S>
bool has_whole_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size) {
  return block_size == 1 || amalgamate(ctx, A, block_size).nnz() * block_size * block_size == A.nnz();
}

/// Whether more iterations would not have changed how a solve ended.
bool gets_no_further(const SolveResult& result) {
  constexpr int many = 100;
  constexpr double hardly_less = 0.9;
  const std::vector<double>& history = result.residual_history;
  return result.reason == StopReason::stagnated || result.reason == StopReason::exhausted ||
         result.reason == StopReason::indefinite_preconditioner ||
         (result.iterations >= many &&
          (result.given_up > 0 || history.back() > hardly_less * history[history.size() / 2]));
}

}  // namespace

void throw_candidates_not_kept() {
  throw std::invalid_argument("new values: a near-nullspace is kept for them only where the hierarchy is reused");
}

template <class T, MemorySpace S>
AmgSolver<T, S>::AmgSolver(const AmgOptions& amg, const SolverOptions& solver)
    : state_(std::make_unique<State>(State{amg, solver})) {}

/// Decides how A is to be solved. What refuses A as no input leaves all as it was; else what ends it leaves no
/// preconditioner, so that nothing is solved by that of another matrix.
/// @param stored  where A will be set up: what products multiply by, where A is stored for them beside its arrays
template <class T, MemorySpace S>
MatrixFindings AmgSolver<T, S>::State::look_at(Context<S>& ctx, const CsrMatrix<T, S>& A, const Given<T, S>& given,
                                               Operator<T, S>* stored) {
  ScopedTimer check_timer(ctx, "check", 0);
  const bool is_known_pattern = given.is_from_earlier() && solver.reuse != Reuse::none;
  auto former = std::move(preconditioner);
  try {
    MatrixFindings findings;
    Operator<T, S> as_operator;
    if (given.findings != nullptr) {
      findings = *given.findings;
    } else {
      if (!is_known_pattern) {
        check_pattern<T>(ctx, A);
      }
      {
        ScopedTimer storage_timer(ctx, "storage", 0);
        as_operator =
            Operator<T, S>::beside(ctx, A, stored != nullptr ? storage_of_checks<S>(amg.storage) : Storage::csr);
      }
      findings = check_values<T>(ctx, A, as_operator);
    }
    const Approach found = find_approach(ctx, A, as_operator, findings, amg, solver.method);
    const std::uint64_t hash = solver.reuse == Reuse::none ? 0 : is_known_pattern ? pattern : pattern_hash(ctx, A);
    lopsided = findings.is_symmetric() ? 0.0 : lopsided_share(ctx, A);
    rows_differ = differ_in_size(findings.magnitudes);
    pattern = hash;
    approach = found;
    preconditioner = std::move(former);
    if (stored != nullptr && as_operator.is_light()) {
      *stored = std::move(as_operator);
    }
    return findings;
  } catch (const InputError&) {
    preconditioner = std::move(former);
    throw;
  }
}

/// Makes A the matrix that is set up, and returns its candidates.
template <class T, MemorySpace S>
Candidates<T, S> AmgSolver<T, S>::State::order(Context<S>& ctx, CsrMatrix<T, S>& A, const RowMagnitudes& magnitudes,
                                               const Given<T, S>& given) {
  block_size = given.is_from_earlier()
                   ? given.block_size
                   : find_unknowns_a_node(ctx, A, magnitudes, given.coordinates.rows, amg, approach.kind);
  if (is_by_field()) {
    A = order_by_node(ctx, A, block_size);
  }
  Candidates<T, S> candidates =
      given.is_from_earlier()
          ? candidates_or_constants(ctx, A.rows, block_size, given.near_nullspace)
          : find_candidates(ctx, A, given.near_nullspace, given.coordinates, block_size, is_by_field());
  if (approach.kind != MatrixKind::general) {
    scale_if_made(ctx, A, magnitudes, candidates);
  }
  if (approach.is_negated) {
    A = convert_values<T>(ctx, std::move(A), -1.0);
  }
  return candidates;
}

template <class T, MemorySpace S>
void AmgSolver<T, S>::State::build(Context<S>& ctx, CsrMatrix<T, S> A, const Given<T, S>& given) {
  Operator<T, S> stored;
  const MatrixFindings findings = look_at(ctx, A, given, &stored);
  preconditioner.reset();
  Candidates<T, S> candidates = order(ctx, A, findings.magnitudes, given);
  if (is_by_field() || approach.is_negated || is_beside()) {
    stored = {};  // another matrix is set up
  }
  if (approach.kind != MatrixKind::general && !given.is_from_earlier()) {
    modes = check_modes(ctx, A, candidates.modes, candidates.vectors, block_size, amg.unknowns, is_by_field());
  }
  const std::int64_t nullity = find_known_nullspace(ctx, A, candidates.vectors);
  const bool keeps_candidates =
      !are_constants(candidates.modes) && solver.reuse != Reuse::none && !given.is_from_earlier();
  form(ctx, std::move(A), findings.magnitudes, std::move(candidates), nullity, keeps_candidates, std::move(stored));
}

/// Sets up A, which order() has made of the matrix.
/// @param keeps_candidates  for later matrices
/// @param stored            what look_at() has made of A
template <class T, MemorySpace S>
void AmgSolver<T, S>::State::form(Context<S>& ctx, CsrMatrix<T, S> A, const RowMagnitudes& magnitudes,
                                  Candidates<T, S> of_problem, std::int64_t nullity, bool keeps_candidates,
                                  Operator<T, S> stored) {
  const bool are_scaled = of_problem.are_scaled;
  modes.relaxation = approach.kind != MatrixKind::general ? relax_if_made(ctx, A, of_problem) : Relaxation{};
  if (are_constants(of_problem.modes)) {
    modes.modes = of_problem.modes;
  }
  note_fitted(ctx.profile(), of_problem.modes, are_scaled, modes.relaxation);
  const MultiVectorView<const T, S> candidates = of_problem.vectors;
  has_new_values = false;
  wear = {};
  beside.reset();
  if (is_beside()) {
    CsrMatrix<T, S> raised = raised_diagonal(ctx, A);
    beside = std::make_shared<Operator<T, S>>(ctx, std::move(A), amg.storage);
    A = std::move(raised);
  }
  reserve_setup_memory(ctx,
                       {.rows = static_cast<double>(A.rows),
                        .nnz = static_cast<double>(A.nnz()),
                        .block_size = block_size,
                        .candidates = candidates.columns,
                        .value_bytes = sizeof(T),
                        .is_symmetric = approach.kind != MatrixKind::general},
                       amg, solver);
  const AmgOptions options = options_for_nodes(ctx, A, approach, amg, block_size);
  auto made = make_multigrid_preconditioner<T>(ctx, std::move(A), magnitudes, candidates, nullity, options,
                                               solver.reuse, std::move(stored));
  has_block_smoother = is_of_blocks(options.smoother.type);
  made->note_choices(ctx);
  find_nullspace(ctx, *made, candidates, nullity);
  if (keeps_candidates) {
    near_nullspace = MultiVector<T, S>(ctx, candidates.rows, candidates.columns);
    copy<T, T>(ctx, candidates, near_nullspace);
  }
  rows = matrix_of(*made).rows();
  nnz = matrix_of(*made).nnz();
  preconditioner = std::move(made);  // last: what ends before leaves none
  // A solve needs much less.
  ctx.workspace().release();
}

/// What b must be orthogonal to is the null space of Aᵀ, which of a matrix that is not symmetric is known where that
/// takes the candidates to zero, whether A does or not, and looked for where A alone does. Returns how many null
/// vectors of A are known.
template <class T, MemorySpace S>
std::int64_t AmgSolver<T, S>::State::find_known_nullspace(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                                          MultiVectorView<const T, S> candidates) {
  const bool is_singular = maps_to_zero<T>(ctx, A, candidates);
  nullspace.reset();
  has_other_nullspace = false;
  if (!is_singular && approach.kind != MatrixKind::general) {
    return 0;
  }
  ScopedTimer timer(ctx, "null space", 0);
  if (approach.kind != MatrixKind::general) {
    keep_nullspace(ctx, {ctx, Operator<T, S>(ctx, borrow(A), Storage::csr), candidates, block_size});
    return nullspace ? nullspace->dimension() : candidates.columns;
  }
  CsrMatrix<T, S> transposed = transpose(ctx, A);
  const bool is_of_transpose = maps_to_zero<T>(ctx, transposed, candidates);
  has_other_nullspace = is_of_transpose != is_singular;
  if (is_of_transpose) {
    keep_nullspace(ctx, {ctx, Operator<T, S>(ctx, std::move(transposed), Storage::csr), candidates, block_size});
  }
  const std::int64_t nullity = !is_singular ? 0 : nullspace ? nullspace->dimension() : candidates.columns;
  if (!has_other_nullspace || is_of_transpose) {
    return nullity;
  }
  const MultiVector<T, S> found =
      find_null_vectors(ctx, std::move(transposed), candidates, options_for(approach, amg, block_size));
  if (found.rows() > 0) {
    const Operator<T, S> graph(ctx, borrow(A), Storage::csr);
    keep_nullspace(ctx, Nullspace<T, S>::of_known(ctx, graph, found.view(), block_size, most_defect<T>));
  } else {
    ctx.profile().note(
        "singular: A takes the near-nullspace to zero, and what its transpose does was not found; a right-hand side is "
        "taken to be in the range of A");
  }
  return nullity;
}

/// Where the matrix may be singular in some components of its graph alone, as the levels tell.
/// @param made     the preconditioner to be, of that matrix
/// @param nullity  by find_known_nullspace()
template <class T, MemorySpace S>
void AmgSolver<T, S>::State::find_nullspace(Context<S>& ctx, const MultigridPreconditioner<T, S>& made,
                                            MultiVectorView<const T, S> candidates, std::int64_t nullity) {
  if (nullity > 0 || nullspace || !made.summary().may_be_singular) {
    return;
  }
  ScopedTimer timer(ctx, "null space", 0);
  if (approach.kind != MatrixKind::general) {
    keep_nullspace(ctx, {ctx, matrix_of(made), candidates, block_size});
  } else {
    const Operator<T, S>& A = matrix_of(made);
    const Operator<T, S> transposed(ctx, transpose(ctx, A.to_csr(ctx)), Storage::csr);
    const Nullspace<T, S> of_A(ctx, A, candidates, block_size);
    Nullspace<T, S> of_transpose(ctx, transposed, candidates, block_size);
    has_other_nullspace = of_A.dimension() != of_transpose.dimension();
    keep_nullspace(ctx, std::move(of_transpose));
  }
}

template <class T, MemorySpace S>
void AmgSolver<T, S>::State::keep_nullspace(Context<S>& ctx, Nullspace<T, S> found) {
  if (found.dimension() > 0) {
    ctx.profile().note(found.description());
    nullspace = std::make_shared<const Nullspace<T, S>>(std::move(found));
  }
}

template <class T, MemorySpace S>
void AmgSolver<T, S>::setup(Context<S>& ctx, CsrMatrix<T, S> A, MultiVectorView<const T, S> near_nullspace,
                            MultiVectorView<const T, S> coordinates, const MatrixFindings* findings) {
  State& state = *state_;
  ScopedTimer timer(ctx, "setup");
  state.is_share = false;
  state.preconditioner.reset();
  state.rows = 0;
  state.has_own_candidates = near_nullspace.rows == 0 && coordinates.rows == 0;
  state.near_nullspace = {};
  state.build(ctx, std::move(A), {near_nullspace, coordinates, 0, findings});
}

template <class T, MemorySpace S>
void AmgSolver<T, S>::survey(Context<S>& ctx, const CsrMatrix<T, S>& A, MultiVectorView<const T, S> near_nullspace,
                             MultiVectorView<const T, S> coordinates, SystemSize& system) const {
  ScopedTimer timer(ctx, "forecast");
  State state{state_->amg, state_->solver};
  const Given<T, S> given{near_nullspace, coordinates};
  const MatrixFindings findings = state.look_at(ctx, A, given);
  CsrMatrix<T, S> in_order = borrow(A);
  Candidates<T, S> candidates = state.order(ctx, in_order, findings.magnitudes, given);
  if (state.approach.kind != MatrixKind::general) {
    relax_if_made(ctx, in_order, candidates);
  }
  if (state.is_beside()) {
    in_order = raised_diagonal(ctx, in_order);
  }
  const AmgOptions options = options_for_nodes(ctx, in_order, state.approach, state.amg, state.block_size);
  system.block_size = state.block_size;
  system.has_whole_blocks = has_whole_blocks(ctx, in_order, state.block_size);
  system.candidates = system.candidates > 0 ? candidates.vectors.columns : 0;
  system.is_symmetric = state.approach.kind != MatrixKind::general;
  system.is_mixed = takes_float<T>(findings.magnitudes, candidates.vectors.columns, options);
  const double value_bytes = *system.is_mixed ? sizeof(float) : sizeof(T);
  StepSizes step = measure_step<T>(ctx, in_order, candidates.vectors, options, value_bytes);
  step.stored = stored_bytes(ctx, A, options.storage, value_bytes);
  system.steps = {step};
  ctx.workspace().release();
}

template <class T, MemorySpace S>
void AmgSolver<T, S>::update_values(Context<S>& ctx, CsrMatrix<T, S> A) {
  State& state = *state_;
  if (state.is_share) {
    throw std::invalid_argument("new values: another solver has set up the hierarchy that this one shares");
  }
  if (state.rows == 0) {
    state.ready_preconditioner();  // says that there is none
  }
  if (A.rows != state.rows || A.cols != state.rows || A.nnz() != state.nnz) {
    throw std::invalid_argument(
        format_text("new values: the matrix is {} x {} with {} entries, but was {} x {} with {}", A.rows, A.cols,
                    A.nnz(), state.rows, state.rows, state.nnz));
  }
  if (A.values.size() != A.col_indices.size()) {
    throw InputError(format_text("new values: {} of them for {} entries", A.values.size(), A.col_indices.size()));
  }
  ScopedTimer timer(ctx, "update");
  if (state.solver.reuse != Reuse::none) {
    ScopedTimer check_timer(ctx, "check", 0);
    if (pattern_hash(ctx, A) != state.pattern) {
      check_structure(ctx, A);
      throw InputError("new values: the matrix has entries at other places than before");
    }
  }
  if (state.solver.reuse == Reuse::none || !state.preconditioner ||
      state.wear.is_outdated(state.solver.rebuild_factor)) {
    if (state.solver.reuse == Reuse::none && !state.has_own_candidates) {
      throw_candidates_not_kept();
    }
    if (!state.preconditioner) {
      ctx.profile().note("set up anew: the values before could not be");
    } else if (state.solver.reuse != Reuse::none) {
      ctx.profile().note("set up anew: " + state.wear.reason());
    }
    state.build(ctx, std::move(A), state.given_earlier());
    return;
  }
  const Approach before = state.approach;
  Given<T, S> given = state.given_earlier();
  const MatrixFindings findings = state.look_at(ctx, A, given);
  given.findings = &findings;
  if (state.approach != before) {
    ctx.profile().note("set up anew: the symmetry or the sign of the matrix is not what it was");
    state.build(ctx, std::move(A), given);
    return;
  }
  // Until it has succeeded there is none.
  auto preconditioner = std::move(state.preconditioner);
  Candidates<T, S> candidates = state.order(ctx, A, findings.magnitudes, given);
  const std::int64_t nullity = state.find_known_nullspace(ctx, A, candidates.vectors);
  bool serves = false;
  if (state.is_beside()) {
    serves = preconditioner->update_values(ctx, raised_diagonal(ctx, A), findings.magnitudes, nullity);
    state.beside->update_values(ctx, std::move(A));
  } else {
    serves = preconditioner->update_values(ctx, std::move(A), findings.magnitudes, nullity);
  }
  if (!serves) {
    ctx.profile().note("set up anew: the matrix is none for the hierarchy that was kept");
    CsrMatrix<T, S> stored = state.matrix_of(*preconditioner).to_csr(ctx);
    preconditioner.reset();
    state.form(ctx, std::move(stored), findings.magnitudes, std::move(candidates), nullity, false);
    return;
  }
  state.find_nullspace(ctx, *preconditioner, candidates.vectors, nullity);
  state.preconditioner = std::move(preconditioner);
  state.has_new_values = true;
  ctx.workspace().release();
}

template <class T, MemorySpace S>
SolveResult AmgSolver<T, S>::solve(Context<S>& ctx, MultiVectorView<const T, S> b, MultiVectorView<T, S> x,
                                   const SolveChoices<T, S>& choices) {
  const State& state = *state_;
  expect_vectors("b", state.ready_preconditioner().matrix().rows(), b, "x", x);
  if (!state.is_by_field()) {
    return solve_by_node(ctx, b, x, choices);
  }
  // In their own order, in which a row that is refused has its number.
  expect_finite<T>(ctx, b, VectorError::Role::right_hand_side);
  expect_finite<T>(ctx, std::as_const(x), VectorError::Role::initial_guess);
  const Index block_size = state.block_size;
  SolveChoices<T, S> ordered = choices;
  if (choices.product) {
    ordered.product = by_node(choices.product, block_size);
  }
  const MultiVector<T, S> b_by_node = by_node(ctx, b, block_size);
  MultiVector<T, S> x_by_node = by_node<T>(ctx, MultiVectorView<const T, S>(x), block_size);
  SolveResult result = solve_by_node(ctx, b_by_node, x_by_node, ordered);
  const typename Context<S>::Uninterrupted handing_over(ctx);
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
  ScopedTimer timer(ctx, "solve");
  MultiVector<T, S> negated;
  if (state.approach.is_negated) {
    negated = negative(ctx, b);
    b = std::as_const(negated);
  }
  const bool is_two_sided = !state.has_other_nullspace;
  const Nullspace<T, S>* const nullspace =
      nullspace_for(ctx, state.nullspace.get(), A, state.matrix(), b.columns, is_two_sided);
  SolveResult result = solve_system<T, S>(ctx, A, preconditioner, nullspace, b, x, choices.in(state.solver),
                                          {.method = state.approach.method,
                                           .block_size = state.block_size,
                                           .rows_differ = state.rows_differ && !choices.product,
                                           .is_two_sided = is_two_sided,
                                           .is_symmetric = state.approach.kind != MatrixKind::general});
  const typename Context<S>::Uninterrupted handing_over(ctx);
  result.method = state.approach.method;
  result.is_negated = state.approach.is_negated;
  result.lopsided = state.lopsided;
  result.has_earlier_levels = state.has_new_values;
  if (result.reason == StopReason::interrupted) {
    return result;
  }
  const bool has_converged = result.reason <= StopReason::attained;
  if (!choices.product) {
    state.wear.take(result, state.has_new_values, choices.tolerance || choices.max_iterations);
  }
  if (result.iterations >= slow_iterations && state.approach.kind != MatrixKind::general && !choices.product) {
    result.slow = check_constants(ctx, preconditioner.matrix(), state.block_size);
    if (result.slow) {
      result.slow->modes = state.modes;
      result.slow->has_block_smoother = state.has_block_smoother;
    }
  }
  // A null space that is known has been dealt with; where the coarsest level alone tells of one, only an iteration that
  // gets no further says that A is singular. Of another matrix neither tells.
  const bool has_failed = !has_converged && result.reason != StopReason::not_finite;
  if (has_failed && !choices.product && !state.nullspace && !state.is_beside() &&
      (state.has_other_nullspace || (gets_no_further(result) && preconditioner.summary().may_be_singular &&
                                     left_over(result.relative_residual, result.scaled) > most_left_over))) {
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
    axpby<T>(ctx, sign, preconditioner.apply_to_any_size(ctx, r), T{0}, z);
    return;
  }
  const MultiVector<T, S> r_by_node = by_node(ctx, r, state_->block_size);
  order_by_field<T>(ctx, preconditioner.apply_to_any_size(ctx, r_by_node), state_->block_size, z);
  axpby<T>(ctx, sign, z, T{0}, z);
}

template <class T, MemorySpace S>
CsrMatrix<T, Host> AmgSolver<T, S>::level_matrix(Context<S>& ctx, Context<Host>& host, int level,
                                                 LevelPart part) const {
  CsrMatrix<T, Host> matrix = level == 0 && part == LevelPart::A
                                  ? state_->matrix().to_csr(ctx, host)
                                  : state_->ready_preconditioner().level_matrix(ctx, host, level, part);
  return state_->approach.is_negated && part == LevelPart::A ? convert_values<T>(host, std::move(matrix), -1.0)
                                                             : std::move(matrix);
}

template <class T, MemorySpace S>
std::vector<std::vector<Index>> AmgSolver<T, S>::aggregates(Context<S>& ctx) const {
  return state_->ready_preconditioner().aggregates(ctx);
}

template <class T, MemorySpace S>
AmgSolver<T, S> AmgSolver<T, S>::share(Context<S>& ctx) const {
  AmgSolver result(state_->amg, state_->solver);
  State& shared = *result.state_;
  shared.preconditioner = state_->ready_preconditioner().share(ctx);
  shared.approach = state_->approach;
  shared.beside = state_->beside;
  shared.nullspace = state_->nullspace;
  shared.lopsided = state_->lopsided;
  shared.rows_differ = state_->rows_differ;
  shared.has_other_nullspace = state_->has_other_nullspace;
  shared.has_own_candidates = state_->has_own_candidates;
  shared.modes = state_->modes;
  shared.block_size = state_->block_size;
  shared.has_block_smoother = state_->has_block_smoother;
  shared.has_new_values = state_->has_new_values;
  shared.is_share = true;
  return result;
}

template <class T, MemorySpace S>
HierarchySummary AmgSolver<T, S>::summary() const {
  HierarchySummary summary = state_->ready_preconditioner().summary();
  summary.levels.front().bytes += state_->is_beside() ? state_->beside->bytes() : 0;
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
