#include "core/parallel_host.hpp"
#include "spmv/stored_diagonal_rows.hpp"

namespace amgsolve::detail {

#define AMGSOLVE_INSTANTIATE(T, Ref) template void stored_diagonal(Context<Host>&, const Ref&, Index, Span<T, Host>);
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, float)
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve::detail
