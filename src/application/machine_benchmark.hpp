#pragma once

#include <string>

#include "amg/machine_figures.hpp"
#include "core/types.hpp"
#include "src/library/configuration.hpp"

/// What a machine can do: the command `amgsolve bench`.
namespace amgsolve {

struct BenchmarkSizes {
  Index copied_values = uncached_values;
  Index grid = 101;  ///< unknowns in each direction of a cube
};

/// Measures, and returns the JSON of what came out: the best of several copies of a vector, multiplications and
/// additions in registers, products with the matrix of Poisson's equation on the cube, 7-point, and setups and solves
/// of that with default options.
/// @param threads  of the host; 0: as many as cores
/// Throws DeviceError, OutOfMemoryError.
std::string machine_figures(Backend backend, int threads, const BenchmarkSizes& sizes = {});

/// A line for the machine of such a JSON, and below it one for each of a JSON array of them, the quickest first.
std::string machine_table(const std::string& measured, const std::string& recorded);

}  // namespace amgsolve
