#include <algorithm>

#include "spmv/connected_rows.hpp"

namespace amgsolve::detail {

// Sequential: only matrices that are singular come here, once a setup.
template <class Ref>
void find_lowest_connected(Context<Host>&, const Ref& A, Index block_size, Span<Index, Host> lowest) {
  Index* const parent = lowest.data();
  const auto nodes = static_cast<Index>(lowest.size());
  for (Index i = 0; i < nodes; ++i) {
    parent[i] = i;
  }
  const auto root_of = [parent](Index i) {
    while (parent[i] != i) {
      i = parent[i] = parent[parent[i]];
    }
    return i;
  };
  for (Index row = 0; row < A.rows; ++row) {
    Index root = root_of(row / block_size);
    const auto entries = A.row(row);
    for (Index e = 0; e < entries.count; ++e) {
      const Index column = entries.column(e);
      if (column != padding && A.values[entries.place(e)] != 0) {
        const Index other = root_of(column / block_size);
        parent[std::max(root, other)] = std::min(root, other);
        root = std::min(root, other);
      }
    }
  }
  // Parents come before their children.
  for (Index i = 0; i < nodes; ++i) {
    parent[i] = parent[parent[i]];
  }
}

#define AMGSOLVE_INSTANTIATE(T, Ref) \
  template void find_lowest_connected(Context<Host>&, const Ref&, Index, Span<Index, Host>);
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, float)
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve::detail
