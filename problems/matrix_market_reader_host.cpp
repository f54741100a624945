#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/parallel_host.hpp"
#include "core/timer.hpp"
#include "problems/line_blocks.hpp"
#include "problems/line_error.hpp"
#include "problems/matrix_market.hpp"
#include "problems/matrix_market_header.hpp"
#include "problems/parse_number.hpp"
#include "problems/text_file.hpp"
#include "problems/triplets.hpp"
#include "problems/vector_file.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {
namespace {

/// What a record should have had where it is wrong; a message is made of it outside the parallel region.
enum class Expected {
  nothing,
  row,
  column,
  number,
  integer,
  finite_number,
  number_in_range,
  zero_diagonal,
  end_of_line
};

struct RecordError {
  Expected expected = Expected::nothing;
  Offset line = 0;
  std::string_view token;
};

template <class T>
std::string expectation(Expected expected, const MatrixMarketHeader& header) {
  switch (expected) {
    case Expected::row:
      return fmt::format("a row index from 1 to {}", header.rows);
    case Expected::column:
      return fmt::format("a column index from 1 to {}", header.cols);
    case Expected::number:
      return "a number";
    case Expected::integer:
      return "an integer";
    case Expected::finite_number:
      return "a finite number";
    case Expected::number_in_range:
      return header.field == MatrixMarketField::integer
                 ? "an integer of 64 bits"
                 : fmt::format("a number of magnitude up to {:.4g}", std::numeric_limits<T>::max());
    case Expected::zero_diagonal:
      return "no entry on the diagonal of a skew-symmetric matrix";
    case Expected::end_of_line:
    case Expected::nothing:
      break;
  }
  return "the end of the line";
}

Expected expected_instead(NumberStatus status, Expected well_formed) {
  switch (status) {
    case NumberStatus::valid:
      return Expected::nothing;
    case NumberStatus::malformed:
      return well_formed;
    case NumberStatus::not_finite:
      return Expected::finite_number;
    case NumberStatus::out_of_range:
      break;
  }
  return Expected::number_in_range;
}

Expected take_index(std::string_view& line, Index size, Expected expected, Index& index) {
  const std::string_view start = line;
  Index one_based = 0;
  if (take_number(line, one_based) != NumberStatus::valid || one_based < 1 || one_based > size) {
    line = skip_blanks(start);
    return expected;
  }
  index = one_based - 1;
  return Expected::nothing;
}

template <class T>
Expected take_value(std::string_view& line, MatrixMarketField field, T& value) {
  switch (field) {
    case MatrixMarketField::pattern:
      value = T{1};
      return Expected::nothing;
    case MatrixMarketField::integer: {
      Offset integer = 0;
      const NumberStatus status = take_number(line, integer);
      value = static_cast<T>(integer);
      return expected_instead(status, Expected::integer);
    }
    case MatrixMarketField::real:
      break;
  }
  return expected_instead(take_number(line, value), Expected::number);
}

/// Most that are told at once.
constexpr std::size_t most_errors = 10;

/// The records of a block that are wrong.
struct BlockErrors {
  std::vector<RecordError> first;  ///< at most `most_errors`
  Offset count = 0;
};

template <class T>
[[noreturn]] void throw_errors(const std::vector<BlockErrors>& blocks, const MatrixMarketHeader& header,
                               const std::string& path) {
  std::vector<std::string> lines;
  Offset count = 0;
  for (const BlockErrors& block : blocks) {
    count += block.count;
    for (const RecordError& error : block.first) {
      if (lines.size() < most_errors) {
        lines.push_back(unexpected_at(path, error.line, expectation<T>(error.expected, header), error.token));
      }
    }
  }
  if (const Offset more = count - std::ssize(lines); more > 0) {
    lines.push_back(fmt::format("{}: and {} more", path, more));
  }
  throw InputError(fmt::format("{}", fmt::join(lines, "\n")));
}

/// Calls take(line, record), which takes the numbers of a record off its line and says what it misses, for the first
/// `records` records. Throws for those that are wrong.
template <class T, class Take>
void take_records(Context<Host>& ctx, const LineBlocks& lines, Offset records, const MatrixMarketHeader& header,
                  const std::string& path, Take&& take) {
  std::vector<BlockErrors> errors(lines.blocks.size());
  parallel_blocks(ctx, static_cast<std::int64_t>(lines.blocks.size()), [&](std::int64_t b) {
    const LineBlock& block = lines.blocks[static_cast<std::size_t>(b)];
    BlockErrors& of_block = errors[static_cast<std::size_t>(b)];
    std::string_view rest = block.text;
    Offset record = block.first_record;
    for (Offset number = block.first_line; !rest.empty() && record < records; ++number) {
      std::string_view line = skip_blanks(take_line(rest));
      if (!is_record(line)) {
        continue;
      }
      Expected expected = take(line, record++);
      if (expected == Expected::nothing) {
        line = skip_blanks(line);
        if (line.empty()) {
          continue;
        }
        expected = Expected::end_of_line;
      }
      if (of_block.count++ < static_cast<Offset>(most_errors)) {
        of_block.first.push_back({expected, number, first_token(line)});
      }
    }
  });
  if (std::ranges::any_of(errors, [](const BlockErrors& block) { return block.count > 0; })) {
    throw_errors<T>(errors, header, path);
  }
}

/// The number of the line with this record.
Offset line_of_record(const LineBlocks& lines, Offset record) {
  const auto after = std::upper_bound(lines.blocks.begin(), lines.blocks.end(), record,
                                      [](Offset r, const LineBlock& block) { return r < block.first_record; });
  const LineBlock& block = *std::prev(after);
  std::string_view rest = block.text;
  Offset number = block.first_line;
  for (Offset before = record - block.first_record;; ++number) {
    if (is_record(skip_blanks(take_line(rest))) && before-- == 0) {
      return number;
    }
  }
}

std::string format_entries(Offset n) { return fmt::format("{} {}", n, n == 1 ? "entry" : "entries"); }

void check_count(const LineBlocks& lines, Offset wanted, const std::string& path) {
  if (lines.records < wanted) {
    throw_at_line(path, lines.last_line,
                  fmt::format("expected {}, as the size line says, found the end of the file after {}",
                              format_entries(wanted), lines.records));
  }
  if (lines.records > wanted) {
    throw_at_line(path, line_of_record(lines, wanted),
                  fmt::format("expected the end of the file after {}, as the size line says, found {} more",
                              format_entries(wanted), lines.records - wanted));
  }
}

/// "row column value", or without the value in a pattern.
template <class T>
Expected take_triplet(std::string_view& line, const MatrixMarketHeader& header, Index& row, Index& column, T& value) {
  const std::string_view whole = line;
  Expected error = take_index(line, header.rows, Expected::row, row);
  if (error == Expected::nothing) {
    error = take_index(line, header.cols, Expected::column, column);
  }
  if (error == Expected::nothing) {
    error = take_value(line, header.field, value);
  }
  if (error == Expected::nothing && header.symmetry == MatrixMarketSymmetry::skew_symmetric && row == column &&
      value != T{0}) {
    line = whole;
    error = Expected::zero_diagonal;
  }
  return error;
}

/// The triplets of the file in its order, with room for their mirror images where there are to be any.
template <class T>
CooMatrix<T, Host> take_triplets(Context<Host>& ctx, const LineBlocks& lines, const MatrixMarketHeader& header,
                                 const std::string& path) {
  // The text bounds what is allocated, not the size line, which may lie.
  const Offset entries = std::min(lines.records, header.entries);
  const bool general = header.symmetry == MatrixMarketSymmetry::general;
  CooMatrix<T, Host> triplets(ctx, header.rows, header.cols, general ? entries : 2 * entries);
  take_records<T>(ctx, lines, entries, header, path, [&](std::string_view& line, Offset record) {
    const auto e = static_cast<std::size_t>(record);
    return take_triplet(line, header, triplets.row_indices[e], triplets.col_indices[e], triplets.values[e]);
  });
  check_count(lines, header.entries, path);
  return triplets;
}

/// Sorts the triplets of the file into a matrix.
template <class T>
CsrMatrix<T, Host> assemble(Context<Host>& ctx, CooMatrix<T, Host>& triplets, const MatrixMarketHeader& header,
                            const LineBlocks& lines, MatrixMarketNotes& notes) {
  Offset entries = header.entries;
  if (header.symmetry != MatrixMarketSymmetry::general) {
    const T sign = header.symmetry == MatrixMarketSymmetry::symmetric ? T{1} : T{-1};
    const MirroredEntries mirrored = mirror_lower_triangle(ctx, triplets, entries, sign);
    entries = mirrored.entries;
    if (mirrored.upper_entries > 0) {
      notes.upper_entries = mirrored.upper_entries;
      notes.first_upper_line = line_of_record(lines, mirrored.first_upper_entry);
    }
  }
  Offset merged = 0;
  CsrMatrix<T, Host> A = coo_to_csr(ctx, first_entries(triplets, entries), &merged);
  if (merged > 0) {
    const DuplicateEntries duplicates = find_duplicates(triplets, header.entries, A);
    notes.duplicates = duplicates.entries;
    notes.first_duplicate_line = line_of_record(lines, duplicates.first_entry);
  }
  return A;
}

template <class T>
CsrMatrix<T, Host> parse_coordinates(Context<Host>& ctx, const MatrixMarketHeader& header, const std::string& path,
                                     MatrixMarketNotes& notes) {
  LineBlocks lines;
  CooMatrix<T, Host> triplets;
  {
    const ScopedTimer timer(ctx, "parse");
    lines = split_lines(ctx, header.body, header.lines + 1);
    triplets = take_triplets<T>(ctx, lines, header, path);
  }
  const ScopedTimer timer(ctx, "sort");
  return assemble(ctx, triplets, header, lines, notes);
}

template <class T>
MultiVector<T, Host> parse_array(Context<Host>& ctx, const MatrixMarketHeader& header, const std::string& path) {
  if (header.symmetry != MatrixMarketSymmetry::general) {
    throw_at_line(path, 1, "expected 'general', found a symmetric array: vectors have no symmetry");
  }
  const ScopedTimer timer(ctx, "parse");
  const LineBlocks lines = split_lines(ctx, header.body, header.lines + 1);
  const Offset entries = std::min(lines.records, header.entries);
  Buffer<T, Host> by_columns(ctx, static_cast<std::size_t>(entries));
  take_records<T>(ctx, lines, entries, header, path, [&](std::string_view& line, Offset record) {
    return take_value(line, header.field, by_columns[static_cast<std::size_t>(record)]);
  });
  check_count(lines, header.entries, path);

  MultiVector<T, Host> x(ctx, header.rows, header.cols);
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
    sentences.push_back(fmt::format("{}:{}: the indices of this entry occurred before; {} in all {} summed", path,
                                    notes.first_duplicate_line, notes.duplicates,
                                    notes.duplicates == 1 ? "was" : "were"));
  }
  if (notes.upper_entries > 0) {
    sentences.push_back(
        fmt::format("{}:{}: this entry is above the diagonal, where a symmetric file holds the lower triangle; {} in "
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
