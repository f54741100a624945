#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/format.hpp"
#include "core/parallel_host.hpp"
#include "core/timer.hpp"
#include "problems/line_blocks.hpp"
#include "problems/line_error.hpp"
#include "problems/matrix_market.hpp"
#include "problems/matrix_market_entries.hpp"
#include "problems/matrix_market_header.hpp"
#include "problems/text_file.hpp"
#include "problems/triplets.hpp"
#include "problems/vector_file.hpp"

namespace amgsolve {
namespace {

/// Throws where there are other records than the size line says.
void require_count(const LineBlocks& lines, Offset wanted, const std::string& path) {
  check_count(lines.records, wanted, lines.records > wanted ? line_of_record(lines, wanted) : lines.last_line, path);
}

/// Sorts the entries of the file into a matrix.
template <class T>
CsrMatrix<T, Host> matrix_of(Context<Host>& ctx, CoordinateEntries<CooMatrix<T, Host>>& entries,
                             const MatrixMarketHeader& header, const LineBlocks& lines, MatrixMarketNotes& notes) {
  const UpperEntries upper = mirror(ctx, lines, header, entries);
  notes.upper_entries = upper.count;
  notes.first_upper_line = upper.first_line;
  DuplicateEntries duplicates;
  CsrMatrix<T, Host> A =
      assemble(ctx, entries_between(entries.triplets, 0, entries.count), entries.of_file, duplicates);
  if (duplicates.entries > 0) {
    notes.duplicates = duplicates.entries;
    notes.first_duplicate_line = line_of_record(lines, duplicates.first_entry);
  }
  return A;
}

template <class T>
CsrMatrix<T, Host> parse_coordinates(Context<Host>& ctx, const MatrixMarketHeader& header, const std::string& path,
                                     MatrixMarketNotes& notes) {
  LineBlocks lines;
  CoordinateEntries<CooMatrix<T, Host>> entries;
  {
    const ScopedTimer timer(ctx, "parse");
    lines = split_lines(ctx, header.body, header.lines + 1);
    // The text bounds what is allocated, not the size line, which may lie.
    entries = take_entries<CooMatrix<T, Host>>(ctx, lines, std::min(lines.records, header.entries), header, path);
    refuse(entries.wrong, path);
    require_count(lines, header.entries, path);
  }
  const ScopedTimer timer(ctx, "sort");
  return matrix_of(ctx, entries, header, lines, notes);
}

template <class T>
MultiVector<T, Host> parse_array(Context<Host>& ctx, const MatrixMarketHeader& header, const std::string& path) {
  if (header.symmetry != MatrixMarketSymmetry::general) {
    throw_at_line(path, 1, "expected 'general', found a symmetric array: vectors have no symmetry");
  }
  const ScopedTimer timer(ctx, "parse");
  const LineBlocks lines = split_lines(ctx, header.body, header.lines + 1);
  Buffer<T, Host> by_columns(ctx, static_cast<std::size_t>(std::min(lines.records, header.entries)));
  refuse(take_values<T>(ctx, lines, header, path, by_columns), path);
  require_count(lines, header.entries, path);

  MultiVector<T, Host> x(ctx, static_cast<Index>(header.rows), static_cast<Index>(header.cols));
  const auto rows = static_cast<std::size_t>(header.rows);
  const auto columns = static_cast<std::size_t>(header.cols);
  parallel_for(ctx, header.rows, [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    for (std::size_t j = 0; j < columns; ++j) {
      x.data()[i * columns + j] = by_columns[j * rows + i];
    }
  });
  return x;
}

template <class T>
MultiVector<T, Host> to_dense(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  MultiVector<T, Host> x(ctx, A.rows, A.cols);
  parallel_for(ctx, A.rows, [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    T* const x_row = x.data() + i * static_cast<std::size_t>(A.cols);
    std::fill_n(x_row, A.cols, T{0});
    for (auto e = static_cast<std::size_t>(A.row_offsets[i]); e < static_cast<std::size_t>(A.row_offsets[i + 1]); ++e) {
      x_row[A.col_indices[e]] = A.values[e];
    }
  });
  return x;
}

}  // namespace

std::vector<std::string> describe(const MatrixMarketNotes& notes, const std::string& path) {
  std::vector<std::string> sentences;
  if (notes.duplicates > 0) {
    sentences.push_back(format_text("{}:{}: the indices of this entry occurred before; {} in all {} summed", path,
                                    notes.first_duplicate_line, notes.duplicates,
                                    notes.duplicates == 1 ? "was" : "were"));
  }
  if (notes.upper_entries > 0) {
    sentences.push_back(
        format_text("{}:{}: this entry is above the diagonal, where a symmetric file holds the lower triangle; {} in "
                    "all {} mirrored",
                    path, notes.first_upper_line, notes.upper_entries, notes.upper_entries == 1 ? "was" : "were"));
  }
  return sentences;
}

template <class T>
CsrMatrix<T, Host> parse_matrix_market(Context<Host>& ctx, std::string_view text, const std::string& name,
                                       MatrixMarketNotes* notes) {
  const MatrixMarketHeader header = parse_matrix_market_header(text, name);
  if (header.format == MatrixMarketFormat::array) {
    throw_at_line(name, 1, "expected 'coordinate', found 'array', which is for vectors and dense matrices");
  }
  MatrixMarketNotes found;
  CsrMatrix<T, Host> A = parse_coordinates<T>(ctx, header, name, found);
  if (notes != nullptr) {
    *notes = found;
  }
  return A;
}

template <class T>
MultiVector<T, Host> parse_vectors(Context<Host>& ctx, std::string_view text, const std::string& name,
                                   MatrixMarketNotes* notes, std::optional<Index> rows) {
  const MatrixMarketHeader header = parse_matrix_market_header(text, name);
  require_rows(name, header.rows, rows);
  refuse_empty_vectors(header, name);
  MatrixMarketNotes found;
  MultiVector<T, Host> x = header.format == MatrixMarketFormat::array
                               ? parse_array<T>(ctx, header, name)
                               : to_dense(ctx, parse_coordinates<T>(ctx, header, name, found));
  if (notes != nullptr) {
    *notes = found;
  }
  return x;
}

template <class T>
CsrMatrix<T, Host> read_matrix_market(Context<Host>& ctx, const std::filesystem::path& path, MatrixMarketNotes* notes) {
  const ScopedTimer timer(ctx, "read");
  const TextFile file(ctx, path);
  return parse_matrix_market<T>(ctx, file.text(), file.path(), notes);
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                     \
  template CsrMatrix<T, Host> read_matrix_market(Context<Host>&, const std::filesystem::path&, MatrixMarketNotes*); \
  template CsrMatrix<T, Host> parse_matrix_market(Context<Host>&, std::string_view, const std::string&,             \
                                                  MatrixMarketNotes*);                                              \
  template MultiVector<T, Host> parse_vectors(Context<Host>&, std::string_view, const std::string&,                 \
                                              MatrixMarketNotes*, std::optional<Index>);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)

#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
