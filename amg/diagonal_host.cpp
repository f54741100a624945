#include "amg/diagonal.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel_host.hpp"

namespace amgsolve {

template <class T>
Index find_non_positive_diagonal(Context<Host>& ctx, const CsrMatrix<T, Host>& A,
                                 Span<const std::type_identity_t<T>, Host> d) {
  Index first = max_index;
  parallel_ranges(ctx, A.rows, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (d[i] > T{0}) {
        continue;
      }
      const T* row = A.values.data() + A.row_offsets[i];
      const T* row_end = A.values.data() + A.row_offsets[i + 1];
      if (d[i] != T{0} || std::any_of(row, row_end, [](T a) { return a != T{0}; })) {
#pragma omp critical
        first = std::min(first, static_cast<Index>(i));
        return;
      }
    }
  });
  return first == max_index ? -1 : first;
}

template <class T>
void invert_diagonal(Context<Host>& ctx, Span<const T, Host> d, bool square_root, Span<T, Host> inverse) {
  parallel_for(ctx, static_cast<std::int64_t>(d.size()), [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    inverse[i] = d[i] > T{0} ? T{1} / (square_root ? std::sqrt(d[i]) : d[i]) : T{0};
  });
}

template <class T>
void invert_l1_norms(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<std::type_identity_t<T>, Host> inverse) {
  parallel_for(ctx, A.rows, [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    T sum = 0;
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      sum += std::abs(A.values[k]);
    }
    inverse[i] = sum > T{0} ? T{1} / sum : T{0};
  });
}

#define AMGSOLVE_INSTANTIATE(T)                                                                              \
  template Index find_non_positive_diagonal(Context<Host>&, const CsrMatrix<T, Host>&, Span<const T, Host>); \
  template void invert_diagonal(Context<Host>&, Span<const T, Host>, bool, Span<T, Host>);                   \
  template void invert_l1_norms(Context<Host>&, const CsrMatrix<T, Host>&, Span<T, Host>);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
