#include <algorithm>
#include <atomic>
#include <optional>

#include "amg/lumping.hpp"
#include "amg/prolongator_steps.hpp"
#include "core/algorithms.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"
#include "spgemm/form_rows_host.hpp"
#include "spmv/counted_rows.hpp"
#include "spmv/node_of.hpp"

namespace amgsolve {
namespace {

/// Visits the entries of row i of A that are kept, visit(column, value), and returns the sum of those that the filter
/// drops. The diagonal is always kept; in rows that are those of T, it alone.
template <class T, class Visit>
T for_each_kept_entry(const ProlongatorOperands<T, Host>& o, std::size_t i, Visit&& visit) {
  const auto& [A, strong, aggregates, block_size, tentative, damping, rows] = o;
  const Index own = rows.first + static_cast<Index>(i);
  const bool is_row_of_T = damping == T{0} && aggregates.of_node[static_cast<std::size_t>(node_of(own, block_size))] !=
                                                  Aggregates<Host>::none;
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
  const Index node = node_of(own, block_size);
  auto neighbour = static_cast<std::size_t>(strong->row_offsets[static_cast<std::size_t>(node)]);
  const auto last = static_cast<std::size_t>(strong->row_offsets[static_cast<std::size_t>(node) + 1]);
  T dropped = 0;
  for (std::size_t k = begin; k < end; ++k) {
    const Index other = node_of(A.col_indices[k], block_size);
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
  ProlongatorRow(const ProlongatorOperands<T, Host>& operands, std::size_t i, const Index* cols, T* values,
                 Offset entries)
      : o_(operands),
        i_(i),
        k_(static_cast<std::size_t>(operands.candidates())),
        cols_(cols),
        values_(values),
        size_(static_cast<std::size_t>(entries)) {}

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
  /// @tparam HasRoom  whether what is behind the row, up to `short_row` entries, may be written as it is
  template <bool HasRoom>
  bool smooth() {
    if (HasRoom && o_.strong == nullptr && k_ == 1 && size_ <= short_row) {
      return smooth_short();
    }
    T diagonal = 0;
    const T dropped =
        for_each_kept_entry(o_, i_, [&](Index column, T value) { diagonal += column == own_column() ? value : T{0}; });
    const Index own = aggregate_of(own_column());
    const bool has_own = own != Aggregates<Host>::none;
    const LumpedRow<T> lumped(diagonal, dropped, o_.damping, !has_own);
    const T* basis = o_.tentative.basis.data() + static_cast<std::size_t>(own_column()) * k_;
    std::size_t found = 0;
    for (std::size_t p = 0; p < size_; ++p) {
      const auto candidate = static_cast<std::size_t>(std::int64_t{cols_[p]} - std::int64_t{own} * o_.candidates());
      const bool is_own = has_own && candidate < k_;
      values_[p] = lumped.entry(values_[p], is_own, is_own ? basis[candidate] : T{0});
      found += is_own;
    }
    return found == k_ || !has_own;
  }

 private:
  static constexpr std::size_t short_row = 8;
  static_assert(short_row <= std::size_t{RowChunks<T>::slack});

  /// As many steps for each row, since no processor foresees how many entries the next one has. Nothing is dropped.
  bool smooth_short() const {
    const Index column = own_column();
    const Index own = aggregate_of(column);
    const Index* const a_cols = o_.A.col_indices.data();
    const T* const a_values = o_.A.values.data();
    T diagonal = 0;
    const Offset end = o_.A.row_offsets.data()[i_ + 1];
    for (Offset k = o_.A.row_offsets.data()[i_]; k < end; ++k) {
      diagonal += a_cols[k] == column ? a_values[k] : T{0};
    }
    const bool is_free = own == Aggregates<Host>::none;
    const LumpedRow<T> lumped(diagonal, T{0}, o_.damping, is_free);
    const auto size = static_cast<Index>(size_);
    const Index* const cols = cols_;
    T* const values = values_;
    const T scale = lumped.scale();
    const T own_part = is_free ? T{0} : lumped.own(o_.tentative.basis.data()[column]);
    Index found = 0;
#pragma omp simd reduction(+ : found)
    for (Index p = 0; p < Index{short_row}; ++p) {
      const bool is_own = (p < size) & (cols[p] == own);
      found += is_own;
      // Else −0, which leaves the bits of whatever it is added to.
      values[p] = values[p] * (p < size ? scale : T{1}) + (is_own ? own_part : -T{0});
    }
    return found == 1 || is_free;
  }

  /// Of the diagonal entry.
  Index own_column() const { return o_.rows.first + static_cast<Index>(i_); }

  Index aggregate_of(Index unknown) const {
    return o_.aggregates.of_node[static_cast<std::size_t>(node_of(unknown, o_.block_size))];
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
  CsrMatrix<T, Host> kept = uncounted_matrix<T>(ctx, o.A.rows, o.A.cols);
  parallel_for(ctx, kept.rows, [&](std::int64_t i) {
    Offset count = 0;
    visit_row(i, [&](Index, T) { ++count; });
    kept.row_offsets[static_cast<std::size_t>(i) + 1] = count;
  });
  allocate_entries(ctx, kept);
  parallel_for(ctx, kept.rows, [&](std::int64_t i) {
    auto next = static_cast<std::size_t>(kept.row_offsets[static_cast<std::size_t>(i)]);
    visit_row(i, [&](Index column, T value) {
      kept.col_indices[next] = column;
      kept.values[next++] = value;
    });
  });
  return kept;
}

/// Lists the products of an entry of A with a row of T, as ProductFactors does with any second factor: the value that
/// each candidate has there, in the columns of the aggregate.
/// @tparam K  of the candidates; 0: any number of them
template <class T, Index K>
class TentativeFactors {
 public:
  static constexpr Offset piece = 1;

  TentativeFactors(const CsrMatrix<T, Host>& A, const ProlongatorOperands<T, Host>& o)
      : a_offsets_(A.row_offsets.data()),
        a_cols_(A.col_indices.data()),
        a_values_(A.values.data()),
        aggregates_(o.aggregates.of_node.data()),
        basis_(o.tentative.basis.data()),
        block_size_(o.block_size),
        candidates_(o.candidates()) {}

  Offset begin(Index i) const { return a_offsets_[i]; }
  Offset end(Index i) const { return a_offsets_[i + 1]; }
  Offset count(Offset k) const { return aggregate_of(a_cols_[k]) == Aggregates<Host>::none ? 0 : candidates(); }

  template <int Shift = 0>
  Offset list(Offset k, Index* cols, T* values) const {
    const Offset count = this->count(k);
    write(k, 0, count, Index{1} << Shift, cols, values);
    return count;
  }
  void list_part(Offset k, Offset first, Offset count, Index* cols, T* values) const {
    write(k, first, count, Index{1}, cols, values);
  }

 private:
  Index candidates() const { return K > 0 ? K : candidates_; }
  Index aggregate_of(Index unknown) const { return aggregates_[node_of(unknown, block_size_)]; }

  void write(Offset k, Offset first, Offset count, Index scale, Index* cols, T* values) const {
    const Index unknown = a_cols_[k];
    const Index first_col = aggregate_of(unknown) * candidates() + static_cast<Index>(first);
    const T* const basis = basis_ + std::ptrdiff_t{unknown} * candidates() + first;
    for (Offset c = 0; c < count; ++c) {
      cols[c] = scale * (first_col + static_cast<Index>(c));
      values[c] = a_values_[k] * basis[c];
    }
  }

  const Offset* a_offsets_;
  const Index* a_cols_;
  const T* a_values_;
  const Index* aggregates_;
  const T* basis_;
  Index block_size_;
  Index candidates_;
};

/// P, of entries of A that are all kept: rows of A T, each smoothed as soon as it is formed. Nothing where a row lacks
/// its own aggregate, since A lacks a diagonal entry.
template <class T, Index K>
std::optional<CsrMatrix<T, Host>> form_smoothed(Context<Host>& ctx, const ProlongatorOperands<T, Host>& o,
                                                const CsrMatrix<T, Host>& A) {
  WorkspaceScope<Host> scope(ctx.workspace());
  Span<const Offset, Host> products = A.row_offsets;
  if (o.candidates() > 1) {
    const auto scaled = scope.take<Offset>(products.size());
    parallel_for(
        ctx, std::ssize(scaled), [&](std::int64_t i) { scaled.data()[i] = A.row_offsets.data()[i] * o.candidates(); },
        1);
    products = scaled;
  }
  std::atomic<bool> has_all = true;
  const auto smooth = [&](Index row, const Index* cols, T* values, Offset entries) {
    if (!ProlongatorRow<T>(o, static_cast<std::size_t>(row), cols, values, entries).template smooth<true>()) {
      has_all.store(false, std::memory_order_relaxed);
    }
  };
  CsrMatrix<T, Host> P = form_rows<T>(ctx, TentativeFactors<T, K>(A, o), A.rows, o.coarse_rows(),
                                      ProductBlocks(ctx, products, o.coarse_rows()), o.rows.margins, smooth);
  return has_all ? std::optional(std::move(P)) : std::nullopt;
}

template <class T>
std::optional<CsrMatrix<T, Host>> form_smoothed(Context<Host>& ctx, const ProlongatorOperands<T, Host>& o,
                                                const CsrMatrix<T, Host>& A) {
  return o.candidates() == 1 ? form_smoothed<T, 1>(ctx, o, A) : form_smoothed<T, 0>(ctx, o, A);
}

}  // namespace

template <class T>
CsrMatrix<T, Host> form_prolongator(Context<Host>& ctx, const ProlongatorOperands<T, Host>& operands) {
  if (operands.strong == nullptr && operands.damping != T{0}) {
    if (std::optional<CsrMatrix<T, Host>> P = form_smoothed(ctx, operands, operands.A)) {
      return *std::move(P);
    }
  }
  return *form_smoothed(ctx, operands, kept_entries(ctx, operands));
}

template <class T>
void refill_prolongator(Context<Host>& ctx, const ProlongatorOperands<T, Host>& operands, CsrMatrix<T, Host>& P) {
  const CsrMatrix<T, Host>& pattern = P;
  T* const values = P.values.data();
  parallel_for(ctx, P.rows, [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    const Offset first = pattern.row_offsets[i];
    ProlongatorRow<T> refilled(operands, i, pattern.col_indices.data() + first, values + first,
                               pattern.row_offsets[i + 1] - first);
    refilled.sum();
    refilled.template smooth<false>();
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                          \
  template CsrMatrix<T, S> form_prolongator(Context<S>&, const ProlongatorOperands<T, S>&); \
  template void refill_prolongator(Context<S>&, const ProlongatorOperands<T, S>&, CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
