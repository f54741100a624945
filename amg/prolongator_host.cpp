#include "amg/prolongator.hpp"

#include <algorithm>

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
  std::size_t position(Index aggregate) const {
    return static_cast<std::size_t>(std::lower_bound(aggregates_, aggregates_ + size_, aggregate) - aggregates_);
  }

 private:
  Index* aggregates_;
  std::size_t size_ = 0;
};

}  // namespace

template <class T>
CsrMatrix<T, Host> tentative_to_csr(Context<Host>& ctx, const Aggregates<Host>& aggregates, Index block_size,
                                    const Tentative<T, Host>& tentative) {
  const Index rows = tentative.basis.rows();
  const auto k = static_cast<std::size_t>(tentative.basis.columns());
  Buffer<Offset, Host> offsets(ctx, static_cast<std::size_t>(rows) + 1);
  const auto aggregate_of = [&](std::size_t row) {
    return aggregates.of_node[row / static_cast<std::size_t>(block_size)];
  };
  parallel_for(ctx, rows, [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    offsets[i + 1] = aggregate_of(i) == Aggregates<Host>::none ? 0 : static_cast<Offset>(k);
  });
  CsrMatrix<T, Host> P;
  const Offset nnz = counts_to_offsets(ctx, offsets);
  P.rows = rows;
  P.cols = tentative.coarse_candidates.rows();
  P.row_offsets = std::move(offsets);
  P.col_indices = Buffer<Index, Host>(ctx, static_cast<std::size_t>(nnz));
  P.values = Buffer<T, Host>(ctx, static_cast<std::size_t>(nnz));
  parallel_for(ctx, rows, [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    auto out = static_cast<std::size_t>(P.row_offsets[i]);
    if (aggregate_of(i) == Aggregates<Host>::none) {
      return;
    }
    for (std::size_t c = 0; c < k; ++c, ++out) {
      P.col_indices[out] = aggregate_of(i) * static_cast<Index>(k) + static_cast<Index>(c);
      P.values[out] = tentative.basis.data()[i * k + c];
    }
  });
  return P;
}

template <class T>
CsrMatrix<T, Host> smoothed_prolongator(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const Graph<Host>* strong,
                                        const Aggregates<Host>& aggregates, Index block_size,
                                        const Tentative<T, Host>& tentative, std::type_identity_t<T> damping) {
  const auto k = static_cast<std::size_t>(tentative.basis.columns());
  const T* basis = tentative.basis.data();
  const auto aggregate_of = [&](Index unknown) {
    return aggregates.of_node[static_cast<std::size_t>(unknown / block_size)];
  };
  Offset longest_row = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    longest_row = std::max(longest_row, A.row_offsets[i + 1] - A.row_offsets[i]);
  }
  // A row of P touches at most one aggregate for each entry of A's row, and the row's own.
  const auto capacity = static_cast<std::size_t>(longest_row) + 1;
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto lists = scope.take<Index>(capacity * static_cast<std::size_t>(ctx.threads()));
  const auto my_list = [&] { return AggregateList(lists.data() + thread_number(ctx) * capacity); };
  const auto collect = [&](AggregateList& list, std::size_t i) {
    list.clear();
    if (const Index own = aggregate_of(static_cast<Index>(i)); own != Aggregates<Host>::none) {
      list.insert(own);
    }
    for_each_strong_entry(A, strong, block_size, i, [&](Index column, T) {
      if (const Index a = aggregate_of(column); a != Aggregates<Host>::none) {
        list.insert(a);
      }
    });
  };

  Buffer<Offset, Host> offsets(ctx, static_cast<std::size_t>(A.rows) + 1);
  parallel_ranges(ctx, A.rows, [&](std::int64_t begin, std::int64_t end) {
    AggregateList list = my_list();
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      collect(list, i);
      offsets[i + 1] = static_cast<Offset>(list.size() * k);
    }
  });
  const Offset nnz = counts_to_offsets(ctx, offsets);
  CsrMatrix<T, Host> P;
  P.rows = A.rows;
  P.cols = tentative.coarse_candidates.rows();
  P.row_offsets = std::move(offsets);
  P.col_indices = Buffer<Index, Host>(ctx, static_cast<std::size_t>(nnz));
  P.values = Buffer<T, Host>(ctx, static_cast<std::size_t>(nnz));

  parallel_ranges(ctx, A.rows, [&](std::int64_t begin, std::int64_t end) {
    AggregateList list = my_list();
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      collect(list, i);
      const auto first = static_cast<std::size_t>(P.row_offsets[i]);
      T* row = P.values.data() + first;
      for (std::size_t p = 0; p < list.size(); ++p) {
        for (std::size_t c = 0; c < k; ++c) {
          P.col_indices[first + p * k + c] = list[p] * static_cast<Index>(k) + static_cast<Index>(c);
          row[p * k + c] = 0;
        }
      }
      T diagonal = 0;
      const T dropped = for_each_strong_entry(A, strong, block_size, i, [&](Index column, T value) {
        diagonal += column == static_cast<Index>(i) ? value : T{0};
        const Index a = aggregate_of(column);
        if (a == Aggregates<Host>::none) {
          return;
        }
        T* block = row + list.position(a) * k;
        for (std::size_t c = 0; c < k; ++c) {
          block[c] += value * basis[static_cast<std::size_t>(column) * k + c];
        }
      });
      // Lumping may not turn the diagonal around: then the row keeps its own.
      const bool lumped = diagonal + dropped > T{0};
      const T filtered_diagonal = lumped ? diagonal + dropped : diagonal;
      const T scale = filtered_diagonal != T{0} ? -damping / filtered_diagonal : T{0};
      for (std::size_t p = 0; p < list.size() * k; ++p) {
        row[p] *= scale;
      }
      if (const Index own = aggregate_of(static_cast<Index>(i)); own != Aggregates<Host>::none) {
        T* block = row + list.position(own) * k;
        const T diagonal_correction = lumped ? scale * dropped : T{0};
        for (std::size_t c = 0; c < k; ++c) {
          block[c] += (T{1} + diagonal_correction) * basis[i * k + c];
        }
      }
    }
  });
  ctx.profile().add(
      {.bytes = static_cast<std::int64_t>(A.bytes() + P.bytes() + tentative.basis.bytes() + aggregates.of_node.bytes()),
       .flops = 2 * A.nnz() * static_cast<Offset>(k)});
  return P;
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                   \
  template CsrMatrix<T, Host> tentative_to_csr(Context<Host>&, const Aggregates<Host>&, Index,                    \
                                               const Tentative<T, Host>&);                                        \
  template CsrMatrix<T, Host> smoothed_prolongator(Context<Host>&, const CsrMatrix<T, Host>&, const Graph<Host>*, \
                                                   const Aggregates<Host>&, Index, const Tentative<T, Host>&, T);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
