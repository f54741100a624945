#include "core/parallel_host.hpp"
#include "spmv/relax_rows.hpp"

namespace amgsolve::detail {

template <class Ref, class T>
void relax_rows(Context<Host>& ctx, const Ref& A, Span<const Index, Host> rows, std::int64_t row_work, int,
                const Relaxation<T>& relaxation) {
  parallel_for(
      ctx, static_cast<std::int64_t>(rows.size()),
      [&](std::int64_t i) {
        const Index row = rows.data()[i];
        const auto entries = A.row(row);
        for (Index j = 0; j < relaxation.columns; ++j) {
          T sum = 0;
          for (Index e = 0; e < entries.count; ++e) {
            const Index l = entries.column(e);
            if (!Ref::has_padding || l != padding) {
              sum += A.values[entries.place(e)] * relaxation.x[Offset{l} * relaxation.columns + j];
            }
          }
          relaxation(row, j, sum);
        }
      },
      row_work * relaxation.columns);
}

#define AMGSOLVE_INSTANTIATE(T, Ref)                                                               \
  template void relax_rows(Context<Host>&, const Ref&, Span<const Index, Host>, std::int64_t, int, \
                           const Relaxation<T>&);
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, float)
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve::detail
