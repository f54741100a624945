#include "spgemm/rows/split_rows_cuda.hpp"

#include <array>
#include <limits>

#include "core/copy.hpp"
#include "core/timer.hpp"
#include "spgemm/rows/row_products.hpp"

namespace amgsolve {

template <class T>
SplitRows split_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, Offset limit,
                     const RowBins& rows, Span<Offset, Cuda> sizes) {
  ScopedTimer timer(ctx, "analysis");
  constexpr std::size_t last = RowBins::lists - 1;
  std::array<Offset, RowBins::lists> limits;
  limits.fill(limit);
  limits[last] = std::numeric_limits<Offset>::max();
  count_row_products(ctx, A, B, sizes);
  fill_bins(ctx, sizes, limits, rows);
  std::array<Offset, RowBins::lists + 1> lengths;
  download(ctx, rows.lengths, {lengths.data(), lengths.size()});
  const auto list = [&](std::size_t i) { return rows.list(i).subspan(0, static_cast<std::size_t>(lengths[i])); };
  return {lengths[RowBins::lists], list(0), list(last)};
}

template SplitRows split_rows(Context<Cuda>&, const CsrMatrix<float, Cuda>&, const CsrMatrix<float, Cuda>&, Offset,
                              const RowBins&, Span<Offset, Cuda>);
template SplitRows split_rows(Context<Cuda>&, const CsrMatrix<double, Cuda>&, const CsrMatrix<double, Cuda>&, Offset,
                              const RowBins&, Span<Offset, Cuda>);

}  // namespace amgsolve
