#include "core/parallel_cuda.cuh"
#include "problems/manufactured_evaluation.hpp"

namespace amgsolve {

template <class T>
void manufactured_solution(Context<Cuda>& ctx, const GeneratedProblem& problem, FatView<T, Cuda> u, RowRange rows) {
  evaluate_rows(ctx, problem, u, rows, SolutionOfMode{});
}

template <class T>
void manufactured_right_hand_side(Context<Cuda>& ctx, const GeneratedProblem& problem, FatView<T, Cuda> b,
                                  RowRange rows) {
  evaluate_rows(ctx, problem, b, rows, LoadOfMode{});
}

template <class T>
std::vector<DiscretizationError> discretization_error(Context<Cuda>& ctx, const GeneratedProblem& problem,
                                                      FatView<const T, Cuda> x, RowRange rows) {
  return evaluate_error(ctx, problem, x, rows);
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                    \
  template void manufactured_solution(Context<Cuda>&, const GeneratedProblem&, FatView<T, Cuda>, RowRange);        \
  template void manufactured_right_hand_side(Context<Cuda>&, const GeneratedProblem&, FatView<T, Cuda>, RowRange); \
  template std::vector<DiscretizationError> discretization_error(Context<Cuda>&, const GeneratedProblem&,          \
                                                                 FatView<const T, Cuda>, RowRange);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
