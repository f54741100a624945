#include "core/parallel_host.hpp"
#include "problems/manufactured_evaluation.hpp"

namespace amgsolve {

template <class T>
void manufactured_solution(Context<Host>& ctx, const GeneratedProblem& problem, FatView<T, Host> u, RowRange rows) {
  evaluate_rows(ctx, problem, u, rows, SolutionOfMode{});
}

template <class T>
void manufactured_right_hand_side(Context<Host>& ctx, const GeneratedProblem& problem, FatView<T, Host> b,
                                  RowRange rows) {
  evaluate_rows(ctx, problem, b, rows, LoadOfMode{});
}

template <class T>
std::vector<DiscretizationError> discretization_error(Context<Host>& ctx, const GeneratedProblem& problem,
                                                      FatView<const T, Host> x, RowRange rows) {
  return evaluate_error(ctx, problem, x, rows);
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                    \
  template void manufactured_solution(Context<Host>&, const GeneratedProblem&, FatView<T, Host>, RowRange);        \
  template void manufactured_right_hand_side(Context<Host>&, const GeneratedProblem&, FatView<T, Host>, RowRange); \
  template std::vector<DiscretizationError> discretization_error(Context<Host>&, const GeneratedProblem&,          \
                                                                 FatView<const T, Host>, RowRange);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
