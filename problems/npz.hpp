#pragma once

#include <string_view>

#include "problems/matrix_formats.hpp"

namespace amgsolve {

/// Sparse matrices as scipy.sparse.save_npz() writes them: a zip archive, deflated or stored, of NumPy arrays called
/// format, shape, data and indices, indptr (csr, csc) or row, col (coo). Indices are int32 or int64, values float64,
/// float32, int64, int32, int8 or bool.
MatrixFormat npz_format();

/// Whether bytes begin as a zip archive does.
bool is_npz(std::string_view bytes);

}  // namespace amgsolve
