#include "amg/amalgamation_rows.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {

template <class T, class Visitor>
void visit_blocks(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Index block_size, const Visitor& visitor) {
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto b = static_cast<std::size_t>(block_size);
  const auto cursors = scope.take<Offset>(static_cast<std::size_t>(ctx.threads()) * b);
  parallel_for(ctx, A.rows / block_size, [&](std::int64_t node) {
    BlockMerge<T>(ref_of(A), block_size, node, {cursors.data() + thread_number(ctx) * b, 1}).visit_all(node, visitor);
  });
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
