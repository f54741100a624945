#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/types.hpp"

namespace amgsolve {

enum class MatrixMarketFormat { coordinate, array };
enum class MatrixMarketField { real, integer, pattern };
enum class MatrixMarketSymmetry { general, symmetric, skew_symmetric };

/// What a Matrix Market file says before its entries: the banner, comments, the size line.
struct MatrixMarketHeader {
  MatrixMarketFormat format = MatrixMarketFormat::coordinate;
  MatrixMarketField field = MatrixMarketField::real;
  MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Offset entries = 0;     ///< that follow: what the size line says, or rows · cols of an array
  Offset lines = 0;       ///< up to the size line
  std::string_view body;  ///< the text after the size line
};

/// What several readers count rows and columns up to, of which each has some.
inline constexpr std::int64_t most_shared_rows = std::int64_t{1} << 56;

/// Whether a text begins as such a file does, which may have UTF-8's mark of the byte order before.
bool is_matrix_market(std::string_view text);

/// Throws InputError "path:line: expected …, found …", and for a text that begins as none what might be done about it,
/// since it is in no format that is known. Words are compared without regard to case.
/// @param most_rows  that there may be, and columns; of an array as many of these as 64 bits count entries of
MatrixMarketHeader parse_matrix_market_header(std::string_view text, const std::string& path,
                                              std::int64_t most_rows = max_index);

/// Refuses a matrix with many rows, and more of them than entries, as refuse_empty_rows() of
/// problems/matrix_formats.hpp. Throws InputError "path:line: ...".
void refuse_empty_rows(const MatrixMarketHeader& header, const std::string& path);

/// Refuses a file of coordinates with many vectors, and more of them than entries, likewise.
void refuse_empty_vectors(const MatrixMarketHeader& header, const std::string& path);

}  // namespace amgsolve
