#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/context.hpp"
#include "problems/file_part.hpp"
#include "problems/matrix_formats.hpp"
#include "spmv/multi_vector.hpp"

/// PETSc's binary files, as MatView() and VecView() write them: sparse matrices (AIJ) and vectors one after the other,
/// numbers big-endian, sizes and indices of 32 or 64 bits, values real, in double (PETSc manual pages MatLoad,
/// VecLoad).
namespace amgsolve {

/// The first matrix of such a file.
MatrixFormat petsc_format();

/// Whether bytes begin as a matrix or a vector does.
bool is_petsc(std::string_view bytes);

/// Whether they begin as a vector does.
bool is_petsc_vector(std::string_view bytes);

/// The first vector of such a file, which may stand behind matrices.
/// @param name  what errors call the file
/// @param rows  how many it must have, which is checked before there is memory for it; absent: any number
/// Throws InputError "name: ..." where there is none, or the file ends early, and for values that are NaN, infinite or
/// too large for T; OutOfMemoryError.
template <class T>
MultiVector<T, Host> parse_petsc_vector(Context<Host>& ctx, std::string_view bytes, const std::string& name,
                                        std::optional<Index> rows = {});

/// The rows of one of several readers of a plain file.
template <class T>
FilePart<MultiVector<T, Host>> read_part_of_petsc_vector(Context<Host>& ctx, const std::filesystem::path& path,
                                                         const PartReader& reader);

}  // namespace amgsolve
