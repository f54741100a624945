#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/collectively.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"
#include "problems/amg_file.hpp"
#include "problems/amg_file_layout.hpp"
#include "problems/binary_output.hpp"

namespace amgsolve {
namespace {

/// The header with the checksum of the file but for what its arrays add.
AmgFileHeader begun(Context<Host>& ctx, AmgFileHeader header) {
  const AmgFileLayout layout = layout_of(header);
  std::ranges::copy(amg_file_magic, header.magic.begin());
  header.file_bytes = layout.end;
  header.checksum = checksum_of_header(ctx, header);
  for (const AmgFilePart& array : {layout.row_offsets, layout.col_indices, layout.values}) {
    header.checksum += checksum_of_filling(array);
  }
  return header;
}

std::uint64_t checksum_of_array(Context<Host>& ctx, std::size_t place, std::string_view bytes) {
  if (place % word_bytes != 0) {
    throw std::invalid_argument(format_text("a part of an .amg file begins at byte {}, within a word", place));
  }
  return checksum_of_words(ctx, place / word_bytes, bytes);
}

std::string text_of(const AmgFileHeader& header) { return std::string(bytes_of(&header, 1)); }

/// What stands between an array and byte `end`.
std::string filling(AmgFilePart array, std::size_t end) { return std::string(end - array.begin - array.size, '\0'); }

}  // namespace

template <class T>
void write_amg_file(Context<Host>& ctx, const std::filesystem::path& path, const CsrMatrix<T, Host>& A) {
  const bool is_small = A.nnz() <= std::numeric_limits<std::int32_t>::max();
  AmgFileHeader header{.rows = A.rows,
                       .columns = A.cols,
                       .entries = A.nnz(),
                       .offset_bytes = is_small ? 4U : 8U,
                       .value_bytes = sizeof(T)};
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto offsets = scope.take<std::int32_t>(is_small ? A.row_offsets.size() : 0);
  parallel_for(ctx, static_cast<std::int64_t>(offsets.size()), [&](std::int64_t i) {
    const auto row = static_cast<std::size_t>(i);
    offsets[row] = static_cast<std::int32_t>(A.row_offsets[row]);
  });
  const AmgFileLayout layout = layout_of(header);
  const std::string_view bytes_of_offsets =
      is_small ? bytes_of(offsets.data(), offsets.size()) : bytes_of(A.row_offsets.data(), A.row_offsets.size());
  const std::string_view columns = bytes_of(A.col_indices.data(), A.col_indices.size());
  const std::string_view values = bytes_of(A.values.data(), A.values.size());
  header = begun(ctx, header);
  header.checksum += checksum_of_array(ctx, layout.row_offsets.begin, bytes_of_offsets) +
                     checksum_of_array(ctx, layout.col_indices.begin, columns) +
                     checksum_of_array(ctx, layout.values.begin, values);
  write_rows_file(ctx, path,
                  std::array{rows_in_memory(text_of(header), bytes_of_offsets),
                             rows_in_memory(filling(layout.row_offsets, layout.col_indices.begin), columns),
                             rows_in_memory(filling(layout.col_indices, layout.values.begin), values),
                             RowsSection{.before = filling(layout.values, layout.end)}});
}

template <class T>
std::vector<RowsSection> amg_file_of_vectors(Context<Host>& ctx, MultiVectorView<const T, Host> x) {
  const Communicator& ranks = ctx.communicator();
  const RanksRows rows = rows_of_ranks(ranks, x.rows);
  AmgFileHeader header = begun(ctx, {.kind = AmgFileHeader::vectors_kind,
                                     .rows = rows.all,
                                     .columns = x.columns,
                                     .entries = rows.all * x.columns,
                                     .value_bytes = sizeof(T)});
  const AmgFileLayout layout = layout_of(header);
  const std::string_view own = bytes_of(x.data, x.size());
  const std::size_t before = static_cast<std::size_t>(rows.own.first * x.columns) * sizeof(T);
  std::uint64_t checksum = 0;
  collectively(ranks, [&] { checksum = checksum_of_array(ctx, layout.values.begin + before, own); });
  header.checksum += std::bit_cast<std::uint64_t>(ranks.sum(std::bit_cast<std::int64_t>(checksum)));
  return {rows_in_memory(text_of(header), own), {.before = filling(layout.values, layout.end)}};
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                 \
  template void write_amg_file(Context<S>&, const std::filesystem::path&, const CsrMatrix<T, S>&); \
  template std::vector<RowsSection> amg_file_of_vectors(Context<S>&, MultiVectorView<const T, S>);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
