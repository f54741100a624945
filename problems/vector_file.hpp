#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/context.hpp"
#include "spmv/fat_vector.hpp"

namespace amgsolve {

/// Vectors of a file, one a column: Matrix Market or NumPy, plain or compressed.
/// @param warnings  receives sentences about what is not wrong but should be known; may be null
/// Phases: "read" > "load", "parse". Throws InputError, OutOfMemoryError.
template <class T>
FatVector<T, Host> read_vectors(Context<Host>& ctx, const std::filesystem::path& path,
                                std::vector<std::string>* warnings = nullptr);

}  // namespace amgsolve
