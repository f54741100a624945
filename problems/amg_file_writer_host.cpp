#include <algorithm>
#include <array>
#include <limits>

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

/// The header with its checksum, and behind it the arrays in their order.
template <std::size_t count>
void write_file(Context<Host>& ctx, const std::filesystem::path& path, AmgFileHeader header,
                const std::array<Array, count>& arrays) {
  std::ranges::copy(amg_file_magic, header.magic.begin());
  header.file_bytes = layout_of(header).end;
  header.checksum = checksum_of_header(ctx, header);
  for (const auto& [part, bytes] : arrays) {
    header.checksum += checksum_of_words(ctx, part.begin / sizeof(std::uint64_t), bytes);
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

}  // namespace

template <class T>
void write_amg_file(Context<Host>& ctx, const std::filesystem::path& path, const CsrMatrix<T, Host>& A) {
  const bool is_small = A.nnz() <= std::numeric_limits<std::int32_t>::max();
  const AmgFileHeader header{.rows = A.rows,
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
  write_file<3>(ctx, path, header,
                {{{layout.row_offsets, is_small ? bytes_of(offsets.data(), offsets.size())
                                                : bytes_of(A.row_offsets.data(), A.row_offsets.size())},
                  {layout.col_indices, bytes_of(A.col_indices.data(), A.col_indices.size())},
                  {layout.values, bytes_of(A.values.data(), A.values.size())}}});
}

template <class T>
void write_amg_file(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x) {
  const AmgFileHeader header{.kind = AmgFileHeader::vectors_kind,
                             .rows = x.rows,
                             .columns = x.columns,
                             .entries = static_cast<std::int64_t>(x.size()),
                             .value_bytes = sizeof(T)};
  write_file<1>(ctx, path, header, {{{layout_of(header).values, bytes_of(x.data, x.size())}}});
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                 \
  template void write_amg_file(Context<S>&, const std::filesystem::path&, const CsrMatrix<T, S>&); \
  template void write_amg_file(Context<S>&, const std::filesystem::path&, MultiVectorView<const T, S>);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
