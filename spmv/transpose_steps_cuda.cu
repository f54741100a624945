#include <limits>
#include <variant>

#include "core/radix_pairs_cuda.hpp"
#include "core/search.hpp"
#include "spmv/index_bits.hpp"
#include "spmv/row_lanes_cuda.cuh"
#include "spmv/transpose_rows.hpp"

namespace amgsolve {

/// By a radix sort; `write` is called on the device, by neighbouring threads for neighbouring positions.
template <class T>
class EntriesByColumn<T, Cuda> {
 public:
  EntriesByColumn(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<Offset, Cuda> row_offsets)
      : scope_(ctx.workspace()),
        pairs_(pairs_of(scope_, A.nnz())),
        row_of_(scope_.take<Index>(static_cast<std::size_t>(A.nnz()))),
        nnz_(A.nnz()) {
    std::visit([&](auto& pairs) { sort(ctx, A, row_offsets, pairs); }, pairs_);
  }

  template <class Write>
  void for_all(Context<Cuda>& ctx, const Write& write) const {
    for_positions(ctx, nnz_, 0, 0, write);
  }
  template <class Write>
  void for_rows(Context<Cuda>& ctx, const TransposedRows& rows, const Write& write) const {
    for_positions(ctx, rows.stop - rows.begin, 0, rows.begin, write);
  }
  template <class Write>
  void for_other_rows(Context<Cuda>& ctx, const TransposedRows& rows, const Write& write) const {
    const Offset size = rows.stop - rows.begin;
    for_positions(ctx, nnz_ - size, rows.begin, size, write);
  }

  // Public for the compiler, which takes no device lambdas in private functions.

  template <class Word>
  void sort(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<Offset, Cuda> row_offsets, RadixPairs<Word>& pairs) {
    const Offset n = nnz_;
    Word* const columns = pairs.keys();
    Word* const numbers = pairs.values();
    Index* const row_of = row_of_.data();
    const Index* const col_indices = A.col_indices.data();
    parallel_entries(ctx, A.rows, n, A.row_offsets.data(), [=] __device__(std::int64_t row, Offset k) {
      columns[k] = static_cast<Word>(col_indices[k]);
      numbers[k] = static_cast<Word>(k);
      row_of[k] = static_cast<Index>(row);
    });
    pairs.sort(ctx, bits_below(A.cols));
    const Word* const sorted_columns = pairs.keys();
    Offset* const offsets_out = row_offsets.data();
    parallel_for(ctx, std::int64_t{A.cols} + 1, [=] __device__(std::int64_t column) {
      offsets_out[column] = lower_bound(sorted_columns, 0, n, static_cast<Word>(column));
    });
  }

  template <class Word, class Write>
  void write_positions(Context<Cuda>& ctx, Offset count, Offset from, Offset further, const RadixPairs<Word>& pairs,
                       const Write& write) const {
    const Word* const columns = pairs.keys();
    const Word* const numbers = pairs.values();
    const Index* const row_of = row_of_.data();
    parallel_for(ctx, count, [=] __device__(std::int64_t i) {
      const Offset position = i < from ? i : i + further;
      const auto k = static_cast<Offset>(numbers[position]);
      write(position, static_cast<Index>(columns[position]), row_of[k], k);
    });
  }

 private:
  using Pairs = std::variant<RadixPairs<std::uint32_t>, RadixPairs<std::uint64_t>>;

  /// Of words that hold the number of any entry.
  static Pairs pairs_of(WorkspaceScope<Cuda>& scope, Offset nnz) {
    const auto n = static_cast<std::size_t>(nnz);
    return nnz <= Offset{std::numeric_limits<std::uint32_t>::max()} ? Pairs(RadixPairs<std::uint32_t>(scope, n))
                                                                    : Pairs(RadixPairs<std::uint64_t>(scope, n));
  }

  /// `count` positions: those below `from`, and then as many as it takes from further behind.
  template <class Write>
  void for_positions(Context<Cuda>& ctx, Offset count, Offset from, Offset further, const Write& write) const {
    std::visit([&](const auto& pairs) { write_positions(ctx, count, from, further, pairs, write); }, pairs_);
  }

  WorkspaceScope<Cuda> scope_;
  Pairs pairs_;
  Span<Index, Cuda> row_of_;
  Offset nnz_;
};

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
