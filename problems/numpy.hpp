#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/context.hpp"
#include "problems/file_part.hpp"
#include "problems/rows_file.hpp"
#include "spmv/multi_vector.hpp"

/// NumPy's .npy files (Kern: A simple file format for NumPy arrays, NEP 1, 2007).
namespace amgsolve {

/// Whether bytes begin as the format does.
bool is_numpy(std::string_view bytes);

/// Vectors, one a column, of an array of one or two dimensions in C or Fortran order, of little-endian float64,
/// float32, integers of 1 to 8 bytes or bool in versions 1 to 3 of the format.
/// @param name  what errors call the file
/// Throws InputError "name: ..." for anything else, for more or fewer bytes than the shape says, and for values that
/// are NaN, infinite, too large for T or integers that no double is equal to; OutOfMemoryError. Reads each value once.
template <class T>
MultiVector<T, Host> parse_numpy(Context<Host>& ctx, std::string_view bytes, const std::string& name);

/// The rows of one of several readers, nothing of several vectors in Fortran order. Throws InputError. Reads their
/// bytes and the header.
template <class T>
FilePart<MultiVector<T, Host>> read_part_of_numpy(Context<Host>& ctx, const std::filesystem::path& path,
                                                  const PartReader& reader);

/// The file of vectors of which each rank has rows: format 1.0, shape (rows,) for one column, else (rows, columns) in C
/// order. Collective.
template <class T>
std::vector<RowsSection> numpy_file(Context<Host>& ctx, MultiVectorView<const T, Host> x);

}  // namespace amgsolve
