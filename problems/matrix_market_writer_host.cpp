#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "problems/matrix_market.hpp"

namespace amgsolve {
namespace {

constexpr std::size_t longest_index = 10;  // 2147483647
constexpr std::size_t longest_value = 24;  // -2.2250738585072014e-308

/// Lines of at most `longest` bytes: format(begin, end, out) writes lines begin … end − 1 and returns their end.
template <class Format>
RowsSection lines(std::string before, Offset count, std::size_t longest, Format format) {
  return {.before = std::move(before),
          .rows = count,
          .row_bytes = longest,
          .is_text = true,
          .bytes = [format](Offset begin, Offset end, char* room) {
            return std::string_view(room, static_cast<std::size_t>(format(begin, end, room) - room));
          }};
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
  constexpr std::size_t longest_line = 2 * longest_index + longest_value + 3;
  const auto format = [&A](Offset begin, Offset end, char* out) {
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
  };
  const std::string header =
      format_text("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", A.rows, A.cols, A.nnz());
  write_rows_file(ctx, path, std::array{lines(header, A.nnz(), longest_line, format)});
}

template <class T>
std::vector<RowsSection> matrix_market_file(Context<Host>& ctx, MultiVectorView<const T, Host> x) {
  const std::int64_t rows = rows_of_ranks(ctx.communicator(), x.rows).all;
  std::vector<RowsSection> file{
      {.before = format_text("%%MatrixMarket matrix array real general\n{} {}\n", rows, x.columns)}};
  for (Index column = 0; column < x.columns; ++column) {
    file.push_back(lines({}, x.rows, longest_value + 1, [x, column](Offset begin, Offset end, char* out) {
      for (Offset row = begin; row < end; ++row) {
        out = put(out, x.data[row * x.columns + column], longest_value, '\n');
      }
      return out;
    }));
  }
  return file;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                      \
  template void write_matrix_market(Context<S>&, const std::filesystem::path&, const CsrMatrix<T, S>&); \
  template std::vector<RowsSection> matrix_market_file(Context<S>&, MultiVectorView<const T, S>);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
