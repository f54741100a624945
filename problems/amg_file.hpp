#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/context.hpp"
#include "problems/file_part.hpp"
#include "problems/matrix_formats.hpp"
#include "problems/rows_file.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

/// Files of our own, .amg: a matrix in CSR or vectors as they lie in memory, behind a header with a checksum. For what
/// is read again and again: read at the speed of memory. docs/formats.md has the layout for other programs.
namespace amgsolve {

/// Files with a matrix.
MatrixFormat amg_file_format();

/// Whether the bytes of such a file are those of vectors.
bool is_amg_file_of_vectors(std::string_view bytes);

/// The vectors of such a file.
/// @param name  what errors call the file
/// @param rows  how many they must have, which is checked before there is memory for them; absent: any number
/// Throws InputError "name: ..." for a file that ends early or holds a matrix, for bytes that are not those that were
/// written, and for values that are NaN, infinite or too large for T; OutOfMemoryError.
template <class T>
MultiVector<T, Host> parse_amg_file_vectors(Context<Host>& ctx, std::string_view bytes, const std::string& name,
                                            std::optional<Index> rows = {});

/// Those of one of several readers. Throws InputError.
template <class T>
FilePart<MultiVector<T, Host>> read_part_of_amg_file_vectors(Context<Host>& ctx, const std::filesystem::path& path,
                                                             const PartReader& reader);

/// Write a matrix that one rank has, with row offsets of 32 bits where these suffice. The file appears when it is
/// complete; throws OutputError (core/output_file.hpp).
template <class T>
void write_amg_file(Context<Host>& ctx, const std::filesystem::path& path, const CsrMatrix<T, Host>& A);

/// The file of vectors of which each rank has rows, all together any number. Throws std::invalid_argument where those
/// of a rank would begin within one of the 8-byte words that the checksum sums up: after an odd number of floats.
/// Collective.
template <class T>
std::vector<RowsSection> amg_file_of_vectors(Context<Host>& ctx, MultiVectorView<const T, Host> x);

}  // namespace amgsolve
