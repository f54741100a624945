#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/context.hpp"
#include "problems/file_part.hpp"
#include "problems/text_file.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// Vectors of a file, one a column: Matrix Market, NumPy, PETSc binary, MATLAB 7.3 or .amg, plain or compressed.
/// @param warnings  receives sentences about what is not wrong but should be known; may be null
/// @param rows      how many they must have, which is checked before there is memory for them; absent: any number
/// Phases: "read" > "load", "parse". Throws InputError, OutOfMemoryError.
template <class T>
MultiVector<T, Host> read_vectors(Context<Host>& ctx, const std::filesystem::path& path,
                                  std::vector<std::string>* warnings = nullptr, std::optional<Index> rows = {});

/// The same of a file that is in memory. Phase: "parse".
template <class T>
MultiVector<T, Host> parse_vector_file(Context<Host>& ctx, const TextFile& file,
                                       std::vector<std::string>* warnings = nullptr, std::optional<Index> rows = {});

/// The rows of one of several readers, of a plain file of NumPy's, PETSc's or our own; nothing of others. Throws
/// InputError, in its own words.
template <class T>
FilePart<MultiVector<T, Host>> read_part_of_vectors(Context<Host>& ctx, const std::filesystem::path& path,
                                                    const PartReader& reader);

/// Whether a file begins as one does that holds no matrix but vectors. A Matrix Market file of coordinates may be read
/// as either: one column of several rows is a vector here. Throws InputError for mistakes in the header of one.
bool holds_vectors(const TextFile& file);

/// Throws InputError "name: vectors of ... for a matrix of ..." where there are other rows than are wanted.
void require_rows(const std::string& name, std::int64_t rows, std::optional<std::int64_t> wanted);

}  // namespace amgsolve
