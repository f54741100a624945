#include "amg/diagonal_rows.hpp"

#include <cmath>

#include "core/reduce_host.hpp"

namespace amgsolve {

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

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
