#include <algorithm>

#include "amg/density_steps.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {

void count_sampled_rows(Context<Host>& ctx, Span<const Offset, Host> row_offsets, const RowSample& sample,
                        Span<Offset, Host> counts) {
  parallel_for(ctx, sample.count, [&](std::int64_t s) {
    const auto row = static_cast<std::size_t>(sample.row(s));
    counts[static_cast<std::size_t>(s)] = row_offsets[row + 1] - row_offsets[row];
  });
}

template <class T>
void copy_sampled_rows(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const RowSample& sample,
                       CsrMatrix<T, Host>& result) {
  parallel_for(ctx, sample.count, [&](std::int64_t s) {
    const auto row = static_cast<std::size_t>(sample.row(s));
    const Offset begin = A.row_offsets[row];
    const Offset length = A.row_offsets[row + 1] - begin;
    const Offset place = result.row_offsets[static_cast<std::size_t>(s)];
    std::copy_n(A.col_indices.data() + begin, length, result.col_indices.data() + place);
    std::copy_n(A.values.data() + begin, length, result.values.data() + place);
  });
}

template void copy_sampled_rows(Context<Host>&, const CsrMatrix<float, Host>&, const RowSample&,
                                CsrMatrix<float, Host>&);
template void copy_sampled_rows(Context<Host>&, const CsrMatrix<double, Host>&, const RowSample&,
                                CsrMatrix<double, Host>&);

}  // namespace amgsolve
