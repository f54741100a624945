#include <algorithm>
#include <iterator>

#include "core/format.hpp"
#include "problems/line_error.hpp"
#include "problems/matrix_market.hpp"
#include "problems/matrix_market_header.hpp"

namespace amgsolve {
namespace {

MatrixSize matrix_market_size(std::string_view text, const std::string& path) {
  const MatrixMarketHeader header = parse_matrix_market_header(text, path);
  refuse_empty_rows(header, path);
  // A line has two characters at least, whatever the size line says.
  const auto most_entries = static_cast<Offset>(text.size() / 2);
  if (header.rows > std::max(most_entries, few_rows)) {
    throw_at_line(path, header.lines,
                  format_text("{} rows and {} entries, which a file of {} does not hold", header.rows, header.entries,
                              format_count(std::ssize(text), "byte")));
  }
  const Offset entries = std::min(header.entries, most_entries);
  const bool is_mirrored = header.symmetry != MatrixMarketSymmetry::general;
  const Offset nnz = is_mirrored ? std::max(entries, 2 * entries - header.rows) : entries;
  // Room for a mirror image of each entry, and the lengths of rows without duplicates.
  const double scratch =
      triplet_bytes(is_mirrored ? 2 * entries : entries) + sizeof(Offset) * static_cast<double>(header.rows);
  return {.rows = static_cast<Index>(header.rows), .nnz = nnz, .scratch = scratch, .is_sorted = true};
}

CsrMatrix<double, Host> parse_matrix_market(Context<Host>& ctx, std::string_view text, const std::string& path,
                                            std::vector<std::string>& warnings) {
  matrix_market_size(text, path);
  MatrixMarketNotes notes;
  CsrMatrix<double, Host> A = parse_matrix_market<double>(ctx, text, path, &notes);
  std::ranges::move(describe(notes, path), std::back_inserter(warnings));
  return A;
}

}  // namespace

MatrixFormat matrix_market_format() {
  return {.name = "Matrix Market",
          .recognises = is_matrix_market,
          .size = matrix_market_size,
          .parse = parse_matrix_market};
}

}  // namespace amgsolve
