#pragma once

#include <string>
#include <vector>

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/global_rows.hpp"

namespace amgsolve {

/// Warns where a square matrix of a file has entries on one side of its diagonal alone, its columns ascending in each
/// row: one triangle of a symmetric matrix, most often, whose file does not say so. O(rows).
/// @param name  what the warning calls the file
void warn_of_lone_triangle(Context<Host>& ctx, const CsrMatrix<double, Host>& A, const std::string& name,
                           std::vector<std::string>& warnings);

/// The same of a square matrix of which every rank has the rows from `first_row` on; all of them warn. Collective.
void warn_of_lone_triangle(Context<Host>& ctx, const GlobalRows<double, Host>& own, std::int64_t first_row,
                           const std::string& name, std::vector<std::string>& warnings);

}  // namespace amgsolve
