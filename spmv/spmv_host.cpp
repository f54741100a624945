#include "spmv/spmv_steps_host.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace amgsolve::detail {

void find_slice_widths(Context<Host>& ctx, Span<const Offset, Host> row_offsets, Span<Index, Host> widths) {
  const auto rows = static_cast<std::int64_t>(row_offsets.size()) - 1;
  parallel_fixed_blocks(ctx, rows, slice_rows, [&](std::int64_t slice, std::int64_t begin, std::int64_t end) {
    Offset width = 0;
    for (std::int64_t row = begin; row < end; ++row) {
      width = std::max(width, row_offsets.data()[row + 1] - row_offsets.data()[row]);
    }
    widths.data()[slice] = static_cast<Index>(width);
  });
}

void sort_windows(Context<Host>& ctx, Span<const Offset, Host> row_offsets, Span<std::uint8_t, Host> places,
                  Span<Index, Host> widths) {
  // Rows of so many entries and more are taken for alike.
  constexpr Offset most_length = 1023;
  const auto rows = static_cast<std::int64_t>(row_offsets.size()) - 1;
  parallel_fixed_blocks(ctx, rows, sorted_rows, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    const Offset* const offsets = row_offsets.data() + begin;
    const auto count = static_cast<Index>(end - begin);
    const auto length = [&](Index row) { return std::min(offsets[row + 1] - offsets[row], most_length); };
    Offset shortest = length(0);
    Offset longest = shortest;
    for (Index row = 1; row < count; ++row) {
      shortest = std::min(shortest, length(row));
      longest = std::max(longest, length(row));
    }
    std::array<Index, std::size_t{most_length} + 2> starts;  // of the rows of each length, from the longest on
    const auto lengths = starts.begin() + std::clamp<Offset>(longest - shortest, 0, most_length) + 2;
    std::fill(starts.begin(), lengths, 0);
    for (Index row = 0; row < count; ++row) {
      ++starts[static_cast<std::size_t>(longest - length(row)) + 1];
    }
    std::partial_sum(starts.begin(), lengths, starts.begin());
    Index* const of_slices = widths.data() + begin / slice_rows;
    std::fill_n(of_slices, slice_count(count), 0);
    for (Index row = 0; row < count; ++row) {
      const Index place = starts[static_cast<std::size_t>(longest - length(row))]++;
      places.data()[begin + row] = static_cast<std::uint8_t>(place);
      Index& width = of_slices[place / slice_rows];
      width = std::max(width, static_cast<Index>(offsets[row + 1] - offsets[row]));
    }
  });
}

#define AMGSOLVE_INSTANTIATE_PRODUCTS(T, Ref)                                                                          \
  template void multiply_rows(Context<Host>&, const Ref&, MultiVectorView<const T, Host>, int, const MultiplyAdd<T>&); \
  template void multiply_rows(Context<Host>&, const Ref&, MultiVectorView<const T, Host>, int, const Residual<T>&);    \
  template void multiply_rows(Context<Host>&, const Ref&, MultiVectorView<const T, Host>, int,                         \
                              const JudgedResidual<T>&);                                                               \
  template void multiply_rows(Context<Host>&, const Ref&, MultiVectorView<const T, Host>, int,                         \
                              const SmoothingStep<T>&);                                                                \
  template void store_entries(Context<Host>&, const CsrRef<T>&, const Ref&, Span<Index, Host>, Span<T, Host>);         \
  template CsrMatrix<T, Host> collect_entries(Context<Host>&, const Ref&, Index, Offset);

AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE_PRODUCTS, float)
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE_PRODUCTS, double)
#undef AMGSOLVE_INSTANTIATE_PRODUCTS

}  // namespace amgsolve::detail
