#include <algorithm>

#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"
#include "dist/fetch_rows_rows.hpp"

namespace amgsolve::detail {

template <class T>
void append_rows(Context<Host>& ctx, Index count, Span<const Index, Host> rows, const Piece<T>& piece,
                 Span<Offset, Host> next, CsrMatrix<T, Host>& whole) {
  parallel_for(ctx, count, [&](std::int64_t i) {
    Offset& place = next[static_cast<std::size_t>(rows.empty() ? i : rows[static_cast<std::size_t>(i)])];
    const Offset begin = piece.offsets[i];
    const Offset length = piece.offsets[i + 1] - begin;
    std::transform(piece.columns + begin, piece.columns + begin + length, whole.col_indices.data() + place,
                   [&](Index column) { return column + piece.shift; });
    std::copy_n(piece.values + begin, length, whole.values.data() + place);
    place += length;
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                      \
  template void append_rows(Context<S>&, Index, Span<const Index, S>, const Piece<T>&, Span<Offset, S>, \
                            CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)
AMGSOLVE_INSTANTIATE_FETCH_STEPS(Host)

}  // namespace amgsolve::detail
