#include "amg/prolongator.hpp"

#include <stdexcept>

#include "amg/prolongator_steps.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"

namespace amgsolve {
namespace {

template <class T, MemorySpace S>
void check_operands(const ProlongatorOperands<T, S>& operands) {
  const auto& [A, strong, aggregates, block_size, tentative, damping, rows] = operands;
  const auto nodes = static_cast<std::int64_t>(aggregates.of_node.size());
  if (block_size < 1 || nodes * block_size != tentative.basis.rows()) {
    throw std::invalid_argument(format_text("prolongator: {} nodes of {} unknowns and a tentative one of {} rows",
                                            nodes, block_size, tentative.basis.rows()));
  }
  if (rows.first < 0 || rows.first > A.cols - A.rows || A.cols != tentative.basis.rows()) {
    throw std::invalid_argument(format_text("prolongator: a {} x {} matrix and a tentative one of {} rows", A.rows,
                                            A.cols, tentative.basis.rows()));
  }
  if (strong != nullptr && (A.rows != A.cols || std::int64_t{strong->nodes} * block_size != A.rows)) {
    throw std::invalid_argument(
        format_text("prolongator: a graph of {} nodes of {} unknowns, and {} rows", strong->nodes, block_size, A.cols));
  }
}

/// Books the smoothing of T to P.
template <class T, MemorySpace S>
void book(Context<S>& ctx, const ProlongatorOperands<T, S>& operands, const CsrMatrix<T, S>& P) {
  ctx.profile().add(
      {.bytes = static_cast<std::int64_t>(operands.A.bytes() + P.bytes() + operands.tentative.basis.bytes() +
                                          operands.aggregates.of_node.bytes()),
       .flops = 2 * operands.A.nnz() * operands.candidates()});
}

}  // namespace

template <class T, MemorySpace S>
CsrMatrix<T, S> smoothed_prolongator(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                     const std::type_identity_t<Graph<S>>* strong, const Aggregates<S>& aggregates,
                                     Index block_size, const Tentative<T, S>& tentative,
                                     std::type_identity_t<T> damping, const ProlongatorRows& rows) {
  const ProlongatorOperands<T, S> operands{A, strong, aggregates, block_size, tentative, damping, rows};
  check_operands(operands);
  CsrMatrix<T, S> P = form_prolongator(ctx, operands);
  book(ctx, operands, P);
  return P;
}

template <class T, MemorySpace S>
void update_smoothed_prolongator(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                 const std::type_identity_t<Graph<S>>* strong, const Aggregates<S>& aggregates,
                                 Index block_size, const Tentative<T, S>& tentative, std::type_identity_t<T> damping,
                                 CsrMatrix<T, S>& P) {
  const ProlongatorOperands<T, S> operands{A, strong, aggregates, block_size, tentative, damping, {}};
  check_operands(operands);
  if (P.rows != A.rows || P.cols != operands.coarse_rows()) {
    throw std::invalid_argument(format_text("prolongator: {} x {} where {} x {} is to be refilled", P.rows, P.cols,
                                            A.rows, operands.coarse_rows()));
  }
  refill_prolongator(ctx, operands, P);
  book(ctx, operands, P);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                  \
  template CsrMatrix<T, S> smoothed_prolongator(Context<S>&, const CsrMatrix<T, S>&,                                \
                                                const std::type_identity_t<Graph<S>>*, const Aggregates<S>&, Index, \
                                                const Tentative<T, S>&, T, const ProlongatorRows&);                 \
  template void update_smoothed_prolongator(Context<S>&, const CsrMatrix<T, S>&,                                    \
                                            const std::type_identity_t<Graph<S>>*, const Aggregates<S>&, Index,     \
                                            const Tentative<T, S>&, T, CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
