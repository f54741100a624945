#pragma once

#include <filesystem>
#include <optional>

#include "core/context.hpp"
#include "dist/partition.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// This rank's rows of the vectors in a file, with the bits that read_vectors() gives them, where every rank reads a
/// part of its bytes; nothing on all ranks where the file is to be read whole. Collective.
///
/// Of a plain array file of Matrix Market each parses the lines that begin in its part, and sends the numbers to the
/// owners of their rows; of NumPy's files and our own each reads its rows.
/// @param partition  of the rows, as many as the vectors must have
/// Phases: "load", "parse", "distribute". Throws on all ranks alike what read_vectors() throws.
std::optional<MultiVector<double, Host>> read_shared_vectors(Context<Host>& ctx, const std::filesystem::path& path,
                                                             const Partition& partition);

}  // namespace amgsolve
