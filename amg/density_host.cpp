#include <algorithm>
#include <cstdint>

#include "amg/density_rows.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {
namespace {

/// A set of numbers below some bound, a bit each.
class Marks {
 public:
  static constexpr std::int64_t word_bits = 64;

  explicit Marks(Span<std::uint64_t, Host> words) : words_(words) {}

  /// Adds or takes away a number; returns whether that changed anything.
  bool set(Index number, bool is_in) const {
    std::uint64_t& word = words_[static_cast<std::size_t>(number / word_bits)];
    const std::uint64_t bit = std::uint64_t{1} << (number % word_bits);
    const bool changes = ((word & bit) != 0) != is_in;
    word ^= changes ? bit : 0;
    return changes;
  }

 private:
  Span<std::uint64_t, Host> words_;
};

/// Calls visit(column) for the entries of a row.
template <class T, class Visit>
void for_each_column(const CsrRef<T>& A, std::int64_t row, const Visit& visit) {
  for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
    visit(A.col_indices[k]);
  }
}

}  // namespace

template <class T>
Offset count_product_entries(Context<Host>& ctx, const CsrRef<T>& R, const CsrRef<T>& A, const CsrRef<T>& P, Index cols,
                             const SampledRows& sample, Index first_of_A) {
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto words = [](Index numbers) {
    return static_cast<std::size_t>((numbers + Marks::word_bits - 1) / Marks::word_bits);
  };
  const auto counts = scope.take<Offset>(static_cast<std::size_t>(sample.choice.count));
  set_zero(ctx, counts);
  const std::size_t of_thread = words(P.rows) + words(cols);
  const auto all_words =
      scope.take<std::uint64_t>(checked_multiply(static_cast<std::size_t>(ctx.threads()), of_thread, "marks"));
  set_zero(ctx, all_words);
  const auto mean = [](const CsrRef<T>& matrix) {
    return static_cast<double>(matrix.row_offsets[matrix.rows]) / std::max(matrix.rows, Index{1});
  };
  parallel_blocks(
      ctx, sample.choice.count,
      [&](std::int64_t stratum) {
        const Index row = sample.row(stratum);
        if (row < 0) {
          return;
        }
        const auto mine = all_words.subspan(thread_number(ctx) * of_thread, of_thread);
        const Marks rows_of_P(mine.subspan(0, words(P.rows)));
        const Marks columns(mine.subspan(words(P.rows), words(cols)));
        // All that is marked to count it is unmarked by the same walk.
        const auto set_all = [&](bool is_in) {
          Offset changed = 0;
          for_each_column(R, row, [&](Index column) {
            const Index i = column - first_of_A;
            if (i < 0 || i >= A.rows) {
              return;
            }
            for_each_column(A, i, [&](Index j) {
              if (rows_of_P.set(j, is_in)) {
                for_each_column(P, j, [&](Index col) { changed += columns.set(col, is_in) ? 1 : 0; });
              }
            });
          });
          return changed;
        };
        counts[static_cast<std::size_t>(stratum)] = set_all(true);
        set_all(false);
      },
      static_cast<std::int64_t>(2.0 * mean(R) * mean(A) * (1.0 + mean(P))));
  Offset entries = 0;
  for (const Offset count : counts) {
    entries += count;
  }
  return entries;
}

AMGSOLVE_INSTANTIATE_DENSITY_ROWS(Host)
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_DENSITY_STEPS, Host)

}  // namespace amgsolve
