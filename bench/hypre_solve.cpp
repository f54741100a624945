#include "bench/hypre_solve.hpp"

#if AMGSOLVE_HAVE_HYPRE

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace amgsolve::bench {
namespace {

/// The rows of one rank as hypre's matrix, and vectors of as many rows.
class HypreSystem {
 public:
  /// @param row_offsets  of the rows, and the end of the last one: places in columns and values
  template <class Column>
  HypreSystem(std::int64_t first_row, Span<const Offset, Host> row_offsets, const Column* columns_of,
              const double* values) {
    const std::size_t count = row_offsets.size() - 1;
    const auto first = static_cast<HYPRE_BigInt>(first_row);
    const auto last = static_cast<HYPRE_BigInt>(first_row + static_cast<std::int64_t>(count) - 1);
    std::vector<HYPRE_BigInt> row_numbers(count);
    std::vector<HYPRE_Int> row_lengths(count);
    for (std::size_t i = 0; i < count; ++i) {
      row_numbers[i] = first + static_cast<HYPRE_BigInt>(i);
      row_lengths[i] = static_cast<HYPRE_Int>(row_offsets[i + 1] - row_offsets[i]);
    }
    std::vector<HYPRE_BigInt> columns;
    std::transform(columns_of + row_offsets[0], columns_of + row_offsets[count], std::back_inserter(columns),
                   [](Column column) { return static_cast<HYPRE_BigInt>(column); });

    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &matrix_);
    HYPRE_IJMatrixSetObjectType(matrix_, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(matrix_);
    HYPRE_IJMatrixSetValues(matrix_, static_cast<HYPRE_Int>(count), row_lengths.data(), row_numbers.data(),
                            columns.data(), values + row_offsets[0]);
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
  int has_begun = 0;
  MPI_Initialized(&has_begun);
  has_begun_mpi_ = has_begun == 0;
  if (has_begun_mpi_) {
    MPI_Init(argc, argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  HYPRE_Init();
}

Ranks::~Ranks() {
  HYPRE_Finalize();
  if (has_begun_mpi_) {
    MPI_Finalize();
  }
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

namespace {

PeerResult solve(const HypreSystem& system, double tolerance, int max_iterations) {
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

}  // namespace

PeerResult solve_with_hypre(const Ranks& ranks, const CsrMatrix<double, Host>& A, double tolerance,
                            int max_iterations) {
  const auto first = static_cast<std::size_t>(std::int64_t{A.rows} * ranks.rank() / ranks.size());
  const auto end = static_cast<std::size_t>(std::int64_t{A.rows} * (ranks.rank() + 1) / ranks.size());
  return solve(HypreSystem(static_cast<std::int64_t>(first), A.row_offsets.span().subspan(first, end - first + 1),
                           A.col_indices.data(), A.values.data()),
               tolerance, max_iterations);
}

PeerResult solve_rows_with_hypre(const RankRows<double, Host>& rows, std::int64_t first, double tolerance,
                                 int max_iterations) {
  return std::visit(
      [&](const auto& columns) {
        return solve(HypreSystem(first, rows.row_offsets.span(), columns.data(), rows.values.data()), tolerance,
                     max_iterations);
      },
      rows.col_indices);
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

PeerResult solve_rows_with_hypre(const RankRows<double, Host>&, std::int64_t, double, int) {
  throw std::logic_error("built without hypre");
}

}  // namespace amgsolve::bench

#endif
