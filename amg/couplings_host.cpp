#include <algorithm>

#include "amg/couplings_steps.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {
namespace {

/// Calls visit(j, a_ij) for the entries of row i beside the diagonal.
template <class T, class Visit>
void for_each_neighbour(const CsrMatrix<T, Host>& A, std::int64_t i, const Visit& visit) {
  const auto row = static_cast<std::size_t>(i);
  const auto end = static_cast<std::size_t>(A.row_offsets[row + 1]);
  for (auto k = static_cast<std::size_t>(A.row_offsets[row]); k < end; ++k) {
    if (A.col_indices[k] != i) {
      visit(A.col_indices[k], A.values[k]);
    }
  }
}

}  // namespace

template <class T>
void measure_rows(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const T, Host> diagonal,
                  Span<const T, Host> candidate, const CouplingTest<T>& test) {
  parallel_for(ctx, A.rows, [&](std::int64_t i) {
    test.prepare(i, diagonal[static_cast<std::size_t>(i)], candidate[static_cast<std::size_t>(i)]);
  });
  parallel_for(ctx, A.rows, [&](std::int64_t i) {
    T most_scaled = 0;
    T largest = 0;
    for_each_neighbour(A, i, [&](Index j, T a) {
      most_scaled = std::max(most_scaled, test.scaled(i, j, a));
      largest = std::max(largest, -test.pull(i, j, a));
    });
    test.scales.root[i] = std::sqrt(most_scaled);
    test.scales.largest[i] = largest;
  });
}

template <class T>
void count_couplings(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const T, Host> diagonal,
                     const CouplingTest<T>& test, const CouplingCounts& counts) {
  parallel_for(ctx, A.rows, [&](std::int64_t i) {
    Offset strong = 0;
    Offset dropped = 0;
    T magnitude = 0;
    for_each_neighbour(A, i, [&](Index j, T a) {
      if (test.is_strong(i, j, a)) {
        ++strong;
      } else if (test.filter && !test.is_large(i, j, a)) {
        ++dropped;
        magnitude += std::abs(test.pull(i, j, a));
      }
    });
    const auto row = static_cast<std::size_t>(i);
    counts.strong[i] = strong;
    counts.kept[i] = A.row_offsets[row + 1] - A.row_offsets[row] - dropped;
    counts.weight[i] = test.weight(diagonal[row], magnitude);
  });
}

template <class T>
void fill_couplings(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CouplingTest<T>& test,
                    Couplings<T, Host>& result) {
  parallel_for(ctx, A.rows, [&](std::int64_t i) {
    auto next = static_cast<std::size_t>(result.strong.row_offsets[static_cast<std::size_t>(i)]);
    for_each_neighbour(A, i, [&](Index j, T a) {
      if (test.is_strong(i, j, a)) {
        result.strong.col_indices[next++] = j;
      }
    });
  });
  if (!result.is_filtered()) {
    return;
  }
  CsrMatrix<T, Host>& filtered = result.filtered;
  parallel_for(ctx, A.rows, [&](std::int64_t i) {
    const auto row = static_cast<std::size_t>(i);
    auto next = static_cast<std::size_t>(filtered.row_offsets[row]);
    auto diagonal = next;
    T dropped = 0;
    const auto end = static_cast<std::size_t>(A.row_offsets[row + 1]);
    for (auto k = static_cast<std::size_t>(A.row_offsets[row]); k < end; ++k) {
      const Index j = A.col_indices[k];
      const T a = A.values[k];
      if (j != i && !test.is_strong(i, j, a) && !test.is_large(i, j, a)) {
        dropped += test.pull(i, j, a);
        continue;
      }
      diagonal = j == i ? next : diagonal;
      filtered.col_indices[next] = j;
      filtered.values[next++] = a;
    }
    if (next > diagonal && filtered.col_indices[diagonal] == i) {
      filtered.values[diagonal] = test.lumped(filtered.values[diagonal], dropped);
    }
  });
}

template <class T>
void fill_filtered(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const T, Host> candidate,
                   CsrMatrix<T, Host>& filtered) {
  parallel_for(ctx, A.rows, [&](std::int64_t i) {
    const auto row = static_cast<std::size_t>(i);
    const T inverse = CouplingTest<T>::inverse(candidate[row]);
    auto next = static_cast<std::size_t>(filtered.row_offsets[row]);
    const auto filtered_end = static_cast<std::size_t>(filtered.row_offsets[row + 1]);
    auto diagonal = filtered_end;
    T dropped = 0;
    const auto end = static_cast<std::size_t>(A.row_offsets[row + 1]);
    for (auto k = static_cast<std::size_t>(A.row_offsets[row]); k < end; ++k) {
      const Index j = A.col_indices[k];
      if (next == filtered_end || filtered.col_indices[next] != j) {
        dropped += A.values[k] * (candidate[static_cast<std::size_t>(j)] * inverse);
        continue;
      }
      diagonal = j == i ? next : diagonal;
      filtered.values[next++] = A.values[k];
    }
    if (diagonal < filtered_end) {
      filtered.values[diagonal] = CouplingTest<T>::lumped(filtered.values[diagonal], dropped);
    }
  });
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                   \
  template void measure_rows(Context<Host>&, const CsrMatrix<T, Host>&, Span<const T, Host>, Span<const T, Host>, \
                             const CouplingTest<T>&);                                                             \
  template void count_couplings(Context<Host>&, const CsrMatrix<T, Host>&, Span<const T, Host>,                   \
                                const CouplingTest<T>&, const CouplingCounts&);                                   \
  template void fill_couplings(Context<Host>&, const CsrMatrix<T, Host>&, const CouplingTest<T>&,                 \
                               Couplings<T, Host>&);                                                              \
  template void fill_filtered(Context<Host>&, const CsrMatrix<T, Host>&, Span<const T, Host>, CsrMatrix<T, Host>&);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
