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
