#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"
#include "problems/amg_file.hpp"
#include "problems/amg_file_layout.hpp"
#include "problems/binary_output.hpp"

namespace amgsolve {
namespace {

struct Array {
  AmgFilePart part;
  std::string_view bytes;
};

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
  constexpr std::size_t word_bytes = sizeof(std::uint64_t);
  if (place % word_bytes != 0) {
    throw std::invalid_argument(format_text("a part of an .amg file begins at byte {}, within a word", place));
  }
  return checksum_of_words(ctx, place / word_bytes, bytes);
}

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
  const std::array<Array, 3> arrays{
      {{layout.row_offsets,
        is_small ? bytes_of(offsets.data(), offsets.size()) : bytes_of(A.row_offsets.data(), A.row_offsets.size())},
       {layout.col_indices, bytes_of(A.col_indices.data(), A.col_indices.size())},
       {layout.values, bytes_of(A.values.data(), A.values.size())}}};
  header = begun(ctx, header);
  for (const auto& [part, bytes] : arrays) {
    header.checksum += checksum_of_array(ctx, part.begin, bytes);
  }
  OutputFile file(path);
  file.write(bytes_of(&header, 1));
  for (const auto& [part, bytes] : arrays) {
    static constexpr std::array<char, AmgFileLayout::alignment> zeros{};
    write_bytes(ctx, file, bytes);
    const std::size_t past = bytes.size() % zeros.size();
    file.write({zeros.data(), past == 0 ? 0 : zeros.size() - past});
  }
  file.commit();
}

RowsFile amg_file_of_vectors(Context<Host>& ctx, std::int64_t rows, Index columns, std::size_t value_bytes) {
  const AmgFileHeader header = begun(ctx, {.kind = AmgFileHeader::vectors_kind,
                                           .rows = rows,
                                           .columns = columns,
                                           .entries = rows * columns,
                                           .value_bytes = static_cast<std::uint32_t>(value_bytes)});
  const AmgFileLayout layout = layout_of(header);
  return {.begin = layout.values.begin,
          .end = layout.end,
          .checksum = checksum_of_array,
          .header = [header](std::uint64_t checksum) {
            AmgFileHeader complete = header;
            complete.checksum += checksum;
            return std::string(bytes_of(&complete, 1));
          }};
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template void write_amg_file(Context<S>&, const std::filesystem::path&, const CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
