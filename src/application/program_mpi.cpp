#include "src/application/program_mpi.hpp"

#define OMPI_SKIP_MPICXX 1  // the C++ bindings, which are no part of MPI any more
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <amgsolve/mpi.hpp>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "src/library/group_communicator.hpp"

namespace amgsolve {

MpiProgram::MpiProgram(int& argc, char**& argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  world_ = communicator_of(mpi(MPI_COMM_WORLD));
}

MpiProgram::~MpiProgram() {
  world_.reset();
  MPI_Finalize();
}

bool MpiProgram::meet(double seconds) const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  const double begin = MPI_Wtime();
  int has_come = 0;
  for (MPI_Test(&request, &has_come, MPI_STATUS_IGNORE); has_come == 0;
       MPI_Test(&request, &has_come, MPI_STATUS_IGNORE)) {
    if (seconds > 0.0 && MPI_Wtime() - begin > seconds) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void MpiProgram::abort(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace amgsolve
