#include "amg/approach.hpp"

#include <string>

#include "amg/block_diagonal.hpp"
#include "amg/optimal_polynomial.hpp"
#include "core/collectively.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"

namespace amgsolve {
namespace {

bool is_symmetric_cycle(const AmgOptions& amg) {
  return amg.smoother.pre_sweeps == amg.smoother.post_sweeps && amg.cycle != CycleType::f && amg.cycle != CycleType::k;
}

std::string not_symmetric(const MatrixFindings& findings) {
  return format_text("not symmetric (entry in row {}, column {} differs from its mirror)", findings.asymmetry.row + 1,
                     findings.asymmetry.col + 1);
}

/// For a report to tell.
void note_approach(Profile& profile, const Approach& approach, const MatrixFindings& findings) {
  if (approach.kind == MatrixKind::general) {
    profile.note(format_text("{}: {}", not_symmetric(findings), name(approach.method)));
  }
  if (approach.is_negated) {
    note_negated(profile);
  }
}

/// Whether it is left to the nodes whether their blocks are inverted.
bool may_invert_blocks(const Approach& approach, const AmgOptions& amg, Index block_size) {
  return block_size > 1 && amg.smoother.type == SmootherType::automatic && approach.kind != MatrixKind::general &&
         amg.smoother.degree.value_or(default_degree) <= highest_optimal_degree;
}

}  // namespace

template <class T, MemorySpace S>
Approach find_approach(Context<S>& ctx, const CsrMatrix<T, S>& A, const Operator<T, S>& stored,
                       const MatrixFindings& findings, const AmgOptions& amg, Method wanted) {
  if (!findings.is_symmetric() && needs_symmetry(wanted)) {
    throw InputError(
        format_text("the matrix is {}: 'solver.method' {} needs a symmetric matrix; auto, gmres, fgmres and bicgstab "
                    "take any",
                    not_symmetric(findings), name(wanted)));
  }
  Approach result = approach_to(findings.is_symmetric(), amg, wanted);
  const DiagonalSigns signs = diagonal_signs<T>(ctx, A, 0, stored);
  result.is_negated = signs.all_negative();
  const bool is_pivoted =
      wanted != Method::automatic && result.kind != MatrixKind::definite && amg.solves_directly(A.rows);
  if (!signs.is_one() && result.method != Method::minres && !is_pivoted) {
    throw_not_of_one_sign(ctx, A, signs, findings.is_symmetric());
  }
  note_approach(ctx.profile(), result, findings);
  return result;
}

void note_negated(Profile& profile) { profile.note("the diagonal is negative: -A x = -b is solved"); }

bool needs_symmetry(Method method) { return method == Method::cg || method == Method::fcg || method == Method::minres; }

Approach approach_to(bool is_symmetric, const AmgOptions& amg, Method wanted) {
  const bool takes_any_signs = wanted == Method::gmres || wanted == Method::fgmres || wanted == Method::bicgstab;
  const MatrixKind kind = !is_symmetric     ? MatrixKind::general
                          : takes_any_signs ? MatrixKind::symmetric
                                            : MatrixKind::definite;
  return {method_for(wanted, amg, is_symmetric), kind};
}

Method method_for(Method wanted, const AmgOptions& amg, bool is_symmetric) {
  if (wanted != Method::automatic) {
    return wanted;
  }
  // The polynomial may exceed 1 on a part of the spectrum, where the cycle is not positive definite.
  const bool is_definite_cycle = amg.smoother.type != SmootherType::gmres_polynomial;
  return !is_symmetric || !is_definite_cycle ? Method::fgmres : is_symmetric_cycle(amg) ? Method::cg : Method::fcg;
}

CycleType cycle_for(CycleType wanted, MatrixKind kind, Method method) {
  const bool is_varied = wanted == CycleType::automatic && kind == MatrixKind::general && method != Method::gmres;
  return is_varied ? CycleType::k : wanted;
}

Precision precision_for(Precision wanted, Method method) {
  return wanted == Precision::automatic && method == Method::gmres ? Precision::same : wanted;
}

AmgOptions options_for(const Approach& approach, AmgOptions amg, Index block_size) {
  amg.matrix = approach.kind;
  amg.block_size = block_size;
  if (!amg.smoother.lower_fraction && block_size > 1) {
    amg.smoother.lower_fraction = lower_fraction_of_blocks;
  }
  if (block_size >= unknowns_of_shells && may_invert_blocks(approach, amg, block_size)) {
    amg.smoother.type = SmootherType::block_chebyshev;
  }
  amg.cycle = cycle_for(amg.cycle, approach.kind, approach.method);
  amg.precision = precision_for(amg.precision, approach.method);
  return amg;
}

template <class T, MemorySpace S>
AmgOptions options_for_nodes(Context<S>& ctx, const CsrMatrix<T, S>& A, const Approach& approach, const AmgOptions& amg,
                             Index block_size, std::type_identity_t<const Layout<S>*> window) {
  AmgOptions options = options_for(approach, amg, block_size);
  if (!may_invert_blocks(approach, options, block_size)) {
    return options;
  }
  ScopedTimer timer(ctx, "smoother", 0);
  const Communicator& ranks = ranks_of(ctx, window);
  const double own = collectively(ranks, [&] {
    const Index first = window != nullptr ? window->first_own() : 0;
    return least_part_left(ctx, A, invert_diagonal_blocks(ctx, A, block_size, false, first), first);
  });
  const double part = smallest_of(ranks, own);
  // Blocks that are not positive definite are no smoother's.
  if (part > 0.0 && part < least_part_for_points) {
    ctx.profile().note("unknowns of a node are strongly coupled: block_chebyshev ('amg.smoother.type')");
    options.smoother.type = SmootherType::block_chebyshev;
  }
  return options;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                   \
  template Approach find_approach(Context<S>&, const CsrMatrix<T, S>&, const Operator<T, S>&, const MatrixFindings&, \
                                  const AmgOptions&, Method);                                                        \
  template AmgOptions options_for_nodes(Context<S>&, const CsrMatrix<T, S>&, const Approach&, const AmgOptions&,     \
                                        Index, const Layout<S>*);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
