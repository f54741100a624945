#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/context.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// Vectors of a file, one a column: Matrix Market, NumPy or PETSc binary, plain or compressed.
/// @param warnings  receives sentences about what is not wrong but should be known; may be null
/// @param rows      how many they must have, which is checked before there is memory for them; absent: any number
/// Phases: "read" > "load", "parse". Throws InputError, OutOfMemoryError.
template <class T>
MultiVector<T, Host> read_vectors(Context<Host>& ctx, const std::filesystem::path& path,
                                  std::vector<std::string>* warnings = nullptr, std::optional<Index> rows = {});

/// Throws InputError "name: vectors of ... for a matrix of ..." where there are other rows than are wanted.
void require_rows(const std::string& name, Index rows, std::optional<Index> wanted);

}  // namespace amgsolve
