#include "spgemm/hash/hash_two_pass.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/copy.hpp"
#include "core/timer.hpp"
#include "spgemm/hash/hash_two_pass_rows_cuda.hpp"
#include "spgemm/hash/tuning.hpp"
#include "spgemm/rows/lanes_for_row_cuda.hpp"
#include "spgemm/rows/long_rows_cuda.hpp"
#include "spgemm/rows/row_bins_cuda.hpp"
#include "spgemm/rows/row_products.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {
namespace {

constexpr std::size_t bins = RowBins::tables;
static_assert(hash::table_slots.size() == bins && hash::expected_products.size() == bins);

/// Tables of each bin, with about as many threads a row as a row of B has entries; more for larger tables.
template <class T>
std::array<HashTables, bins> choose_tables(const CsrMatrix<T, Cuda>& B) {
  std::array<HashTables, bins> tables;
  for (std::size_t b = 0; b < bins; ++b) {
    const int slots = hash::table_slots[b];
    const int lanes = std::max(lanes_for_rows(B), std::min(slots / hash::slots_per_lane, hash::most_lanes));
    tables[b] = {slots, b + 1 < bins ? lanes : hash::threads_of_block};
  }
  return tables;
}

RowList row_list(const RowBins& rows, std::size_t bin) { return {rows.list(bin).data(), rows.length(bin)}; }

/// Lengths of the lists and the sum of sizes behind them. Synchronises.
std::array<Offset, RowBins::lists + 1> download_lengths(Context<Cuda>& ctx, const RowBins& rows) {
  std::array<Offset, RowBins::lists + 1> lengths;
  download(ctx, rows.lengths, {lengths.data(), lengths.size()});
  return lengths;
}

}  // namespace

template <class T>
SpgemmProduct<T, Cuda> hash_in_two_passes(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                                          const CsrMatrix<T, Cuda>& B) {
  SpgemmProduct<T, Cuda> result{uncounted_matrix<T>(ctx, A.rows, B.cols)};
  CsrMatrix<T, Cuda>& C = result.C;
  // In turn the products of each row, its entries, and the end of its entries.
  const Span<Offset, Cuda> sizes = row_counts(C);

  WorkspaceScope<Cuda> scope(ctx.workspace());
  const RowBins rows(scope, A.rows);
  const std::array<HashTables, bins> tables = choose_tables(B);
  Span<const Index, Cuda> large_rows;
  {
    ScopedTimer timer(ctx, "analysis");
    count_row_products(ctx, A, B, sizes);
    std::array<Offset, RowBins::lists> limits;
    limits.fill(std::numeric_limits<Offset>::max());
    std::ranges::copy(hash::expected_products, limits.begin());
    fill_bins(ctx, sizes, limits, rows);
  }
  {
    ScopedTimer timer(ctx, "symbolic");
    for (std::size_t b = 0; b < bins; ++b) {
      count_rows(ctx, A, B, tables[b], row_list(rows, b), row_list(rows, b + 1), sizes);
    }
    const auto lengths = download_lengths(ctx, rows);
    result.products = lengths[RowBins::lists];
    large_rows = rows.list(bins).subspan(0, static_cast<std::size_t>(lengths[bins]));
  }

  const LongRows<T> formed_apart(ctx, A, B, large_rows, sizes);

  ScopedTimer timer(ctx, "numeric");
  std::array<Offset, RowBins::lists> limits;
  limits.fill(tables.back().limit());  // the list of large rows stays as it is
  std::ranges::transform(tables, limits.begin(), [](const HashTables& table) { return table.limit(); });
  fill_bins(ctx, sizes, limits, rows);
  allocate_entries(ctx, C);
  for (std::size_t b = 0; b < bins; ++b) {
    form_rows(ctx, A, B, tables[b], row_list(rows, b), C);
  }
  formed_apart.write(ctx, C);
  return result;
}

template SpgemmProduct<float, Cuda> hash_in_two_passes(Context<Cuda>&, const CsrMatrix<float, Cuda>&,
                                                       const CsrMatrix<float, Cuda>&);
template SpgemmProduct<double, Cuda> hash_in_two_passes(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                                        const CsrMatrix<double, Cuda>&);

}  // namespace amgsolve
