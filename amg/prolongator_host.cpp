#include <algorithm>

#include "amg/lumping.hpp"
#include "amg/prolongator_steps.hpp"
#include "core/algorithms.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {
namespace {

/// Visits the entries of row i of A that the filter keeps, visit(column, value), and returns the sum of those it drops.
/// The diagonal is always kept.
template <class T, class Visit>
T for_each_strong_entry(const CsrMatrix<T, Host>& A, const Graph<Host>* strong, Index block_size, std::size_t i,
                        Visit&& visit) {
  const auto begin = static_cast<std::size_t>(A.row_offsets[i]);
  const auto end = static_cast<std::size_t>(A.row_offsets[i + 1]);
  if (strong == nullptr) {
    for (std::size_t k = begin; k < end; ++k) {
      visit(A.col_indices[k], A.values[k]);
    }
    return 0;
  }
  const auto node = static_cast<Index>(i) / block_size;
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

/// The distinct aggregates that a row of P touches, ascending: insertion into a list that rarely passes ten.
class AggregateList {
 public:
  explicit AggregateList(Index* room) : aggregates_(room) {}

  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  Index operator[](std::size_t i) const { return aggregates_[i]; }

  void insert(Index aggregate) {
    std::size_t i = size_;
    while (i > 0 && aggregates_[i - 1] > aggregate) {
      --i;
    }
    if (i > 0 && aggregates_[i - 1] == aggregate) {
      return;
    }
    std::copy_backward(aggregates_ + i, aggregates_ + size_, aggregates_ + size_ + 1);
    aggregates_[i] = aggregate;
    ++size_;
  }

 private:
  Index* aggregates_;
  std::size_t size_ = 0;
};

/// The distinct aggregates of the rows of P, by one thread.
template <class T>
class RowCollector {
 public:
  RowCollector(const ProlongatorOperands<T, Host>& operands, Index* room) : o_(operands), list_(room) {}

  const AggregateList& collect(std::size_t i) {
    list_.clear();
    insert(static_cast<Index>(i));
    for_each_strong_entry(o_.A, o_.strong, o_.block_size, i, [&](Index column, T) { insert(column); });
    return list_;
  }

 private:
  void insert(Index unknown) {
    const Index aggregate = o_.aggregates.of_node[static_cast<std::size_t>(unknown / o_.block_size)];
    if (aggregate != Aggregates<Host>::none) {
      list_.insert(aggregate);
    }
  }

  const ProlongatorOperands<T, Host>& o_;
  AggregateList list_;
};

/// Forms the values of row i of P from its columns.
template <class T>
void fill_row(const ProlongatorOperands<T, Host>& o, std::size_t i, CsrMatrix<T, Host>& P) {
  const auto k = static_cast<std::size_t>(o.candidates());
  const T* basis = o.tentative.basis.data();
  const auto aggregate_of = [&](Index unknown) {
    return o.aggregates.of_node[static_cast<std::size_t>(unknown / o.block_size)];
  };
  const auto begin = static_cast<std::size_t>(P.row_offsets[i]);
  const auto end = static_cast<std::size_t>(P.row_offsets[i + 1]);
  const Index* cols = P.col_indices.data() + begin;
  T* row = P.values.data() + begin;
  const std::size_t blocks = (end - begin) / k;
  /// The first entry of an aggregate, which the row has.
  const auto place = [&](Index aggregate) {
    const Index col = aggregate * static_cast<Index>(k);
    std::size_t low = 0;
    for (std::size_t count = blocks; count > 1;) {
      const std::size_t half = count / 2;
      low += cols[(low + half) * k] <= col ? half : 0;
      count -= half;
    }
    return low * k;
  };

  std::fill(row, row + (end - begin), T{0});
  T diagonal = 0;
  const T dropped = for_each_strong_entry(o.A, o.strong, o.block_size, i, [&](Index column, T value) {
    diagonal += column == static_cast<Index>(i) ? value : T{0};
    const Index aggregate = aggregate_of(column);
    if (aggregate == Aggregates<Host>::none) {
      return;
    }
    T* block = row + place(aggregate);
    for (std::size_t c = 0; c < k; ++c) {
      block[c] += value * basis[static_cast<std::size_t>(column) * k + c];
    }
  });
  const Index own = aggregate_of(static_cast<Index>(i));
  const LumpedRow<T> lumped(diagonal, dropped, o.damping, own == Aggregates<Host>::none);
  const std::size_t own_place = own == Aggregates<Host>::none ? end - begin : place(own);
  for (std::size_t p = 0; p < end - begin; ++p) {
    const bool is_own = p - own_place < k;
    row[p] = lumped.entry(row[p], is_own, is_own ? basis[i * k + (p - own_place)] : T{0});
  }
}

/// Entries of A's longest row.
template <class T>
Offset longest_row(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  return parallel_reduce(
      ctx, A.rows, Offset{0},
      [&](std::int64_t begin, std::int64_t end) {
        Offset longest = 0;
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          longest = std::max(longest, A.row_offsets[i + 1] - A.row_offsets[i]);
        }
        return longest;
      },
      [](Offset a, Offset b) { return std::max(a, b); });
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
                            const FatVector<T, Host>& basis, CsrMatrix<T, Host>& P) {
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
  const auto k = static_cast<std::size_t>(operands.candidates());
  // A row of P touches at most one aggregate for each entry of A's row, and the row's own.
  const auto capacity = static_cast<std::size_t>(longest_row(ctx, operands.A)) + 1;
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto lists = scope.take<Index>(capacity * static_cast<std::size_t>(ctx.threads()));
  const auto my_collector = [&] { return RowCollector<T>(operands, lists.data() + thread_number(ctx) * capacity); };

  CsrMatrix<T, Host> P;
  P.rows = operands.A.rows;
  P.cols = operands.coarse_rows();
  P.row_offsets = Buffer<Offset, Host>(ctx, static_cast<std::size_t>(P.rows) + 1);
  parallel_ranges(ctx, P.rows, [&](std::int64_t begin, std::int64_t end) {
    RowCollector<T> row = my_collector();
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      P.row_offsets[i + 1] = static_cast<Offset>(row.collect(i).size() * k);
    }
  });
  const Offset nnz = counts_to_offsets(ctx, P.row_offsets);
  P.col_indices = Buffer<Index, Host>(ctx, static_cast<std::size_t>(nnz));
  P.values = Buffer<T, Host>(ctx, static_cast<std::size_t>(nnz));
  parallel_ranges(ctx, P.rows, [&](std::int64_t begin, std::int64_t end) {
    RowCollector<T> row = my_collector();
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const AggregateList& list = row.collect(i);
      Index* cols = P.col_indices.data() + P.row_offsets[i];
      for (std::size_t p = 0; p < list.size() * k; ++p) {
        cols[p] = list[p / k] * static_cast<Index>(k) + static_cast<Index>(p % k);
      }
      fill_row(operands, i, P);
    }
  });
  return P;
}

template <class T>
void refill_prolongator(Context<Host>& ctx, const ProlongatorOperands<T, Host>& operands, CsrMatrix<T, Host>& P) {
  parallel_for(ctx, P.rows, [&](std::int64_t i) { fill_row(operands, static_cast<std::size_t>(i), P); });
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                   \
  template void fill_tentative_entries(Context<Host>&, const Aggregates<Host>&, Index, const FatVector<T, Host>&, \
                                       CsrMatrix<T, Host>&);                                                      \
  template CsrMatrix<T, Host> form_prolongator(Context<Host>&, const ProlongatorOperands<T, Host>&);              \
  template void refill_prolongator(Context<Host>&, const ProlongatorOperands<T, Host>&, CsrMatrix<T, Host>&);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
