#include <algorithm>
#include <functional>

#include "amg/lumping.hpp"
#include "amg/prolongator_steps.hpp"
#include "core/algorithms.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"
#include "spgemm/spgemm.hpp"

namespace amgsolve {
namespace {

/// Visits the entries of row i of A that are kept, visit(column, value), and returns the sum of those that the filter
/// drops. The diagonal is always kept; in rows that are those of T, it alone.
template <class T, class Visit>
T for_each_kept_entry(const ProlongatorOperands<T, Host>& o, std::size_t i, Visit&& visit) {
  const auto& [A, strong, aggregates, block_size, tentative, damping, rows] = o;
  const Index own = rows.first + static_cast<Index>(i);
  const bool is_row_of_T =
      damping == T{0} && aggregates.of_node[static_cast<std::size_t>(own / block_size)] != Aggregates<Host>::none;
  const auto begin = static_cast<std::size_t>(A.row_offsets[i]);
  const auto end = static_cast<std::size_t>(A.row_offsets[i + 1]);
  if (strong == nullptr || is_row_of_T) {
    for (std::size_t k = begin; k < end; ++k) {
      if (!is_row_of_T || A.col_indices[k] == own) {
        visit(A.col_indices[k], A.values[k]);
      }
    }
    return 0;
  }
  const Index node = own / block_size;
  auto neighbour = static_cast<std::size_t>(strong->row_offsets[static_cast<std::size_t>(node)]);
  const auto last = static_cast<std::size_t>(strong->row_offsets[static_cast<std::size_t>(node) + 1]);
  T dropped = 0;
  for (std::size_t k = begin; k < end; ++k) {
    const Index other = A.col_indices[k] / block_size;
    while (neighbour < last && strong->col_indices[neighbour] < other) {
      ++neighbour;
    }
    if (other == node || (neighbour < last && strong->col_indices[neighbour] == other)) {
      visit(A.col_indices[k], A.values[k]);
    } else {
      dropped += A.values[k];
    }
  }
  return dropped;
}

/// Row i of P, whose columns are known.
template <class T>
class ProlongatorRow {
 public:
  ProlongatorRow(const ProlongatorOperands<T, Host>& operands, std::size_t i, const CsrMatrix<T, Host>& P, T* values)
      : o_(operands),
        i_(i),
        k_(static_cast<std::size_t>(operands.candidates())),
        cols_(P.col_indices.data() + P.row_offsets[i]),
        values_(values + P.row_offsets[i]),
        size_(static_cast<std::size_t>(P.row_offsets[i + 1] - P.row_offsets[i])) {}

  /// A_F T, each entry summed in the order of A's row.
  void sum() {
    std::fill_n(values_, size_, T{0});
    for_each_kept_entry(o_, i_, [&](Index column, T value) {
      const Index aggregate = aggregate_of(column);
      if (aggregate == Aggregates<Host>::none) {
        return;
      }
      T* block = values_ + place(aggregate);
      const T* basis = o_.tentative.basis.data() + static_cast<std::size_t>(column) * k_;
      for (std::size_t c = 0; c < k_; ++c) {
        block[c] += value * basis[c];
      }
    });
  }

  /// (I − ω D_F⁻¹ A_F) T from A_F T; false where the row lacks its own aggregate.
  bool smooth() {
    T diagonal = 0;
    const T dropped =
        for_each_kept_entry(o_, i_, [&](Index column, T value) { diagonal += column == own_column() ? value : T{0}; });
    const Index own = aggregate_of(own_column());
    const bool has_own = own != Aggregates<Host>::none;
    const LumpedRow<T> lumped(diagonal, dropped, o_.damping, !has_own);
    const std::size_t own_place = has_own && size_ > 0 ? place(own) : size_;
    if (has_own && (size_ == 0 || cols_[own_place] != own * static_cast<Index>(k_))) {
      return false;
    }
    const T* basis = o_.tentative.basis.data() + static_cast<std::size_t>(own_column()) * k_;
    for (std::size_t p = 0; p < size_; ++p) {
      const bool is_own = p - own_place < k_;
      values_[p] = lumped.entry(values_[p], is_own, is_own ? basis[p - own_place] : T{0});
    }
    return true;
  }

 private:
  /// Of the diagonal entry.
  Index own_column() const { return o_.rows.first + static_cast<Index>(i_); }

  Index aggregate_of(Index unknown) const {
    return o_.aggregates.of_node[static_cast<std::size_t>(unknown / o_.block_size)];
  }

  /// Where the last aggregate up to this one begins, or the first of the row.
  std::size_t place(Index aggregate) const {
    const Index col = aggregate * static_cast<Index>(k_);
    std::size_t low = 0;
    for (std::size_t count = size_ / k_; count > 1;) {
      const std::size_t half = count / 2;
      low += cols_[(low + half) * k_] <= col ? half : 0;
      count -= half;
    }
    return low * k_;
  }

  const ProlongatorOperands<T, Host>& o_;
  std::size_t i_;
  std::size_t k_;
  const Index* cols_;
  T* values_;
  std::size_t size_;
};

/// Makes P of A_F T; false where a row lacks its own aggregate, since A lacks a diagonal entry.
template <class T>
bool smooth_rows(Context<Host>& ctx, const ProlongatorOperands<T, Host>& operands, CsrMatrix<T, Host>& P) {
  T* const values = P.values.data();
  const auto smoothed = [&](std::int64_t begin, std::int64_t end) {
    std::int64_t rows = 0;
    while (begin + rows < end && ProlongatorRow(operands, static_cast<std::size_t>(begin + rows), P, values).smooth()) {
      ++rows;
    }
    return rows;
  };
  return parallel_reduce(ctx, P.rows, std::int64_t{0}, smoothed, std::plus<>()) == P.rows;
}

/// A without the entries that are not kept; 0 on the diagonal where a row has no entry there.
template <class T>
CsrMatrix<T, Host> kept_entries(Context<Host>& ctx, const ProlongatorOperands<T, Host>& o) {
  const auto visit_row = [&](std::int64_t i, const auto& visit) {
    const Index own = o.rows.first + static_cast<Index>(i);
    bool has_diagonal = false;
    const auto add_diagonal = [&] {
      visit(own, T{0});
      has_diagonal = true;
    };
    for_each_kept_entry(o, static_cast<std::size_t>(i), [&](Index column, T value) {
      if (!has_diagonal && column > own) {
        add_diagonal();
      }
      has_diagonal = has_diagonal || column == own;
      visit(column, value);
    });
    if (!has_diagonal) {
      add_diagonal();
    }
  };
  CsrMatrix<T, Host> kept;
  kept.rows = o.A.rows;
  kept.cols = o.A.cols;
  kept.row_offsets = Buffer<Offset, Host>(ctx, o.A.row_offsets.size());
  parallel_for(ctx, kept.rows, [&](std::int64_t i) {
    Offset count = 0;
    visit_row(i, [&](Index, T) { ++count; });
    kept.row_offsets[static_cast<std::size_t>(i) + 1] = count;
  });
  const auto nnz = static_cast<std::size_t>(counts_to_offsets(ctx, kept.row_offsets));
  kept.col_indices = Buffer<Index, Host>(ctx, nnz);
  kept.values = Buffer<T, Host>(ctx, nnz);
  parallel_for(ctx, kept.rows, [&](std::int64_t i) {
    auto next = static_cast<std::size_t>(kept.row_offsets[static_cast<std::size_t>(i)]);
    visit_row(i, [&](Index column, T value) {
      kept.col_indices[next] = column;
      kept.values[next++] = value;
    });
  });
  return kept;
}

}  // namespace

void count_tentative_entries(Context<Host>& ctx, const Aggregates<Host>& aggregates, Index block_size, Index k,
                             Span<Offset, Host> counts) {
  parallel_for(ctx, static_cast<std::int64_t>(counts.size()), [&](std::int64_t row) {
    const Index aggregate = aggregates.of_node[static_cast<std::size_t>(row / block_size)];
    counts[static_cast<std::size_t>(row)] = aggregate == Aggregates<Host>::none ? 0 : k;
  });
}

template <class T>
void fill_tentative_entries(Context<Host>& ctx, const Aggregates<Host>& aggregates, Index block_size,
                            const MultiVector<T, Host>& basis, CsrMatrix<T, Host>& P) {
  const auto k = static_cast<std::size_t>(basis.columns());
  parallel_for(ctx, P.rows, [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    const Index aggregate = aggregates.of_node[static_cast<std::size_t>(row / block_size)];
    if (aggregate == Aggregates<Host>::none) {
      return;
    }
    const auto first = static_cast<std::size_t>(P.row_offsets[i]);
    for (std::size_t c = 0; c < k; ++c) {
      P.col_indices[first + c] = aggregate * static_cast<Index>(k) + static_cast<Index>(c);
      P.values[first + c] = basis.data()[i * k + c];
    }
  });
}

template <class T>
CsrMatrix<T, Host> form_prolongator(Context<Host>& ctx, const ProlongatorOperands<T, Host>& operands) {
  // Sparse products sort short rows several at a time, without a branch that depends on columns.
  const CsrMatrix<T, Host> tentative =
      tentative_to_csr(ctx, operands.aggregates, operands.block_size, operands.tentative);
  const SpgemmOptions options{.margins = operands.rows.margins};
  if (operands.strong == nullptr && operands.damping != T{0}) {
    CsrMatrix<T, Host> P = multiply(ctx, operands.A, tentative, options);
    if (smooth_rows(ctx, operands, P)) {
      return P;
    }
  }
  CsrMatrix<T, Host> P = multiply(ctx, kept_entries(ctx, operands), tentative, options);
  smooth_rows(ctx, operands, P);
  return P;
}

template <class T>
void refill_prolongator(Context<Host>& ctx, const ProlongatorOperands<T, Host>& operands, CsrMatrix<T, Host>& P) {
  T* const values = P.values.data();
  parallel_for(ctx, P.rows, [&](std::int64_t i) {
    ProlongatorRow row(operands, static_cast<std::size_t>(i), P, values);
    row.sum();
    row.smooth();
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                         \
  template void fill_tentative_entries(Context<S>&, const Aggregates<S>&, Index, const MultiVector<T, S>&, \
                                       CsrMatrix<T, S>&);                                                  \
  template CsrMatrix<T, S> form_prolongator(Context<S>&, const ProlongatorOperands<T, S>&);                \
  template void refill_prolongator(Context<S>&, const ProlongatorOperands<T, S>&, CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
