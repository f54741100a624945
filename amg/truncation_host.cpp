#include "amg/truncation_steps.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {
namespace {

template <class T>
TruncatedRow<T> truncate(const CsrMatrix<T, Host>& P, std::size_t i, Span<const T, Host> coarse_candidate,
                         T drop_tolerance) {
  const Offset begin = P.row_offsets[i];
  return {P.col_indices.data() + begin, P.values.data() + begin, P.row_offsets[i + 1] - begin, coarse_candidate.data(),
          drop_tolerance};
}

}  // namespace

template <class T>
void count_truncated(Context<Host>& ctx, const CsrMatrix<T, Host>& P, Span<const T, Host> coarse_candidate,
                     T drop_tolerance, Span<Offset, Host> counts) {
  parallel_for(ctx, P.rows, [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    const TruncatedRow<T> truncated = truncate(P, i, coarse_candidate, drop_tolerance);
    Offset count = 0;
    for (auto k = static_cast<std::size_t>(P.row_offsets[i]); k < static_cast<std::size_t>(P.row_offsets[i + 1]); ++k) {
      count += truncated.keeps(P.values[k]) ? 1 : 0;
    }
    counts[i] = count;
  });
}

template <class T>
void fill_truncated(Context<Host>& ctx, const CsrMatrix<T, Host>& P, Span<const T, Host> coarse_candidate,
                    T drop_tolerance, CsrMatrix<T, Host>& result) {
  parallel_for(ctx, P.rows, [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    const TruncatedRow<T> truncated = truncate(P, i, coarse_candidate, drop_tolerance);
    auto next = static_cast<std::size_t>(result.row_offsets[i]);
    for (auto k = static_cast<std::size_t>(P.row_offsets[i]); k < static_cast<std::size_t>(P.row_offsets[i + 1]); ++k) {
      if (truncated.keeps(P.values[k])) {
        result.col_indices[next] = P.col_indices[k];
        result.values[next++] = truncated.scaled(P.values[k]);
      }
    }
  });
}

template <class T>
void refill_truncated(Context<Host>& ctx, const CsrMatrix<T, Host>& P, Span<const T, Host> coarse_candidate,
                      CsrMatrix<T, Host>& result) {
  parallel_for(ctx, P.rows, [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    const Offset begin = P.row_offsets[i];
    const Offset kept = result.row_offsets[i];
    refill_truncated_row(P.col_indices.data() + begin, P.values.data() + begin, P.row_offsets[i + 1] - begin,
                         coarse_candidate.data(), result.col_indices.data() + kept, result.row_offsets[i + 1] - kept,
                         result.values.data() + kept);
  });
}

#define AMGSOLVE_INSTANTIATE(T)                                                                    \
  template void count_truncated(Context<Host>&, const CsrMatrix<T, Host>&, Span<const T, Host>, T, \
                                Span<Offset, Host>);                                               \
  template void fill_truncated(Context<Host>&, const CsrMatrix<T, Host>&, Span<const T, Host>, T,  \
                               CsrMatrix<T, Host>&);                                               \
  template void refill_truncated(Context<Host>&, const CsrMatrix<T, Host>&, Span<const T, Host>, CsrMatrix<T, Host>&);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
