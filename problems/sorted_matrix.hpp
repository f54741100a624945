#pragma once

#include <string>
#include <vector>

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// The matrix of arrays as a file has them, whose row offsets are valid: rows are sorted by column where they are not,
/// and entries at one place summed, of which `warnings` receives a sentence.
/// @param name  what errors and warnings call the file
/// Throws InputError "name: ..." naming the first row that has a column outside the matrix. A pass over the columns
/// where rows are in order, else as coo_to_csr().
CsrMatrix<double, Host> sorted_matrix(Context<Host>& ctx, CsrMatrix<double, Host> A, const std::string& name,
                                      std::vector<std::string>& warnings);

}  // namespace amgsolve
