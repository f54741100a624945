#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spgemm/form_rows_host.hpp"
#include "spgemm/host/gustavson.hpp"

namespace amgsolve {
namespace {

/// A row of a product as it is.
struct KeepRow {
  template <class T>
  void operator()(Index /*row*/, const Index* /*cols*/, T* /*values*/, Offset /*entries*/) const {}
};

/// @param form  of ProductFactors<T> and ProductBlocks
template <class T, class Form>
SpgemmProduct<T, Host> multiply_gustavson(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                          const Form& form) {
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto offsets = scope.take<Offset>(static_cast<std::size_t>(A.rows) + 1);
  const ProductBlocks blocks = [&] {
    ScopedTimer timer(ctx, "analysis");
    count_products(ctx, A, B, offsets);
    return ProductBlocks(ctx, offsets, B.cols);
  }();
  return {form(ProductFactors<T>(A, B), blocks), blocks.products()};
}

/// By slots of one kind, row by row.
template <class T, class Slots>
SpgemmProduct<T, Host> multiply_by(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                   const SpgemmOptions& options) {
  return multiply_gustavson(ctx, A, B, [&](const ProductFactors<T>& factors, const ProductBlocks& blocks) {
    return form_rows<T, Slots>(ctx, factors, A.rows, B.cols, blocks, false, options.margins, KeepRow{});
  });
}

}  // namespace

template <class T>
SpgemmProduct<T, Host> multiply_dense(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                      const SpgemmOptions& options) {
  return multiply_by<T, DenseSlots>(ctx, A, B, options);
}

template <class T>
SpgemmProduct<T, Host> multiply_hash(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                     const SpgemmOptions& options) {
  return multiply_by<T, HashSlots>(ctx, A, B, options);
}

template <class T>
SpgemmProduct<T, Host> multiply_auto(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                     const SpgemmOptions& options) {
  return multiply_gustavson(ctx, A, B, [&](const ProductFactors<T>& factors, const ProductBlocks& blocks) {
    return form_rows<T>(ctx, factors, A.rows, B.cols, blocks, options.margins, KeepRow{});
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                         \
  template SpgemmProduct<T, S> multiply_dense(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, \
                                              const SpgemmOptions&);                                       \
  template SpgemmProduct<T, S> multiply_hash(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&,  \
                                             const SpgemmOptions&);                                        \
  template SpgemmProduct<T, S> multiply_auto(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&,  \
                                             const SpgemmOptions&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
