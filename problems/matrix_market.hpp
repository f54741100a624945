#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/context.hpp"
#include "problems/matrix_formats.hpp"
#include "problems/rows_file.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

/// Matrix Market files (Boisvert, Pozo, Remington: The Matrix Market Exchange Formats, NISTIR 5935, 1996).
///
/// Read: matrices and vectors, coordinate and array; real, integer and pattern (the value is 1); general, symmetric and
/// skew-symmetric; plain or compressed by gzip or xz. Comments and blank lines may stand anywhere after the banner.
/// Complex matrices are not supported yet.
namespace amgsolve {

/// What is not wrong in a file, but unusual enough to tell.
struct MatrixMarketNotes {
  Offset duplicates = 0;            ///< entries that occurred before and were added to the first
  Offset first_duplicate_line = 0;  ///< where the first of them stands
  Offset upper_entries = 0;         ///< above the diagonal of a symmetric file, which should hold the lower triangle
  Offset first_upper_line = 0;      ///< where the first of them stands
};

/// The notes as sentences, "path:line: ..."; empty where there is nothing to tell.
std::vector<std::string> describe(const MatrixMarketNotes& notes, const std::string& path);

/// For read_matrix(): the file of a matrix to solve with, so that one with more rows than entries is refused before
/// there is memory for them.
MatrixFormat matrix_market_format();

/// The matrix of a coordinate file, both triangles of a symmetric one. Entries with the same indices are summed;
/// explicit zeros stay. Values outside the range of T are errors, not infinities.
/// @param notes  may be null
/// Throws InputError "path:line: expected ..., found ..." for mistakes in the file, whatever the threads: for the first
/// in the header or the count of entries, a line each for the first ten entries that are wrong;
/// OutOfMemoryError. Holds the text and the triplets beside the result; O(bytes of text).
template <class T>
CsrMatrix<T, Host> read_matrix_market(Context<Host>& ctx, const std::filesystem::path& path,
                                      MatrixMarketNotes* notes = nullptr);

/// The same for a text in memory; errors call it `name`.
template <class T>
CsrMatrix<T, Host> parse_matrix_market(Context<Host>& ctx, std::string_view text, const std::string& name,
                                       MatrixMarketNotes* notes = nullptr);

/// Vectors, one a column, of an array file (which is column-major) or a coordinate file (what it does not name is 0),
/// of which many have an entry each at least, on average.
/// @param rows  how many they must have, which is known before there is memory for them; absent: any number
template <class T>
MultiVector<T, Host> parse_vectors(Context<Host>& ctx, std::string_view text, const std::string& name,
                                   MatrixMarketNotes* notes = nullptr, std::optional<Index> rows = {});

/// Write a matrix that one rank has as "coordinate real general", with the fewest digits that read back as the same
/// bits. The file appears when it is complete; throws OutputError (core/output_file.hpp).
template <class T>
void write_matrix_market(Context<Host>& ctx, const std::filesystem::path& path, const CsrMatrix<T, Host>& A);

/// The file of vectors of which each rank has rows, as "array real general" with such digits. Collective.
template <class T>
std::vector<RowsSection> matrix_market_file(Context<Host>& ctx, MultiVectorView<const T, Host> x);

}  // namespace amgsolve
