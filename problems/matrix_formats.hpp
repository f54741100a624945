#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

/// The formats of files that hold a matrix. docs/extending.md adds one.
namespace amgsolve {

struct MatrixFormat {
  std::string_view name;  ///< for people

  /// Whether the text, the bytes of a whole file after decompression, is in this format: a look at how it begins.
  bool (*recognises)(std::string_view text);

  /// The matrix. Throws InputError "path:line: expected ..., found ..." for the first mistake.
  /// @param path      what errors and warnings call the text
  /// @param warnings  receives sentences about what is not wrong but should be known
  CsrMatrix<double, Host> (*parse)(Context<Host>& ctx, std::string_view text, const std::string& path,
                                   std::vector<std::string>& warnings);
};

/// Those that read_matrix() knows.
std::span<const MatrixFormat> matrix_formats();

/// The matrix of a file, plain or compressed, in the first format that recognises its text. Where none does, the error
/// is that of the first format: it says what a file should begin with.
/// Phases: "read" > "load" and the format's own. Throws InputError, OutOfMemoryError.
CsrMatrix<double, Host> read_matrix(Context<Host>& ctx, const std::filesystem::path& path,
                                    std::vector<std::string>& warnings,
                                    std::span<const MatrixFormat> formats = matrix_formats());

}  // namespace amgsolve
