#include "problems/matrix_market_header.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "problems/binary_input.hpp"
#include "problems/foreign_formats.hpp"
#include "problems/line_error.hpp"
#include "problems/matrix_formats.hpp"
#include "problems/npz.hpp"
#include "problems/parse_number.hpp"

namespace amgsolve {
namespace {

constexpr std::string_view banner = "%%matrixmarket";

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

/// Whether a token is the word, which is in lower case.
bool is_word(std::string_view token, std::string_view word) {
  return std::ranges::equal(token, word,
                            [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

/// Every reader of files that may be in other formats, too, ends here where they are in none.
[[noreturn]] void refuse_format(std::string_view text, const std::string& path) {
  if (const std::string_view description = describe_foreign_format(text); !description.empty()) {
    refuse_file(path, description);
  }
  if (is_npz(text)) {
    refuse_file(path, "an archive, as numpy.savez writes it; write vectors by numpy.save");
  }
  const std::string_view token = first_token(skip_blanks(take_line(text)));
  std::string error = unexpected_at(path, 1, "'%%MatrixMarket'", token);
  if (!token.starts_with("%%")) {
    error += "; amgsolve reads Matrix Market, .npy, .npz, .amg and the files of MATLAB 7.3 and PETSc";
  }
  throw InputError(error);
}

/// Reads the header line by line and knows where it is.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& path, std::int64_t most_rows)
      : text_(without_mark(text)), path_(path), most_rows_(most_rows) {}

  MatrixMarketHeader parse() {
    read_banner();
    read_sizes();
    header_.lines = line_number_;
    header_.body = text_;
    return header_;
  }

 private:
  void read_banner() {
    if (text_.empty()) {
      throw_at_line(path_, 1, "expected '%%MatrixMarket matrix ...', found an empty file");
    }
    const std::string_view text = text_;
    next_line();
    if (!accept(banner)) {
      refuse_format(text, path_);
    }
    expect("matrix", "'matrix'");
    read_format();
    read_field();
    read_symmetry();
    expect_end_of_line();
  }

  void read_format() {
    if (accept("array")) {
      header_.format = MatrixMarketFormat::array;
    } else {
      expect("coordinate", "'coordinate' or 'array'");
    }
  }

  void read_field() {
    if (accept("complex")) {
      throw_at_line(path_, line_number_, "complex matrices are not supported yet");
    }
    if (accept("integer") || accept("unsigned-integer")) {  // as SciPy calls some
      header_.field = MatrixMarketField::integer;
    } else if (header_.format == MatrixMarketFormat::coordinate && accept("pattern")) {
      header_.field = MatrixMarketField::pattern;
    } else if (!accept("double")) {  // some programs' name for it
      expect("real", header_.format == MatrixMarketFormat::coordinate ? "'real', 'integer' or 'pattern'"
                                                                      : "'real' or 'integer'");
    }
  }

  void read_symmetry() {
    if (accept("symmetric")) {
      header_.symmetry = MatrixMarketSymmetry::symmetric;
    } else if (header_.field != MatrixMarketField::pattern && accept("skew-symmetric")) {
      header_.symmetry = MatrixMarketSymmetry::skew_symmetric;
    } else {
      expect("general", header_.field == MatrixMarketField::pattern ? "'general' or 'symmetric'"
                                                                    : "'general', 'symmetric' or 'skew-symmetric'");
    }
  }

  void read_sizes() {
    do {
      if (text_.empty()) {
        throw_at_line(path_, line_number_, "expected the size line, found the end of the file");
      }
      next_line();
    } while (!is_record(line_));
    const bool is_array = header_.format == MatrixMarketFormat::array;
    header_.rows = size("the number of rows", most_rows_);
    const std::string_view columns = line_;
    const std::int64_t most_columns = std::numeric_limits<std::int64_t>::max() / std::max(header_.rows, Offset{1});
    header_.cols = size("the number of columns", is_array ? std::min(most_rows_, most_columns) : most_rows_);
    if (header_.symmetry != MatrixMarketSymmetry::general && header_.rows != header_.cols) {
      throw_unexpected(path_, line_number_, format_text("{} columns, as many as rows, for symmetry", header_.rows),
                       first_token(skip_blanks(columns)));
    }
    header_.entries =
        is_array ? header_.rows * header_.cols : size("the number of entries", std::numeric_limits<Offset>::max());
    expect_end_of_line();
  }

  Offset size(std::string_view what, Offset largest) {
    const std::string_view token = first_token(skip_blanks(line_));
    Offset value = 0;
    if (take_number(line_, value) != NumberStatus::valid || value < 0 || value > largest) {
      throw_unexpected(path_, line_number_, format_text("{} from 0 to {}", what, largest), token);
    }
    return value;
  }

  void next_line() {
    line_ = skip_blanks(take_line(text_));
    ++line_number_;
  }

  /// Takes the next word off the line if it is `word` (in lower case).
  bool accept(std::string_view word) {
    const std::string_view token = first_token(line_);
    const bool same = is_word(token, word);
    if (same) {
      line_ = skip_blanks(line_.substr(token.size()));
    }
    return same;
  }

  void expect(std::string_view word, std::string_view expected) {
    if (!accept(word)) {
      throw_unexpected(path_, line_number_, expected, first_token(line_));
    }
  }

  void expect_end_of_line() {
    line_ = skip_blanks(line_);
    if (!line_.empty()) {
      throw_unexpected(path_, line_number_, "the end of the line", first_token(line_));
    }
  }

  std::string_view text_;
  const std::string& path_;
  std::int64_t most_rows_;
  std::string_view line_;
  Offset line_number_ = 0;
  MatrixMarketHeader header_;
};

}  // namespace

bool is_matrix_market(std::string_view text) { return is_word(without_mark(text).substr(0, banner.size()), banner); }

MatrixMarketHeader parse_matrix_market_header(std::string_view text, const std::string& path, std::int64_t most_rows) {
  return HeaderParser(text, path, most_rows).parse();
}

void refuse_empty_rows(const MatrixMarketHeader& header, const std::string& path) {
  if (header.format == MatrixMarketFormat::coordinate) {
    refuse_empty_rows(format_text("{}:{}", path, header.lines), header.rows, header.entries,
                      header.symmetry == MatrixMarketSymmetry::general ? 1 : 2);
  }
}

void refuse_empty_vectors(const MatrixMarketHeader& header, const std::string& path) {
  constexpr Offset few = 64;
  if (header.format == MatrixMarketFormat::coordinate && header.cols > std::max(header.entries, few)) {
    throw_at_line(path, header.lines,
                  format_text("{}, but only {}: write vectors of zeros as an array",
                              format_count(header.cols, "column"), format_count(header.entries, "nonzero")));
  }
}

}  // namespace amgsolve
