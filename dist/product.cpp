#include "dist/product.hpp"

#include <utility>

#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/collectively.hpp"
#include "dist/fetch_rows.hpp"
#include "dist/window_rows.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
LocalMatrix<T, S> multiply(Context<S>& ctx, const LocalMatrix<T, S>& A, const LocalMatrix<T, S>& B,
                           const SpgemmOptions& options) {
  const Communicator& communicator = ctx.communicator();
  const Partition& columns = B.layout->partition();
  const GlobalRows<T, S> fetched = fetch_rows(ctx, *A.layout, B);
  Buffer<std::int64_t, S> ghosts;
  collectively(communicator, [&] {
    Buffer<std::int64_t, S> all(ctx, fetched.col_indices.size() + B.layout->ghosts().size());
    copy(ctx, fetched.col_indices.span(), all.span().subspan(0, fetched.col_indices.size()));
    copy(ctx, B.layout->ghosts(), all.span().subspan(fetched.col_indices.size(), B.layout->ghosts().size()));
    ghosts = foreign_rows<std::int64_t, S>(ctx, std::as_const(all).span(), columns);
  });
  LocalMatrix<T, S> C;
  C.layout = std::make_shared<const Layout<S>>(ctx, columns, std::move(ghosts));
  collectively(communicator, [&] {
    CsrMatrix<T, S> rows;
    {
      ScopedTimer timer(ctx, "window");
      rows = window_rows(ctx, *A.layout, B, fetched, *C.layout);
    }
    C.A = multiply(ctx, A.A, rows, options);
  });
  return C;
}

template <class T, MemorySpace S>
LocalMatrix<T, S> transpose(Context<S>& ctx, const LocalMatrix<T, S>& A, const Partition& rows) {
  CsrMatrix<T, S> strip;
  {
    ScopedTimer timer(ctx, "transpose");
    collectively(ctx.communicator(), [&] { strip = transpose(ctx, A.A); });
  }
  return hand_in_rows(ctx, *A.layout, strip, rows);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                     \
  template LocalMatrix<T, S> multiply(Context<S>&, const LocalMatrix<T, S>&, const LocalMatrix<T, S>&, \
                                      const SpgemmOptions&);                                           \
  template LocalMatrix<T, S> transpose(Context<S>&, const LocalMatrix<T, S>&, const Partition&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
