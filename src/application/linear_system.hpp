#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "amg/memory_forecast.hpp"
#include "core/context.hpp"
#include "problems/matrix_formats.hpp"
#include "problems/solution_writer.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/global_rows.hpp"
#include "spmv/multi_vector.hpp"
#include "src/application/job_configuration.hpp"

namespace amgsolve {

/// What a job solves: A x = b, or what one of several ranks has of it.
template <MemorySpace S>
struct LinearSystem {
  RowRange rows;                          ///< this rank's, of the matrix and of b and x
  CsrMatrix<double, S> A;                 ///< of one rank
  RankRows<double, S> strip;              ///< of several: the rows of A that this one has
  MultiVector<double, S> near_nullspace;  ///< of 0 rows: no file has any
  MultiVector<double, S> coordinates;     ///< of all nodes; of 0 rows: the near-nullspace is not that of a body
  MultiVector<double, S> b;
  MultiVector<double, S> x;                   ///< the initial guess
  std::shared_ptr<const MeshProblem> mesh{};  ///< that the matrix was assembled on; null: none
};

/// Where a job's matrix comes from, which knows its size before there is memory for it.
class MatrixSource {
 public:
  /// Loads the text of the file, where it is one and not for several ranks, who look into it when they read it, and
  /// looks how it begins. A mesh every rank reads whole. Throws InputError, OutOfMemoryError, and ConfigurationError
  /// where the mesh does not have what the configuration says of it. Collective.
  MatrixSource(Context<Host>& host, const ProblemConfiguration& problem);

  bool is_file() const { return !problem_->matrix.empty(); }

  /// Of the system. What files bring is not known yet: as many right-hand sides as the configuration says, the
  /// rigid-body modes of a body, and a symmetric matrix. Of a file for several ranks nothing is known until it is read.
  /// @param block_size  unknowns a node, where they are known
  SystemSize size(std::optional<Index> block_size) const;

  /// The same with what the matrix itself tells. Throws InputError where it is one that no method is for.
  SystemSize size_of(Context<Host>& host, const CsrMatrix<double, Host>& A, const AmgOptions& amg) const;

  /// Null where the matrix does not come from a mesh.
  const std::shared_ptr<const MeshProblem>& mesh() const { return mesh_; }

  /// Throws OutOfMemoryError where there is less memory than a file takes to be read.
  void require_memory(Context<Host>& host) const;

  /// The matrix of the file, whose text is let go, or of the mesh.
  CsrMatrix<double, Host> read(Context<Host>& host, std::vector<std::string>& warnings);

  /// Of several ranks the rows of this one (read_shared_matrix()).
  GlobalRows<double, Host> read_own_rows(Context<Host>& host, std::vector<std::string>& warnings);

 private:
  const ProblemConfiguration* problem_;
  std::shared_ptr<const MeshProblem> mesh_;
  std::optional<MatrixFile> file_;
  MatrixSize size_of_file_{};
  std::int64_t rows_of_file_ = 0;  ///< of all ranks
  double bytes_to_read_ = 0.0;
};

/// Reads or generates the system. What is generated is made where it stays; files are read on the host and copied. Of
/// several ranks each has its rows; vectors every one reads whole, and keeps its own. Collective.
/// @param host      reads files; `ctx` itself on the host
/// @param source    of the problem
/// @param warnings  receives what is not wrong but should be known
/// @param solves    whether b and the initial guess are wanted; else they have no rows, and no file of theirs is read
/// Phases: "generate", "read". Throws InputError where a file is not valid or vectors do not fit the matrix,
/// OutOfMemoryError.
template <MemorySpace S>
LinearSystem<S> load_system(Context<S>& ctx, Context<Host>& host, const ProblemConfiguration& problem,
                            MatrixSource& source, std::vector<std::string>& warnings, bool solves = true);

/// One line for people: "poisson, fd 7-point, 64 x 64 x 64, dirichlet", or the matrix file's name.
std::string describe(const ProblemConfiguration& problem);

/// Where b comes from: "ones", or the file's name.
std::string describe_right_hand_side(const ProblemConfiguration& problem);

/// "5 nodes, 4 triangles, groups left, right"
std::string describe(const Mesh& mesh);

/// The grid of the unknowns; nothing for a matrix from a file or a mesh.
std::optional<ImageGeometry> image_of(const ProblemConfiguration& problem);

/// Whether b comes from a solution that is known.
bool has_known_solution(const ProblemConfiguration& problem);

}  // namespace amgsolve
