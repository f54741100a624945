#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/context.hpp"
#include "dist/distribute_entries.hpp"
#include "problems/structured_grid.hpp"
#include "problems/triplets.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/global_rows.hpp"

namespace amgsolve {

/// The rows of this rank, nearly as many as others have, cut between nodes of 2, 3, 4 or 6 unknowns and where sums have
/// their blocks (core/reduction.hpp) unless there are few.
RowRange shared_rows(const Communicator& ranks, std::int64_t rows);

/// These rows of a matrix that every rank has whole.
GlobalRows<double, Host> shared_rows_of(Context<Host>& ctx, const CsrMatrix<double, Host>& A);

/// The rows of this rank of the entries that it has got, `own` ones of a file before `images`, with the bits of all on
/// one rank.
/// @param duplicates  see assemble()
/// Throws InputError where they have entries in 2³¹ columns or more.
GlobalRows<double, Host> assemble_rows(Context<Host>& ctx, const Partition& partition, OwnEntries<double> own,
                                       OwnEntries<double> images, DuplicateEntries& duplicates);

/// Bytes that each of several ranks takes at most in read_shared_matrix().
/// @param ctx    of one rank, with as many threads as each of them
/// @param alone  bytes that one takes to read the whole file (MatrixFile::bytes_to_read())
/// @param rows   of the matrix, as `nnz`
/// Throws what is wrong with the beginning of the file.
double bytes_to_read_shared(Context<Host>& ctx, const std::filesystem::path& path, double alone, double rows,
                            double nnz, int ranks);

/// This rank's rows, shared_rows(), of the matrix in a file, with the columns of the whole one, and the bits that
/// read_matrix() gives it. Collective.
///
/// A plain Matrix Market file is read by all ranks together: each parses the lines that begin in its part of the bytes,
/// and sends the entries to the owners of their rows. Of a file whose format has read_part(), with its rows in order,
/// each keeps its rows alone. Any other file every rank reads whole.
/// @param warnings        receives on every rank what read_matrix() warns of
/// @param bytes_expected  receives what bytes_to_read_shared() is
/// Phases: "read" > "load", "parse", "distribute", "sort". Throws on all ranks alike what read_matrix() throws, and
/// InputError where the matrix is not square, or the file is a pipe.
GlobalRows<double, Host> read_shared_matrix(Context<Host>& ctx, const std::filesystem::path& path,
                                            std::vector<std::string>& warnings, double& bytes_expected);

}  // namespace amgsolve
