#include <algorithm>
#include <charconv>
#include <vector>

#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/output_file.hpp"
#include "core/parallel_host.hpp"
#include "problems/matrix_market.hpp"

namespace amgsolve {
namespace {

constexpr Offset block_lines = Offset{1} << 16;
constexpr std::size_t longest_index = 10;    // 2147483647
constexpr std::size_t longest_value = 24;    // -2.2250738585072014e-308
constexpr std::int64_t blocks_a_thread = 4;  // between two writes to the file

/// Appends `lines` lines. format(begin, end, text) writes lines begin … end − 1, each of at most `longest_line` bytes,
/// to text and returns their end; blocks of lines are formatted in parallel and written in order.
template <class Format>
void write_lines(Context<Host>& ctx, OutputFile& file, Offset lines, std::size_t longest_line, Format&& format) {
  const std::int64_t blocks = std::min(ctx.threads() * blocks_a_thread, (lines + block_lines - 1) / block_lines);
  const std::size_t block_bytes = static_cast<std::size_t>(std::min(lines, block_lines)) * longest_line;
  WorkspaceScope<Host> scope(ctx.workspace());
  const Span<char, Host> text = scope.take<char>(static_cast<std::size_t>(blocks) * block_bytes);
  std::vector<std::size_t> sizes(static_cast<std::size_t>(blocks));

  for (Offset first = 0; first < lines; first += blocks * block_lines) {
    parallel_blocks(ctx, blocks, [&](std::int64_t block) {
      const auto b = static_cast<std::size_t>(block);
      const Offset begin = std::min(first + block * block_lines, lines);
      const Offset end = std::min(begin + block_lines, lines);
      char* const out = text.data() + b * block_bytes;
      sizes[b] = static_cast<std::size_t>(format(begin, end, out) - out);
    });
    for (std::size_t b = 0; b < sizes.size(); ++b) {
      file.write({text.data() + b * block_bytes, sizes[b]});
    }
  }
}

template <class Number>
char* put(char* out, Number number, std::size_t longest, char separator) {
  out = std::to_chars(out, out + longest, number).ptr;
  *out++ = separator;
  return out;
}

}  // namespace

template <class T>
void write_matrix_market(Context<Host>& ctx, const std::filesystem::path& path, const CsrMatrix<T, Host>& A) {
  OutputFile file(path);
  file.write(format_text("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", A.rows, A.cols, A.nnz()));
  constexpr std::size_t longest_line = 2 * longest_index + longest_value + 3;
  write_lines(ctx, file, A.nnz(), longest_line, [&](Offset begin, Offset end, char* out) {
    const Offset* const offsets = A.row_offsets.data();
    Index row = static_cast<Index>(std::upper_bound(offsets, offsets + A.rows + 1, begin) - offsets) - 1;
    for (Offset e = begin; e < end; ++e) {
      while (e >= offsets[row + 1]) {
        ++row;
      }
      const auto at = static_cast<std::size_t>(e);
      out = put(out, row + 1, longest_index, ' ');
      out = put(out, A.col_indices[at] + 1, longest_index, ' ');
      out = put(out, A.values[at], longest_value, '\n');
    }
    return out;
  });
  file.commit();
}

template <class T>
void write_matrix_market(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x) {
  OutputFile file(path);
  file.write(format_text("%%MatrixMarket matrix array real general\n{} {}\n", x.rows, x.columns));
  write_lines(ctx, file, static_cast<Offset>(x.size()), longest_value + 1, [&](Offset begin, Offset end, char* out) {
    for (Offset e = begin; e < end; ++e) {
      const Offset column = e / x.rows;
      const Offset row = e % x.rows;
      out = put(out, x.data[row * x.columns + column], longest_value, '\n');
    }
    return out;
  });
  file.commit();
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                      \
  template void write_matrix_market(Context<S>&, const std::filesystem::path&, const CsrMatrix<T, S>&); \
  template void write_matrix_market(Context<S>&, const std::filesystem::path&, MultiVectorView<const T, S>);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
