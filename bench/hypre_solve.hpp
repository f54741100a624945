#pragma once

#include <cstdint>

#include "bench/peer_result.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/global_rows.hpp"

/// hypre's BoomerAMG under its conjugate gradients, with its defaults, beside our solver. Debian builds hypre for MPI
/// without threads, so it takes as many cores as the benchmark has ranks: `mpirun --bind-to none -np 2 bench_solve
/// --peer hypre`, since a rank that is bound to a core would leave ours no other.
namespace amgsolve::bench {

/// The ranks of this run, with hypre at work. One, and nothing to do, where hypre was not found when this was built.
class Ranks {
 public:
  /// Begins MPI, and ends it, where nobody has begun it before.
  Ranks(int* argc, char*** argv);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  static bool have_hypre();
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Until every rank is here; those that wait sleep, and leave their cores to the one at work.
  void wait_for_all() const;

 private:
  bool has_begun_mpi_ = false;
  int rank_ = 0;
  int size_ = 1;
};

/// Solve A x = 1 from zero; every rank has all of A and hands its share of the rows to hypre. Collective.
PeerResult solve_with_hypre(const Ranks& ranks, const CsrMatrix<double, Host>& A, double tolerance, int max_iterations);

/// The same where every rank has rows of its own, one rank's after another's.
/// @param rows   one at least
/// @param first  of them, in the whole matrix
PeerResult solve_rows_with_hypre(const RankRows<double, Host>& rows, std::int64_t first, double tolerance,
                                 int max_iterations);

}  // namespace amgsolve::bench
