#include "amg/shared_solver.hpp"

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "amg/approach.hpp"
#include "amg/candidates.hpp"
#include "amg/coarsening_choices.hpp"
#include "amg/constants_check.hpp"
#include "amg/iterative_method.hpp"
#include "amg/multigrid_preconditioner.hpp"
#include "amg/negated.hpp"
#include "amg/nullspace.hpp"
#include "amg/raised_diagonal.hpp"
#include "amg/relaxed_constants.hpp"
#include "amg/setup_memory.hpp"
#include "amg/shared_coarsening.hpp"
#include "amg/shared_findings.hpp"
#include "amg/smoother.hpp"
#include "amg/solve_system.hpp"
#include "amg/solver.hpp"
#include "core/collectively.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "core/vector_error.hpp"
#include "dist/halo.hpp"
#include "dist/replicate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// Refuses what are no row offsets of a rank's entries. Collective.
template <class T, MemorySpace S>
void check_offsets(Context<S>& ctx, const RankRows<T, S>& rows) {
  collectively(ctx.communicator(), [&] {
    const std::string problem = find_offset_problem(ctx, rows.row_offsets.span(), rows.nnz());
    if (!problem.empty()) {
      throw InputError(format_text("of the rank's rows, {}", problem));
    }
  });
}

/// Those in which no node waits for what another one's values become.
bool takes_nodes_at_once(SmootherType smoother) {
  return smoother != SmootherType::gauss_seidel && smoother != SmootherType::hybrid_gauss_seidel;
}

}  // namespace

bool can_share_levels(const AmgOptions& amg, const SolverOptions& solver, bool is_symmetric, Index block_size) {
  const Approach approach = approach_to(is_symmetric, amg, solver.method);
  return (is_symmetric || !needs_symmetry(approach.method)) &&
         takes_nodes_at_once(options_for(approach, amg, block_size).smoother.type) &&
         amg.unknowns == Numbering::by_node && solver.reuse == Reuse::none && !amg.spgemm.statistics;
}

template <class T, MemorySpace S>
MultiVector<T, S> rows_of_all(Context<S>& ctx, MultiVectorView<const T, S> own, const char* what) {
  const Communicator& ranks = ctx.communicator();
  const auto columns = static_cast<Index>(ranks.max(own.rows > 0 ? own.columns : 0));
  collectively(ranks, [&] {
    if (own.rows > 0 && own.columns != columns) {
      throw InputError(format_text("{} has {} columns on this rank, {} on another", what, own.columns, columns));
    }
  });
  if (columns == 0) {
    return {};
  }
  own.columns = columns;
  const Partition partition(ranks, own.rows);
  return replicated_rows<T>(ctx, partition, own, what);
}

template <class T, MemorySpace S>
struct SharedSolver<T, S>::State {
  AmgOptions amg;
  SolverOptions solver;
  Approach approach{};                                              ///< to A, where levels are shared
  bool rows_differ = false;                                         ///< see differ_in_size()
  std::shared_ptr<const Layout<S>> layout{};                        ///< of A
  Offset nnz = 0;                                                   ///< of this rank's rows
  std::unique_ptr<MultigridPreconditioner<T, S>> preconditioner{};  ///< where levels are shared
  std::optional<Operator<T, S>> beside{};                           ///< A, where that is of another: under minres
  std::size_t bytes_beside = 0;                                     ///< of it, on all ranks
  std::unique_ptr<const Nullspace<T, S>> nullspace{};               ///< of an A that is singular, there
  Index block_size = 1;                                             ///< unknowns a node, there
  ModesCheck modes{};                                               ///< of own candidates, there: what they are
  bool has_block_smoother = false;                                  ///< the levels' smoother is_of_blocks(), there
  bool has_own_candidates = false;                                  ///< the caller gave none
  std::optional<AmgSolver<T, S>> alone{};                           ///< else

  const Layout<S>& ready_layout() const {
    if (!layout || !(preconditioner || alone)) {
      throw std::invalid_argument(no_hierarchy);
    }
    return *layout;
  }

  /// A as the method multiplies by it, where levels are shared.
  const Operator<T, S>& matrix() const { return beside ? *beside : preconditioner->matrix(); }

  /// Refuses vectors of other sizes, on all ranks.
  void expect_vectors(Context<S>& ctx, const char* given, MultiVectorView<const T, S> b, const char* sought,
                      MultiVectorView<T, S> x) const {
    const Index rows = ready_layout().own_rows();
    collectively(ctx.communicator(), [&] {
      if (b.rows != rows || x.rows != rows || x.columns != b.columns || b.columns < 1) {
        throw std::invalid_argument(format_text("solving with {} rows of a matrix: {} is {} x {}, {} is {} x {}", rows,
                                                given, b.rows, b.columns, sought, x.rows, x.columns));
      }
    });
  }

  MultiVector<T, S> gathered(Context<S>& ctx, MultiVectorView<const T, S> own) const {
    return replicated_rows<T>(ctx, layout->partition(), own, "rows");
  }

  /// The way back.
  MultiVectorView<const T, S> own_of(MultiVectorView<const T, S> all) const {
    return {all.data + layout->first_row() * all.columns, layout->own_rows(), all.columns};
  }

  /// The product of all rows that a rank asks for which has them alone, by the ranks' products of their own.
  FormProduct<T, S> product_of_all(const FormProduct<T, S>& product, const Communicator& ranks) const {
    if (!product) {
      return {};
    }
    return [this, &product, &ranks](Context<S>& ctx, MultiVectorView<const T, S> X, MultiVectorView<T, S> Y) {
      MultiVector<T, S> own(ctx, layout->own_rows(), X.columns);
      if (agree_on_step(ranks, false)) {
        throw InterruptedError(ctx.profile().current_path());
      }
      const typename Context<S>::Together together(ctx, ranks);
      product(ctx, own_of(X), own);
      replicate_rows<T>(ctx, layout->partition(), std::as_const(own), Y);
    };
  }

  /// Rows that are refused leave what there was; what else ends this leaves none.
  void build(Context<S>& ctx, RankRows<T, S> rows, const GivenOfAll<T, S>& given) {
    auto former = std::move(preconditioner);
    auto former_beside = std::exchange(beside, {});
    auto former_nullspace = std::move(nullspace);
    auto former_alone = std::exchange(alone, {});
    try {
      const Partition partition(ctx.communicator(), rows.rows());
      if (!former) {  // else its memory will serve
        reserve_memory(ctx, rows, partition, given);
      }
      const Offset entries = rows.nnz();
      LocalMatrix<T, S> A = to_local(ctx, partition, std::move(rows));
      const auto layout_of_A = A.layout;
      std::optional<SharedFindings<T, S>> findings;
      const auto can_share = [&](bool is_symmetric, Index unknowns_a_node) {
        return can_share_levels(amg, solver, is_symmetric, unknowns_a_node);
      };
      const Index told = amg.block_size.value_or(1);
      if ((can_share(true, told) || can_share(false, told)) &&
          ctx.communicator().sum(A.A.nnz()) > replicated_entries(ctx, amg)) {
        ScopedTimer timer(ctx, "check", 0);
        findings = find_of_shared(ctx, A, given, amg, solver.method);
      }
      if (findings && findings->is_plain && can_share(findings->is_symmetric, findings->block_size)) {
        former.reset();
        former_beside.reset();
        former_nullspace.reset();
        former_alone.reset();
        share(ctx, A, *findings);
      }
      if (!preconditioner) {
        findings.reset();
        solve_alone(ctx, std::move(A), given);
      }
      has_own_candidates = given.is_none();
      layout = layout_of_A;
      nnz = entries;
    } catch (const InputError&) {
      preconditioner = std::move(former);
      beside = std::move(former_beside);
      nullspace = std::move(former_nullspace);
      alone = std::move(former_alone);
      throw;
    }
    ctx.workspace().release();
  }

  void reserve_memory(Context<S>& ctx, const RankRows<T, S>& rows, const Partition& partition,
                      const GivenOfAll<T, S>& given) const {
    const auto nodes = std::max(given.coordinates.rows, Index{1});
    const SystemSize system{.rows = static_cast<double>(partition.rows()),
                            .nnz = static_cast<double>(ctx.communicator().sum(rows.nnz())),
                            .block_size = static_cast<Index>(given.coordinates.rows > 0 ? partition.rows() / nodes : 1),
                            .candidates = given.near_nullspace.rows > 0 ? given.near_nullspace.columns : 0,
                            .value_bytes = sizeof(T),
                            .ranks = ctx.communicator().size(),
                            .replicated = static_cast<double>(replicated_entries(ctx, amg))};
    collectively(ctx.communicator(), [&] { reserve_setup_memory(ctx, system, amg, solver); });
  }

  /// Makes the preconditioner of A, which is taken, where its levels turn out to be such that can be shared.
  void share(Context<S>& ctx, LocalMatrix<T, S>& A, SharedFindings<T, S>& findings) {
    const Communicator& ranks = ctx.communicator();
    const std::shared_ptr<const Layout<S>> layout_of_A = A.layout;
    approach = approach_to(findings.is_symmetric, amg, solver.method);
    approach.is_negated = findings.is_negated;
    const auto turn_sign = [&] {
      if (approach.is_negated) {
        collectively(ranks, [&] { A.A = convert_values<T>(ctx, std::move(A.A), -1.0); });
      }
    };
    turn_sign();
    std::optional<RelaxedConstants<T, S>> fitted;
    if (findings.modes != Modes::given && findings.is_symmetric) {
      fitted = relaxed_constants(ctx, A.A, findings.candidates, layout_of_A);
    }
    const MultiVectorView<const T, S> candidates = fitted ? fitted->vectors.view() : findings.candidates.view();
    if (approach.method == Method::minres) {
      const auto window = std::make_shared<Halo<T, S>>(A.layout);
      CsrMatrix<T, S> raised = raised_diagonal(ctx, A.A, window.get());
      findings.light = {};  // another matrix is set up
      beside.emplace(ctx, std::move(A.A), amg.storage, window);
      bytes_beside = static_cast<std::size_t>(ranks.sum(static_cast<std::int64_t>(beside->bytes())));
      A.A = std::move(raised);
    }
    rows_differ = differ_in_size(findings.magnitudes);
    block_size = findings.block_size;
    const AmgOptions options = options_for_nodes<T, S>(ctx, A.A, approach, amg, block_size, layout_of_A.get());
    std::unique_ptr<MultigridPreconditioner<T, S>> made;
    const auto give_back = [&] {
      if (beside) {
        A = {collectively(ranks, [&] { return beside->to_csr(ctx); }), layout_of_A};
        beside.reset();
      } else if (made) {
        A.A = collectively(ranks, [&] { return made->matrix().to_csr(ctx); });
      }
      turn_sign();
    };
    try {
      made = make_shared_preconditioner<T, S>(ctx, A, findings.magnitudes, candidates, options,
                                              std::exchange(findings.light, {}));
    } catch (const NotShareable&) {
      give_back();
      return;
    }
    const HierarchySummary summary = made->summary();
    if (findings.is_singular ? !made->is_connected(ctx) : summary.may_be_singular) {
      give_back();
      return;
    }
    if (findings.is_singular) {
      ScopedTimer timer(ctx, "null space", 0);
      auto found = std::make_unique<const Nullspace<T, S>>(
          Nullspace<T, S>::of_connected(ctx, made->matrix(), candidates, block_size));
      if (summary.vanishing_pivots > found->dimension()) {
        give_back();
        return;
      }
      nullspace = std::move(found);
      ctx.profile().note(nullspace->description());
    }
    has_block_smoother = is_of_blocks(options.smoother.type);
    made->note_choices(ctx);
    if (findings.tells_block_size) {
      note_block_size(ctx.profile(), block_size);
    }
    modes = {.modes = fitted ? relaxed(findings.modes) : findings.modes,
             .relaxation = fitted ? fitted->relaxation : Relaxation{}};
    note_fitted(ctx.profile(), modes.modes, findings.are_scaled, modes.relaxation);
    if (!findings.is_symmetric) {
      ctx.profile().note(format_text("not symmetric: {}", name(approach.method)));
    }
    if (findings.is_negated) {
      note_negated(ctx.profile());
    }
    preconditioner = std::move(made);
  }

  void solve_alone(Context<S>& ctx, LocalMatrix<T, S> A, const GivenOfAll<T, S>& given) {
    CsrMatrix<T, S> whole = replicate(ctx, A);
    A.A = {};
    AmgSolver<T, S> solver_of_all(amg, solver);
    all_alike(ctx.communicator(), [&] {
      const typename Context<S>::Alone by_itself(ctx);
      solver_of_all.setup(ctx, std::move(whole), given.near_nullspace, given.coordinates);
    });
    alone = std::move(solver_of_all);
  }
};

template <class T, MemorySpace S>
SharedSolver<T, S>::SharedSolver(const AmgOptions& amg, const SolverOptions& solver)
    : state_(new State{.amg = amg, .solver = solver}) {}

template <class T, MemorySpace S>
void SharedSolver<T, S>::setup(Context<S>& ctx, RankRows<T, S> rows, MultiVectorView<const T, S> near_nullspace,
                               MultiVectorView<const T, S> coordinates) {
  ScopedTimer timer(ctx, "setup");
  collectively(ctx.communicator(), [&] {
    if (near_nullspace.rows > 0 && near_nullspace.rows != rows.rows()) {
      throw VectorError(
          VectorError::Role::near_nullspace,
          format_text("the near-nullspace has {} rows for {} rows of the matrix", near_nullspace.rows, rows.rows()));
    }
  });
  check_offsets(ctx, rows);
  const MultiVector<T, S> whole_nullspace = rows_of_all(ctx, near_nullspace, "the near-nullspace");
  state_->build(ctx, std::move(rows), {whole_nullspace.view(), coordinates});
}

template <class T, MemorySpace S>
void SharedSolver<T, S>::update_values(Context<S>& ctx, RankRows<T, S> rows) {
  State& state = *state_;
  if (!state.layout) {
    state.ready_layout();  // says that there is none
  }
  const Layout<S>& layout = *state.layout;
  collectively(ctx.communicator(), [&] {
    if (rows.rows() != layout.own_rows() || rows.nnz() != state.nnz) {
      throw std::invalid_argument(format_text("new values: {} rows with {} entries, but there were {} with {}",
                                              rows.rows(), rows.nnz(), layout.own_rows(), state.nnz));
    }
  });
  check_offsets(ctx, rows);
  if (state.alone) {
    CsrMatrix<T, S> whole = replicate(ctx, to_local(ctx, layout.partition(), std::move(rows)));
    all_alike(ctx.communicator(), [&] {
      const typename Context<S>::Alone alone(ctx);
      state.alone->update_values(ctx, std::move(whole));
    });
    return;
  }
  if (!state.has_own_candidates) {
    throw_candidates_not_kept();
  }
  ScopedTimer timer(ctx, "update");
  state.build(ctx, std::move(rows), {});
}

template <class T, MemorySpace S>
SolveResult SharedSolver<T, S>::solve(Context<S>& ctx, MultiVectorView<const T, S> b, MultiVectorView<T, S> x,
                                      const SolveChoices<T, S>& choices) {
  State& state = *state_;
  state.expect_vectors(ctx, "b", b, "x", x);
  if (state.alone) {
    const MultiVector<T, S> all_b = state.gathered(ctx, b);
    MultiVector<T, S> all_x = state.gathered(ctx, MultiVectorView<const T, S>(x));
    SolveChoices<T, S> of_all = choices;
    of_all.product = state.product_of_all(choices.product, ctx.communicator());
    SolveResult result;
    all_alike(ctx.communicator(), [&] {
      const typename Context<S>::Alone alone(ctx);
      result = state.alone->solve(ctx, all_b, all_x, of_all);
    });
    copy<T, T>(ctx, state.own_of(std::as_const(all_x)), x);
    return result;
  }
  const typename Context<S>::WholeLoops whole_loops(ctx);
  ScopedTimer timer(ctx, "solve");
  const bool is_negated = state.approach.is_negated;
  const Operator<T, S>& stored = state.matrix();
  const Operator<T, S> not_stored(stored, is_negated ? negative(choices.product) : choices.product);
  const Operator<T, S>& A = choices.product ? not_stored : stored;
  MultiVector<T, S> negated;
  if (is_negated) {
    collectively(ctx.communicator(), [&] { negated = negative(ctx, b); });
    b = std::as_const(negated);
  }
  // Of another product, too: what judges a solve takes |A| from what is stored.
  collectively(ctx.communicator(), [&] { stored.reserve(ctx, b.columns); });
  SolveResult result = solve_system<T, S>(ctx, A, *state.preconditioner,
                                          nullspace_for(ctx, state.nullspace.get(), A, stored, b.columns, true), b, x,
                                          choices.in(state.solver),
                                          {.method = state.approach.method,
                                           .block_size = state.block_size,
                                           .rows_differ = state.rows_differ && !choices.product,
                                           .is_symmetric = state.approach.kind != MatrixKind::general});
  const typename Context<S>::Uninterrupted handing_over(ctx);
  result.method = state.approach.method;
  result.is_negated = is_negated;
  if (result.reason != StopReason::interrupted && result.iterations >= slow_iterations && state.has_own_candidates &&
      state.approach.kind != MatrixKind::general && !choices.product) {
    result.slow = check_constants(ctx, state.preconditioner->matrix(), state.block_size);
    if (result.slow) {
      result.slow->modes = state.modes;
      result.slow->has_block_smoother = state.has_block_smoother;
    }
  }
  return result;
}

template <class T, MemorySpace S>
void SharedSolver<T, S>::precondition(Context<S>& ctx, MultiVectorView<const T, S> r, MultiVectorView<T, S> z) {
  State& state = *state_;
  state.expect_vectors(ctx, "r", r, "z", z);
  ctx.notify({.phase = "precondition"});  // where all ranks agree whether to end: a cycle has no step at which they do
  if (!state.alone) {
    const typename Context<S>::WholeLoops whole_loops(ctx);
    ScopedTimer timer(ctx, "precondition");
    const T sign = state.approach.is_negated ? T{-1} : T{1};
    axpby<T>(ctx, sign, state.preconditioner->apply_to_any_size(ctx, r), T{0}, z);
    return;
  }
  const MultiVector<T, S> all_r = state.gathered(ctx, r);
  MultiVector<T, S> all_z;
  all_alike(ctx.communicator(), [&] {
    const typename Context<S>::Alone alone(ctx);
    all_z = MultiVector<T, S>(ctx, all_r.rows(), all_r.columns());
    state.alone->precondition(ctx, all_r, all_z);
  });
  copy<T, T>(ctx, state.own_of(std::as_const(all_z)), z);
}

template <class T, MemorySpace S>
std::vector<std::vector<Index>> SharedSolver<T, S>::aggregates(Context<S>& ctx) const {
  state_->ready_layout();
  return state_->alone ? state_->alone->aggregates(ctx) : state_->preconditioner->aggregates(ctx);
}

template <class T, MemorySpace S>
HierarchySummary SharedSolver<T, S>::summary() const {
  state_->ready_layout();
  if (state_->alone) {
    return state_->alone->summary();
  }
  HierarchySummary summary = state_->preconditioner->summary();
  summary.levels.front().bytes += state_->beside ? state_->bytes_beside : 0;
  return summary;
}

template <class T, MemorySpace S>
std::size_t SharedSolver<T, S>::shared_levels() const {
  return state_->preconditioner ? state_->preconditioner->shared_levels() : 0;
}

template <class T, MemorySpace S>
std::int64_t SharedSolver<T, S>::ghosts() const {
  return static_cast<std::int64_t>(state_->ready_layout().ghosts().size());
}

template <class T, MemorySpace S>
SharedSolver<T, S>::~SharedSolver() = default;
template <class T, MemorySpace S>
SharedSolver<T, S>::SharedSolver(SharedSolver&&) noexcept = default;
template <class T, MemorySpace S>
SharedSolver<T, S>& SharedSolver<T, S>::operator=(SharedSolver&&) noexcept = default;

#define AMGSOLVE_INSTANTIATE(T, S)   \
  template class SharedSolver<T, S>; \
  template MultiVector<T, S> rows_of_all(Context<S>&, MultiVectorView<const T, S>, const char*);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
