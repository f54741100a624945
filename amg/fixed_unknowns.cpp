#include "amg/fixed_unknowns.hpp"

#include <utility>

#include "core/collectively.hpp"
#include "core/instantiate.hpp"
#include "dist/halo.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
CsrMatrix<T, S> without_fixed_columns(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                      std::type_identity_t<const Layout<S>*> layout) {
  const Communicator& ranks = ranks_of(ctx, layout);
  const Index first_own = layout != nullptr ? layout->first_own() : 0;
  Buffer<std::uint8_t, S> fixed;
  std::int64_t count = 0;
  collectively(ranks, [&] {
    fixed = Buffer<std::uint8_t, S>(ctx, static_cast<std::size_t>(A.rows));
    count = detail::mark_fixed_rows(ctx, A, first_own, fixed.span());
  });
  if (ranks.max(count) == 0) {
    return {};
  }
  if (layout != nullptr) {
    fixed = window_of<std::uint8_t, S>(ctx, *layout, std::as_const(fixed).span());
  }
  CsrMatrix<T, S> result;
  collectively(ranks, [&] {
    result = convert_values<T>(ctx, A);
    count = detail::clear_fixed_columns(ctx, std::as_const(fixed).span(), first_own, result);
  });
  if (ranks.max(count) == 0) {
    return {};
  }
  collectively(ranks, [&] { result = drop_zeros(ctx, std::move(result)); });
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template CsrMatrix<T, S> without_fixed_columns(Context<S>&, const CsrMatrix<T, S>&, const Layout<S>*);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
