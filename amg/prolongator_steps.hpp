#pragma once

#include "amg/prolongator.hpp"

/// The steps of prolongators that each memory space has its own of.
namespace amgsolve {

/// The operands of a smoothed prolongator, checked; see smoothed_prolongator().
template <class T, MemorySpace S>
struct ProlongatorOperands {
  const CsrMatrix<T, S>& A;
  const Graph<S>* strong;
  const Aggregates<S>& aggregates;
  Index block_size;
  const Tentative<T, S>& tentative;
  T damping;
  ProlongatorRows rows;

  Index candidates() const { return tentative.basis.columns(); }
  Index coarse_rows() const { return tentative.coarse_candidates.rows(); }
};

/// counts_i = the entries of row i of T, k or none.
void count_tentative_entries(Context<Host>& ctx, const Aggregates<Host>& aggregates, Index block_size, Index k,
                             Span<Offset, Host> counts);
void count_tentative_entries(Context<Cuda>& ctx, const Aggregates<Cuda>& aggregates, Index block_size, Index k,
                             Span<Offset, Cuda> counts);

/// Fills the columns and values of T, whose row offsets are known.
template <class T>
void fill_tentative_entries(Context<Host>& ctx, const Aggregates<Host>& aggregates, Index block_size,
                            const MultiVector<T, Host>& basis, CsrMatrix<T, Host>& P);
template <class T>
void fill_tentative_entries(Context<Cuda>& ctx, const Aggregates<Cuda>& aggregates, Index block_size,
                            const MultiVector<T, Cuda>& basis, CsrMatrix<T, Cuda>& P);

/// P itself.
template <class T>
CsrMatrix<T, Host> form_prolongator(Context<Host>& ctx, const ProlongatorOperands<T, Host>& operands);
template <class T>
CsrMatrix<T, Cuda> form_prolongator(Context<Cuda>& ctx, const ProlongatorOperands<T, Cuda>& operands);

/// The values of P, whose pattern stands.
template <class T>
void refill_prolongator(Context<Host>& ctx, const ProlongatorOperands<T, Host>& operands, CsrMatrix<T, Host>& P);
template <class T>
void refill_prolongator(Context<Cuda>& ctx, const ProlongatorOperands<T, Cuda>& operands, CsrMatrix<T, Cuda>& P);

}  // namespace amgsolve
