#include "spgemm/nodes/node_product.hpp"

#include <algorithm>

#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spgemm/nodes/node_pattern.hpp"
#include "spgemm/nodes/node_sums.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
std::optional<SpgemmProduct<T, S>> multiply_by_nodes(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                                     const CsrMatrix<T, S>& B, const SpgemmOptions& options) {
  const NodeSizes nodes = options.nodes;
  const auto [least, most] = std::minmax({nodes.rows, nodes.inner, nodes.columns});
  if (least < 1 || most > most_node_unknowns || nodes.rows * nodes.columns == 1) {
    return std::nullopt;
  }
  SpgemmProduct<T, S> result;
  NodePattern<S> a;
  NodePattern<S> b;
  NodePattern<S> c;
  {
    ScopedTimer timer(ctx, "symbolic");
    if (!find_node_pattern(ctx, A, nodes.rows, nodes.inner, a) ||
        !find_node_pattern(ctx, B, nodes.inner, nodes.columns, b)) {
      return std::nullopt;
    }
    SpgemmOptions of_pattern = options;
    of_pattern.margins = {};
    SpgemmProduct<float, S> of_nodes = options.algorithm->functions<S>().template of<float>()(ctx, a, b, of_pattern);
    result.products = of_nodes.products * nodes.rows * nodes.inner * nodes.columns;
    c = std::move(of_nodes.C);
    c.values = {};
    result.C = matrix_of_nodes<T>(ctx, c, nodes.rows, nodes.columns, options.margins);
  }
  ScopedTimer timer(ctx, "numeric");
  sum_by_nodes(ctx, nodes, {A, a}, {B, b}, c, result.C.values.span());
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                   \
  template std::optional<SpgemmProduct<T, S>> multiply_by_nodes(Context<S>&, const CsrMatrix<T, S>&, \
                                                                const CsrMatrix<T, S>&, const SpgemmOptions&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
