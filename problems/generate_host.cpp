#include "core/parallel_host.hpp"
#include "problems/generate_rows.hpp"

namespace amgsolve {

template <class T>
CsrMatrix<T, Host> generate_matrix(Context<Host>& ctx, const GeneratedProblem& problem, RowRange rows) {
  return generate_rows<T>(ctx, problem, rows);
}

template CsrMatrix<float, Host> generate_matrix(Context<Host>&, const GeneratedProblem&, RowRange);
template CsrMatrix<double, Host> generate_matrix(Context<Host>&, const GeneratedProblem&, RowRange);

}  // namespace amgsolve
