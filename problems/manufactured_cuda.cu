#include "core/parallel_cuda.cuh"
#include "problems/manufactured_evaluation.hpp"

namespace amgsolve {

template <class T>
void manufactured_solution(Context<Cuda>& ctx, const GeneratedProblem& problem, FatView<T, Cuda> u) {
  evaluate_solution(ctx, problem, u);
}

template <class T>
void manufactured_right_hand_side(Context<Cuda>& ctx, const GeneratedProblem& problem, FatView<T, Cuda> b) {
  evaluate_load(ctx, problem, b);
}

template <class T>
std::vector<DiscretizationError> discretization_error(Context<Cuda>& ctx, const GeneratedProblem& problem,
                                                      FatView<const T, Cuda> x) {
  return evaluate_error(ctx, problem, x);
}

#define AMGSOLVE_INSTANTIATE(T)                                                                           \
  template void manufactured_solution(Context<Cuda>&, const GeneratedProblem&, FatView<T, Cuda>);         \
  template void manufactured_right_hand_side(Context<Cuda>&, const GeneratedProblem&, FatView<T, Cuda>);  \
  template std::vector<DiscretizationError> discretization_error(Context<Cuda>&, const GeneratedProblem&, \
                                                                 FatView<const T, Cuda>);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
