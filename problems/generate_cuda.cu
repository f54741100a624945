#include "core/parallel_cuda.cuh"
#include "problems/generate_rows.hpp"

namespace amgsolve {

template <class T>
CsrMatrix<T, Cuda> generate_matrix(Context<Cuda>& ctx, const GeneratedProblem& problem, RowRange rows) {
  return generate_rows<T>(ctx, problem, rows);
}

template CsrMatrix<float, Cuda> generate_matrix(Context<Cuda>&, const GeneratedProblem&, RowRange);
template CsrMatrix<double, Cuda> generate_matrix(Context<Cuda>&, const GeneratedProblem&, RowRange);

}  // namespace amgsolve
