#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/context.hpp"
#include "problems/mesh_problem.hpp"
#include "problems/solution_writer.hpp"
#include "spmv/multi_vector.hpp"
#include "src/application/job_configuration.hpp"

namespace amgsolve {

/// The file that a job writes its solution to, if any: vectors, or a picture of them on a grid, a mesh or points.
class SolutionFile {
 public:
  /// @param configuration  and the ranks outlive it
  SolutionFile(const JobConfiguration& configuration, const Communicator& ranks)
      : configuration_(&configuration), ranks_(&ranks) {}

  bool is_wanted() const { return !path().empty(); }

  /// Whether it is to be looked at.
  bool has_picture() const;

  /// Whether its rows have another order than the solution's, so that every rank has to have them all.
  bool is_reordered(const MeshProblem* mesh) const;

  /// Reads where the unknowns are, before the work begins; nothing where they have no points of their own. Collective.
  /// Throws InputError naming the file where they cannot be there.
  /// @param rows         of all ranks
  /// @param coordinates  of the nodes, where they have been read already; else of 0 rows
  template <MemorySpace S>
  void read_points(Context<S>& ctx, Context<Host>& host, std::int64_t rows, const MultiVector<double, S>& coordinates);

  /// Collective. Throws OutputError, and leaves nothing of the file where it cannot be whole.
  /// @param x           this rank's rows, or all of them where they are reordered
  /// @param rows        of this rank
  /// @param mesh        that the matrix was assembled on; may be null
  /// @param aggregates  of the nodes of each level
  template <MemorySpace S>
  Writers write(Context<S>& ctx, Context<Host>& host, const MultiVector<double, S>& x, RowRange rows,
                const MeshProblem* mesh, const std::vector<std::vector<Index>>& aggregates) const;

 private:
  const std::filesystem::path& path() const { return configuration_->output.solution; }
  Writers write_from_host(Context<Host>& host, const MultiVector<double, Host>& x, RowRange rows,
                          const MeshProblem* mesh, const std::vector<std::vector<Index>>& aggregates) const;

  const JobConfiguration* configuration_;
  const Communicator* ranks_;
  MultiVector<double, Host> points_;
};

}  // namespace amgsolve
