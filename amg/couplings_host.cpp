#include <algorithm>

#include "amg/couplings_rows.hpp"
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
void measure_rows(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CouplingTest<T>& test) {
  parallel_for(ctx, A.rows, [&](std::int64_t i) {
    T most_scaled = 0;
    T largest = 0;
    const auto row = test.row(i);
    for_each_neighbour(A, i, [&](Index j, T a) {
      most_scaled = std::max(most_scaled, test.scaled(row, test.scales[j], a));
      largest = std::max(largest, -test.pull(row, test.scales[j], a));
    });
    test.scales[i].root = std::sqrt(most_scaled);
    test.scales[i].largest = largest;
  });
}

// Which entries are strong or dropped no processor foresees on coarse levels: none is branched on.
template <class T>
void count_couplings(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const T, Host> diagonal, Index first,
                     const CouplingTest<T>& test, const CouplingCounts& counts) {
  const Offset* offsets = A.row_offsets.data();
  const Index* cols = A.col_indices.data();
  const T* values = A.values.data();
  parallel_for(ctx, A.rows, [=](std::int64_t i) {
    Offset strong = 0;
    Offset kept = 0;
    T magnitude = 0;
    const auto row = test.row(i);
    for (Offset k = offsets[i]; k < offsets[i + 1]; ++k) {
      const RowScales<T>& other = test.scales[cols[k]];
      const bool is_strong = test.is_strong(row, other, values[k]);
      const bool is_kept = is_strong | test.is_large(row, other, values[k]) | (cols[k] == i);
      strong += is_strong;
      kept += is_kept;
      magnitude += is_kept ? T{0} : std::abs(test.pull(row, other, values[k]));
    }
    counts.strong[i] = strong;
    counts.kept[i] = test.filter ? kept : offsets[i + 1] - offsets[i];
    const auto own = static_cast<std::size_t>(i - first);  // of a row before the first one beyond all
    counts.weight[i] = test.weight(own < diagonal.size() ? diagonal[own] : T{0}, test.filter ? magnitude : T{0});
  });
}

// Which entries are strong or kept no processor foresees on coarse levels: each is written where the next one belongs,
// until the row is full, and only the place depends on the tests.
template <class T>
void fill_couplings(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CouplingTest<T>& test,
                    Couplings<T, Host>& result) {
  const Offset* offsets = A.row_offsets.data();
  const Index* cols = A.col_indices.data();
  const T* values = A.values.data();
  const Offset* strong_offsets = result.strong.row_offsets.data();
  Index* neighbours = result.strong.col_indices.data();
  parallel_for(ctx, A.rows, [=](std::int64_t i) {
    const Offset end = strong_offsets[i + 1];
    const auto row = test.row(i);
    Offset k = offsets[i];
    for (Offset next = strong_offsets[i]; next < end; ++k) {
      neighbours[next] = cols[k];
      next += test.is_strong(row, test.scales[cols[k]], values[k]);
    }
  });
  if (!result.is_filtered()) {
    return;
  }
  const Offset* filtered_offsets = result.filtered.row_offsets.data();
  Index* kept_cols = result.filtered.col_indices.data();
  T* kept = result.filtered.values.data();
  parallel_for(ctx, A.rows, [=](std::int64_t i) {
    const Offset end = filtered_offsets[i + 1];
    const auto row = test.row(i);
    Offset diagonal = end;
    T dropped = 0;
    Offset k = offsets[i];
    for (Offset next = filtered_offsets[i]; next < end; ++k) {
      const Index j = cols[k];
      const T a = values[k];
      const RowScales<T>& other = test.scales[j];
      const bool is_kept = (j == i) | test.is_strong(row, other, a) | test.is_large(row, other, a);
      kept_cols[next] = j;
      kept[next] = a;
      diagonal = j == i ? next : diagonal;
      dropped += is_kept ? T{0} : test.pull(row, other, a);
      next += is_kept;
    }
    for (; k < offsets[i + 1]; ++k) {
      dropped += test.pull(row, test.scales[cols[k]], values[k]);
    }
    if (diagonal < end) {
      kept[diagonal] = test.lumped(kept[diagonal], dropped);
    }
  });
}

template <class T>
void fill_filtered(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const T, Host> candidate,
                   CsrMatrix<T, Host>& filtered) {
  const CsrMatrix<T, Host>& pattern = filtered;
  T* const kept = filtered.values.data();
  parallel_for(ctx, A.rows, [&](std::int64_t i) {
    const auto row = static_cast<std::size_t>(i);
    const T inverse = CouplingTest<T>::inverse(candidate[row]);
    auto next = static_cast<std::size_t>(pattern.row_offsets[row]);
    const auto filtered_end = static_cast<std::size_t>(pattern.row_offsets[row + 1]);
    auto diagonal = filtered_end;
    T dropped = 0;
    const auto end = static_cast<std::size_t>(A.row_offsets[row + 1]);
    for (auto k = static_cast<std::size_t>(A.row_offsets[row]); k < end; ++k) {
      const Index j = A.col_indices[k];
      if (next == filtered_end || pattern.col_indices[next] != j) {
        dropped += A.values[k] * (candidate[static_cast<std::size_t>(j)] * inverse);
        continue;
      }
      diagonal = j == i ? next : diagonal;
      kept[next++] = A.values[k];
    }
    if (diagonal < filtered_end) {
      kept[diagonal] = CouplingTest<T>::lumped(kept[diagonal], dropped);
    }
  });
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_COUPLING_STEPS, Host)

}  // namespace amgsolve
