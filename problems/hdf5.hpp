#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/context.hpp"
#include "problems/matrix_formats.hpp"
#include "spmv/multi_vector.hpp"

/// MATLAB's files of version 7.3, which are HDF5: a sparse matrix is a group with the attribute MATLAB_sparse, its
/// rows, and the data sets jc, ir and data, column by column; what is dense is a data set whose dimensions are in
/// reverse. Dense data sets without MATLAB's attributes, as other programs write them, are taken as they are. Of
/// several at the top of the file the matrix called A is read, or the vectors called b. Nothing is read from other
/// files that one refers to.
namespace amgsolve {

MatrixFormat hdf5_format();

/// Whether the build reads them.
bool has_hdf5();

/// Whether bytes begin as HDF5 does, or behind as much as MATLAB has before it.
bool is_hdf5(std::string_view bytes);

/// Whether such a file holds dense data and no sparse matrix. Throws InputError where it cannot be opened.
bool is_hdf5_of_vectors(std::string_view bytes, const std::string& name);

/// The vectors, one a column, of a data set of one or two dimensions, of any real numbers.
/// @param name  what errors call the file
/// @param rows  how many there must be, which is checked before there is memory for them; absent: any number
/// Throws InputError "name: ..." where there is no such data set, or HDF5 cannot read it, for sizes that what is stored
/// is too small for, and for values that are NaN, infinite or too large for T; OutOfMemoryError.
template <class T>
MultiVector<T, Host> parse_hdf5_vectors(Context<Host>& ctx, std::string_view bytes, const std::string& name,
                                        std::optional<Index> rows = {});

}  // namespace amgsolve
