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
GlobalRows<double, Host> assemble_rows(Context<Host>& ctx, const Partition& partition, const OwnEntries<double>& own,
                                       OwnEntries<double> images, DuplicateEntries& duplicates);

/// Whether read_shared_matrix() reads the file in parts. Throws what is wrong with its beginning.
bool is_read_in_parts(Context<Host>& ctx, const std::filesystem::path& path);

/// Bytes that a rank takes at most in read_shared_matrix(), where one alone takes `reading` for a matrix of `matrix`
/// bytes. With parts, these are sent and received: measured on a grid of 60³.
inline double reading_of_rank(double reading, double matrix, bool in_parts, int ranks) {
  return in_parts ? 1.5 * reading / ranks : reading + matrix / ranks;
}

/// This rank's rows, shared_rows(), of the matrix in a file, with the columns of the whole one, and the bits that
/// read_matrix() gives it. Collective.
///
/// A plain Matrix Market file is read by all ranks together: each parses the lines that begin in its part of the bytes,
/// and sends the entries to the owners of their rows. Of a file whose format has read_part(), with its rows in order,
/// each keeps its rows alone. Any other file every rank reads whole.
/// @param warnings  receives on every rank what read_matrix() warns of
/// Phases: "read" > "load", "parse", "distribute", "sort". Throws on all ranks alike what read_matrix() throws, and
/// InputError where the matrix is not square, or the file is a pipe.
GlobalRows<double, Host> read_shared_matrix(Context<Host>& ctx, const std::filesystem::path& path,
                                            std::vector<std::string>& warnings);

}  // namespace amgsolve
