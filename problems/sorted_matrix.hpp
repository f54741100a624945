#pragma once

#include <string>
#include <vector>

#include "core/context.hpp"
#include "spmv/coo_matrix.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// Throws InputError "name: ..." where the row offsets of arrays as a file has them do not ascend from 0 to the
/// entries.
void require_row_offsets(Context<Host>& ctx, const CsrMatrix<double, Host>& A, const std::string& name);

/// The matrix of arrays as a file has them, whose row offsets are valid: rows are sorted by column where they are not,
/// and entries at one place summed, of which `warnings` receives a sentence.
/// @param name  what errors and warnings call the file
/// Throws InputError "name: ..." naming the first row that has a column outside the matrix. A pass over the columns
/// where rows are in order, else as coo_to_csr().
CsrMatrix<double, Host> sorted_matrix(Context<Host>& ctx, CsrMatrix<double, Host> A, const std::string& name,
                                      std::vector<std::string>& warnings);

/// The same of triplets: InputError "name: ..." names the entry.
CsrMatrix<double, Host> assembled_matrix(Context<Host>& ctx, const CooMatrix<double, Host>& A, const std::string& name,
                                         std::vector<std::string>& warnings);

}  // namespace amgsolve
