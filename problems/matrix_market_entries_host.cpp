#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"
#include "problems/line_error.hpp"
#include "problems/matrix_market_entries.hpp"
#include "problems/parse_number.hpp"
#include "problems/triplets.hpp"

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
      return format_text("a row index from 1 to {}", header.rows);
    case Expected::column:
      return format_text("a column index from 1 to {}", header.cols);
    case Expected::number:
      return "a number";
    case Expected::integer:
      return "an integer";
    case Expected::finite_number:
      return "a finite number";
    case Expected::number_in_range:
      return header.field == MatrixMarketField::integer
                 ? "an integer of 64 bits"
                 : format_text("a number of magnitude up to {:.4g}", std::numeric_limits<T>::max());
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

template <class I>
Expected take_index(std::string_view& line, std::int64_t size, Expected expected, I& index) {
  const std::string_view start = line;
  I one_based = 0;
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

/// The records of a block that are wrong.
struct BlockErrors {
  std::array<RecordError, WrongRecords::most_told> first{};
  Offset count = 0;

  std::size_t told() const { return std::min(static_cast<std::size_t>(count), first.size()); }
};

template <class T>
WrongRecords describe(const std::vector<BlockErrors>& blocks, const MatrixMarketHeader& header,
                      const std::string& path) {
  WrongRecords wrong;
  for (const BlockErrors& block : blocks) {
    wrong.count += block.count;
    for (const RecordError& error : std::span(block.first).first(block.told())) {
      if (wrong.first.size() < WrongRecords::most_told) {
        wrong.first.push_back(unexpected_at(path, error.line, expectation<T>(error.expected, header), error.token));
      }
    }
  }
  return wrong;
}

/// Calls take(line, i), which takes the numbers of record i of the lines off its line and says what it misses, for the
/// first `records` ones. Returns those that are wrong.
template <class T, class Take>
WrongRecords take_records(Context<Host>& ctx, const LineBlocks& lines, Offset records, const MatrixMarketHeader& header,
                          const std::string& path, Take&& take) {
  std::vector<BlockErrors> errors(lines.blocks.size());
  parallel_blocks(ctx, static_cast<std::int64_t>(lines.blocks.size()), [&](std::int64_t b) {
    const LineBlock& block = lines.blocks[static_cast<std::size_t>(b)];
    BlockErrors& of_block = errors[static_cast<std::size_t>(b)];
    std::string_view rest = block.text;
    Offset record = block.first_record - lines.first_record;
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
      if (of_block.told() < of_block.first.size()) {
        of_block.first[of_block.told()] = {expected, number, first_token(line)};
      }
      ++of_block.count;
    }
  });
  return describe<T>(errors, header, path);
}

template <class M>
using ValueOf = std::remove_reference_t<decltype(*M::values.data())>;

std::string format_entries(Offset n) { return format_text("{} {}", n, n == 1 ? "entry" : "entries"); }

/// "row column value", or without the value in a pattern.
template <class I, class T>
Expected take_triplet(std::string_view& line, const MatrixMarketHeader& header, I& row, I& column, T& value) {
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

}  // namespace

void refuse(const WrongRecords& wrong, const std::string& path) {
  if (wrong.count == 0) {
    return;
  }
  std::vector<std::string> lines = wrong.first;
  if (const Offset more = wrong.count - std::ssize(lines); more > 0) {
    lines.push_back(format_text("{}: and {} more", path, more));
  }
  throw InputError(format_text("{}", fmt::join(lines, "\n")));
}

void check_count(Offset records, Offset wanted, Offset line, const std::string& path) {
  if (records < wanted) {
    throw_at_line(path, line,
                  format_text("expected {}, as the size line says, found the end of the file after {}",
                              format_entries(wanted), records));
  }
  if (records > wanted) {
    throw_at_line(path, line,
                  format_text("expected the end of the file after {}, as the size line says, found {} more",
                              format_entries(wanted), records - wanted));
  }
}

template <class M>
CoordinateEntries<M> take_entries(Context<Host>& ctx, const LineBlocks& lines, Offset records,
                                  const MatrixMarketHeader& header, const std::string& path) {
  const bool general = header.symmetry == MatrixMarketSymmetry::general;
  CoordinateEntries<M> entries{
      .triplets = M(ctx, static_cast<decltype(M::rows)>(header.rows), static_cast<decltype(M::cols)>(header.cols),
                    general ? records : 2 * records),
      .of_file = records,
      .count = records};
  M& triplets = entries.triplets;
  entries.wrong =
      take_records<ValueOf<M>>(ctx, lines, records, header, path, [&](std::string_view& line, Offset record) {
        const auto e = static_cast<std::size_t>(record);
        return take_triplet(line, header, triplets.row_indices[e], triplets.col_indices[e], triplets.values[e]);
      });
  return entries;
}

template <class M>
UpperEntries mirror(Context<Host>& ctx, const LineBlocks& lines, const MatrixMarketHeader& header,
                    CoordinateEntries<M>& entries) {
  using T = ValueOf<M>;
  if (header.symmetry == MatrixMarketSymmetry::general) {
    return {};
  }
  const T sign = header.symmetry == MatrixMarketSymmetry::symmetric ? T{1} : T{-1};
  const MirroredEntries mirrored = mirror_lower_triangle(ctx, entries.triplets, entries.of_file, sign);
  entries.count = mirrored.entries;
  if (mirrored.upper_entries == 0) {
    return {};
  }
  return {mirrored.upper_entries, line_of_record(lines, lines.first_record + mirrored.first_upper_entry)};
}

template <class T>
WrongRecords take_values(Context<Host>& ctx, const LineBlocks& lines, const MatrixMarketHeader& header,
                         const std::string& path, Span<T, Host> values) {
  return take_records<T>(ctx, lines, static_cast<Offset>(values.size()), header, path,
                         [&](std::string_view& line, Offset record) {
                           return take_value(line, header.field, values[static_cast<std::size_t>(record)]);
                         });
}

#define AMGSOLVE_INSTANTIATE_ENTRIES(M)                                                                            \
  template CoordinateEntries<M> take_entries(Context<Host>&, const LineBlocks&, Offset, const MatrixMarketHeader&, \
                                             const std::string&);                                                  \
  template UpperEntries mirror(Context<Host>&, const LineBlocks&, const MatrixMarketHeader&, CoordinateEntries<M>&);
#define AMGSOLVE_INSTANTIATE(T, S)                                                                                 \
  template WrongRecords take_values(Context<S>&, const LineBlocks&, const MatrixMarketHeader&, const std::string&, \
                                    Span<T, S>);
using Floats = CooMatrix<float, Host>;
using Doubles = CooMatrix<double, Host>;
using GlobalDoubles = GlobalEntries<double, Host>;
AMGSOLVE_INSTANTIATE_ENTRIES(Floats)
AMGSOLVE_INSTANTIATE_ENTRIES(Doubles)
AMGSOLVE_INSTANTIATE_ENTRIES(GlobalDoubles)
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
