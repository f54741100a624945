#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/context.hpp"
#include "problems/file_part.hpp"
#include "problems/text_file.hpp"
#include "spmv/csr_matrix.hpp"

/// The formats of files that hold a matrix. docs/extending.md adds one.
namespace amgsolve {

/// What the beginning of a file tells of its matrix.
struct MatrixSize {
  Index rows = 0;
  Offset nnz = 0;          ///< at most, of a matrix with all of its diagonal
  double scratch = 0.0;    ///< bytes that reading takes at most beside the matrix and the text
  bool is_sorted = false;  ///< by rows from entries in any order, in which each thread counts all rows
};

/// Of entries as triplets.
constexpr double triplet_bytes(Offset nnz) { return (2.0 * sizeof(Index) + sizeof(double)) * static_cast<double>(nnz); }

/// As many rows may be without an entry, as a prolongator's can, whatever the entries are.
inline constexpr std::int64_t few_rows = 1'000'000;

/// Refuses a matrix with more rows than few_rows and than entries before there is memory for them: the row offsets
/// alone of a size that lies could take all. For files in which rows without any entry take no bytes. Throws InputError
/// "where: ...".
/// @param rows_an_entry  that it is in at most: 2 where it stands for its mirror image, too
void refuse_empty_rows(const std::string& where, std::int64_t rows, Offset entries, std::int64_t rows_an_entry = 1);

struct MatrixFormat {
  std::string_view name;  ///< for people

  /// Whether the text, the bytes of a whole file after decompression, is in this format: a look at how it begins.
  bool (*recognises)(std::string_view text);

  /// The size of the matrix, from the first lines of the text. Throws as parse() does for mistakes there. Null where
  /// they do not tell.
  MatrixSize (*size)(std::string_view text, const std::string& path) = nullptr;

  /// The matrix. Throws InputError "path:line: expected ..., found ..." for the first mistake.
  /// @param path      what errors and warnings call the text
  /// @param warnings  receives sentences about what is not wrong but should be known
  CsrMatrix<double, Host> (*parse)(Context<Host>& ctx, std::string_view text, const std::string& path,
                                   std::vector<std::string>& warnings);

  /// The rows of one of several readers of a plain file; nothing where rows are not stored one after the other, each in
  /// order. Throws InputError, in its own words. Null where every reader has to read all of it.
  FilePart<MatrixPart> (*read_part)(Context<Host>& ctx, const std::filesystem::path& path,
                                    const PartReader& reader) = nullptr;
};

/// Those that read_matrix() knows.
std::span<const MatrixFormat> matrix_formats();

/// The first of them that recognises the text; where none does, the first: its errors say what a file should begin
/// with.
const MatrixFormat& format_of(std::string_view text, std::span<const MatrixFormat> formats = matrix_formats());

/// The file of a matrix, plain or compressed, in the format_of() its text.
class MatrixFile {
 public:
  /// Loads the text. Phases: "read" > "load". Throws InputError, OutOfMemoryError.
  MatrixFile(Context<Host>& ctx, const std::filesystem::path& path,
             std::span<const MatrixFormat> formats = matrix_formats());

  const TextFile& file() const { return file_; }

  /// See MatrixFormat. Phases of parse(): "read" > the format's own.
  MatrixSize size() const {
    return format_->size != nullptr ? format_->size(file_.text(), file_.path()) : MatrixSize{};
  }
  CsrMatrix<double, Host> parse(Context<Host>& ctx, std::vector<std::string>& warnings) const;

  /// Bytes that parse() takes at most beside the text, with the matrix.
  double bytes_beside_text(int threads) const;
  /// Bytes that it takes at most to read the file; it may have been more to decompress the text.
  /// @param ctx  that has loaded it, and nothing large before
  double bytes_to_read(Context<Host>& ctx) const;

 private:
  TextFile file_;
  const MatrixFormat* format_;
};

/// The matrix of a file. Throws InputError, OutOfMemoryError.
CsrMatrix<double, Host> read_matrix(Context<Host>& ctx, const std::filesystem::path& path,
                                    std::vector<std::string>& warnings,
                                    std::span<const MatrixFormat> formats = matrix_formats());

}  // namespace amgsolve
