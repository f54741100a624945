#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/context.hpp"
#include "problems/file_part.hpp"
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
/// where rows are in order, else as sort_rows(), and as coo_to_csr() where entries are at one place.
CsrMatrix<double, Host> sorted_matrix(Context<Host>& ctx, CsrMatrix<double, Host> A, const std::string& name,
                                      std::vector<std::string>& warnings);

/// A matrix that a file has row by row. Each function fills a buffer with an array's elements from `first` on.
struct StoredRows {
  std::int64_t rows;
  std::int64_t cols;
  Offset entries;
  std::function<void(std::int64_t first, Buffer<Offset, Host>& to)> row_offsets;
  std::function<void(Offset first, Buffer<std::int64_t, Host>& to)> col_indices;
  std::function<void(Offset first, Buffer<double, Host>& to)> values;
};

/// Some of its rows, looked at alone; nothing where they are not in order: row offsets that do not fit to each other or
/// to the entries, columns outside the matrix, not ascending or repeated. O(entries of the rows).
std::optional<MatrixPart> rows_in_order(Context<Host>& ctx, const StoredRows& file, RowRange rows);

/// The same as sorted_matrix() of triplets: InputError "name: ..." names the entry.
CsrMatrix<double, Host> assembled_matrix(Context<Host>& ctx, const CooMatrix<double, Host>& A, const std::string& name,
                                         std::vector<std::string>& warnings);

/// Throws InputError "name: ..." naming the first entry that is NaN or infinite, which no solver takes. One pass.
void require_finite_entries(Context<Host>& ctx, const CsrMatrix<double, Host>& A, const std::string& name);

}  // namespace amgsolve
