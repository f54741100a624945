#pragma once

#include <span>
#include <string_view>

/// What fuzzers feed with hostile bytes, each one way into the program. A target returns whether it took its input as
/// valid; to refuse it with an error meant for users is as good. Whatever else happens, a result that is wrong too,
/// throws std::logic_error.
namespace amgsolve::fuzz {

struct Target {
  std::string_view name;  ///< of its folder in tests/fuzz/corpus/
  bool (*takes)(std::string_view bytes);
};

/// A problem file; lines at its end that begin with "--set " are overrides of the command line.
bool configuration(std::string_view bytes);

/// A Matrix Market file, as a matrix and as vectors; compressed by gzip or xz where it begins so.
bool matrix_market(std::string_view bytes);

/// A NumPy file, a matrix of SciPy's, or one of PETSc, MATLAB 7.3 or our own as a matrix and as vectors.
bool binary_files(std::string_view bytes);

/// A mesh as text, assembled; or one as Gmsh's process may send it where the bytes begin with "gmsh".
bool meshes(std::string_view bytes);

/// Options, a CSR matrix, near-nullspace and right-hand sides through the public API.
bool system(std::string_view bytes);

/// Near-nullspace vectors, right-hand sides and initial guesses for a good matrix through the public API.
bool vectors(std::string_view bytes);

std::span<const Target> targets();

}  // namespace amgsolve::fuzz
