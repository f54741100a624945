#include "core/parallel_host.hpp"
#include "problems/manufactured_evaluation.hpp"

namespace amgsolve {

template <class T>
void manufactured_solution(Context<Host>& ctx, const GeneratedProblem& problem, FatView<T, Host> u) {
  evaluate_solution(ctx, problem, u);
}

template <class T>
void manufactured_right_hand_side(Context<Host>& ctx, const GeneratedProblem& problem, FatView<T, Host> b) {
  evaluate_load(ctx, problem, b);
}

template <class T>
std::vector<DiscretizationError> discretization_error(Context<Host>& ctx, const GeneratedProblem& problem,
                                                      FatView<const T, Host> x) {
  return evaluate_error(ctx, problem, x);
}

#define AMGSOLVE_INSTANTIATE(T)                                                                           \
  template void manufactured_solution(Context<Host>&, const GeneratedProblem&, FatView<T, Host>);         \
  template void manufactured_right_hand_side(Context<Host>&, const GeneratedProblem&, FatView<T, Host>);  \
  template std::vector<DiscretizationError> discretization_error(Context<Host>&, const GeneratedProblem&, \
                                                                 FatView<const T, Host>);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
