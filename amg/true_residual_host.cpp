#include "amg/true_residual.hpp"

#include <functional>

#include "core/parallel_host.hpp"

namespace amgsolve {

template <class T>
void true_residual_norms(Context<Host>& ctx, const CsrMatrix<T, Host>& A,
                         FatView<const std::type_identity_t<T>, Host> b, FatView<const std::type_identity_t<T>, Host> x,
                         Span<double, Host> norm_squared) {
  const auto k = static_cast<std::size_t>(b.columns);
  // A pass over A for each column: done once a solve, where a simple sum is worth more than a fast one.
  for (std::size_t j = 0; j < k; ++j) {
    const auto sum_of_rows = [&](std::int64_t begin, std::int64_t end) {
      double sum = 0.0;
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        double r = static_cast<double>(b.data[i * k + j]);
        const auto row_end = static_cast<std::size_t>(A.row_offsets[i + 1]);
        for (auto e = static_cast<std::size_t>(A.row_offsets[i]); e < row_end; ++e) {
          r -= static_cast<double>(A.values[e]) *
               static_cast<double>(x.data[static_cast<std::size_t>(A.col_indices[e]) * k + j]);
        }
        sum += r * r;
      }
      return sum;
    };
    norm_squared[j] = parallel_reduce(ctx, A.rows, 0.0, sum_of_rows, std::plus<>());
  }
  ctx.profile().add({.bytes = static_cast<std::int64_t>(k * A.bytes() + 2 * b.size() * sizeof(T)),
                     .flops = (2 * A.nnz() + 3 * std::int64_t{A.rows}) * b.columns});
}

template void true_residual_norms(Context<Host>&, const CsrMatrix<float, Host>&, FatView<const float, Host>,
                                  FatView<const float, Host>, Span<double, Host>);
template void true_residual_norms(Context<Host>&, const CsrMatrix<double, Host>&, FatView<const double, Host>,
                                  FatView<const double, Host>, Span<double, Host>);

}  // namespace amgsolve
