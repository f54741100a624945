#include "amg/methods.hpp"

#include "amg/bicgstab.hpp"
#include "amg/conjugate_gradients.hpp"
#include "amg/gmres.hpp"
#include "amg/minres.hpp"
#include "amg/stationary_iteration.hpp"
#include "core/instantiate.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
std::unique_ptr<IterativeMethod<T, S>> make_method(Context<S>& ctx, const Operator<T, S>& A,
                                                   Preconditioner<T, S>& preconditioner, Index columns, Method method,
                                                   int restart, bool rows_differ) {
  switch (method) {
    case Method::gmres:
    case Method::fgmres:
      return std::make_unique<Gmres<T, S>>(ctx, A, preconditioner, columns, restart, method == Method::fgmres,
                                           rows_differ);
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

#define AMGSOLVE_INSTANTIATE(T, S)                                                                \
  template std::unique_ptr<IterativeMethod<T, S>> make_method(Context<S>&, const Operator<T, S>&, \
                                                              Preconditioner<T, S>&, Index, Method, int, bool);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
