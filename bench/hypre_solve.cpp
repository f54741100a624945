#include "bench/hypre_solve.hpp"

#if AMGSOLVE_HAVE_HYPRE

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace amgsolve::bench {
namespace {

/// The rows of one rank as hypre's matrix, and vectors of as many rows.
class HypreSystem {
 public:
  HypreSystem(const Ranks& ranks, const CsrMatrix<double, Host>& A) {
    const auto rows = static_cast<std::int64_t>(A.rows);
    const auto first = static_cast<HYPRE_BigInt>(rows * ranks.rank() / ranks.size());
    const auto last = static_cast<HYPRE_BigInt>(rows * (ranks.rank() + 1) / ranks.size()) - 1;
    const auto count = static_cast<std::size_t>(last - first + 1);
    std::vector<HYPRE_BigInt> row_numbers(count);
    std::vector<HYPRE_Int> row_lengths(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = static_cast<std::size_t>(first) + i;
      row_numbers[i] = static_cast<HYPRE_BigInt>(row);
      row_lengths[i] = static_cast<HYPRE_Int>(A.row_offsets[row + 1] - A.row_offsets[row]);
    }
    const auto offset = static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(first)]);
    const auto end = static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(last) + 1]);
    const std::vector<HYPRE_BigInt> columns(A.col_indices.data() + offset, A.col_indices.data() + end);

    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &matrix_);
    HYPRE_IJMatrixSetObjectType(matrix_, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(matrix_);
    HYPRE_IJMatrixSetValues(matrix_, static_cast<HYPRE_Int>(count), row_lengths.data(), row_numbers.data(),
                            columns.data(), A.values.data() + offset);
    HYPRE_IJMatrixAssemble(matrix_);
    make_vector(b_, first, last, row_numbers, 1.0);
    make_vector(x_, first, last, row_numbers, 0.0);
  }
  ~HypreSystem() {
    HYPRE_IJMatrixDestroy(matrix_);
    HYPRE_IJVectorDestroy(b_);
    HYPRE_IJVectorDestroy(x_);
  }
  HypreSystem(const HypreSystem&) = delete;
  HypreSystem& operator=(const HypreSystem&) = delete;

  HYPRE_ParCSRMatrix matrix() const {
    void* object = nullptr;
    HYPRE_IJMatrixGetObject(matrix_, &object);
    return static_cast<HYPRE_ParCSRMatrix>(object);
  }
  HYPRE_ParVector b() const { return vector(b_); }
  HYPRE_ParVector x() const { return vector(x_); }

 private:
  static void make_vector(HYPRE_IJVector& vector, HYPRE_BigInt first, HYPRE_BigInt last,
                          const std::vector<HYPRE_BigInt>& rows, double value) {
    const std::vector<double> values(rows.size(), value);
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last, &vector);
    HYPRE_IJVectorSetObjectType(vector, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(vector);
    HYPRE_IJVectorSetValues(vector, static_cast<HYPRE_Int>(rows.size()), rows.data(), values.data());
    HYPRE_IJVectorAssemble(vector);
  }
  static HYPRE_ParVector vector(HYPRE_IJVector vector) {
    void* object = nullptr;
    HYPRE_IJVectorGetObject(vector, &object);
    return static_cast<HYPRE_ParVector>(object);
  }

  HYPRE_IJMatrix matrix_ = nullptr;
  HYPRE_IJVector b_ = nullptr;
  HYPRE_IJVector x_ = nullptr;
};

/// The slowest rank's seconds of a collective call.
template <class Run>
double collective_seconds(Run&& run) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  run();
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

}  // namespace

Ranks::Ranks(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  HYPRE_Init();
}

Ranks::~Ranks() {
  HYPRE_Finalize();
  MPI_Finalize();
}

bool Ranks::have_hypre() { return true; }

void Ranks::wait_for_all() const {
  constexpr useconds_t nap = 1000;
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) {
      usleep(nap);
    }
  }
}

PeerResult solve_with_hypre(const Ranks& ranks, const CsrMatrix<double, Host>& A, double tolerance,
                            int max_iterations) {
  const HypreSystem system(ranks, A);
  HYPRE_Solver amg = nullptr;
  HYPRE_BoomerAMGCreate(&amg);
  HYPRE_BoomerAMGSetTol(amg, 0.0);  // one cycle an application
  HYPRE_BoomerAMGSetMaxIter(amg, 1);
  HYPRE_Solver pcg = nullptr;
  HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &pcg);
  HYPRE_PCGSetTol(pcg, tolerance);
  HYPRE_PCGSetMaxIter(pcg, max_iterations);
  HYPRE_PCGSetTwoNorm(pcg, 1);
  HYPRE_PCGSetPrecond(pcg, reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSolve),
                      reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSetup), amg);

  PeerResult result;
  result.setup_seconds =
      collective_seconds([&] { HYPRE_ParCSRPCGSetup(pcg, system.matrix(), system.b(), system.x()); });
  result.solve_seconds =
      collective_seconds([&] { HYPRE_ParCSRPCGSolve(pcg, system.matrix(), system.b(), system.x()); });
  HYPRE_Int iterations = 0;
  HYPRE_PCGGetNumIterations(pcg, &iterations);
  result.iterations = iterations;
  HYPRE_PCGGetFinalRelativeResidualNorm(pcg, &result.relative_residual);
  HYPRE_ParCSRPCGDestroy(pcg);
  HYPRE_BoomerAMGDestroy(amg);
  return result;
}

}  // namespace amgsolve::bench

#else

#include <stdexcept>

namespace amgsolve::bench {

Ranks::Ranks(int*, char***) {}
Ranks::~Ranks() = default;
bool Ranks::have_hypre() { return false; }
void Ranks::wait_for_all() const {}

PeerResult solve_with_hypre(const Ranks&, const CsrMatrix<double, Host>&, double, int) {
  throw std::logic_error("built without hypre");
}

}  // namespace amgsolve::bench

#endif
