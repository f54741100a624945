#include "src/application/program_mpi.hpp"

#define OMPI_SKIP_MPICXX 1  // the C++ bindings, which are no part of MPI any more
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <amgsolve/mpi.hpp>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "src/library/group_communicator.hpp"

namespace amgsolve {

/// Of the end, from rank to rank: one message, which every rank waits for from the beginning. All on the thread that
/// calls MPI.
struct MpiProgram::Word {
  Word() {
    MPI_Comm_dup(MPI_COMM_WORLD, &group);
    MPI_Irecv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, group, &awaited);
  }
  ~Word() {
    if (awaited != MPI_REQUEST_NULL) {
      MPI_Cancel(&awaited);
      MPI_Wait(&awaited, MPI_STATUS_IGNORE);
    }
    MPI_Waitall(static_cast<int>(sent.size()), sent.data(), MPI_STATUSES_IGNORE);
    MPI_Comm_free(&group);
  }
  Word(const Word&) = delete;
  Word& operator=(const Word&) = delete;

  void send() {
    int size = 0;
    int own = 0;
    MPI_Comm_size(group, &size);
    MPI_Comm_rank(group, &own);
    for (int rank = 0; rank < size; ++rank) {
      if (rank != own) {
        MPI_Isend(nullptr, 0, MPI_BYTE, rank, 0, group, &sent.emplace_back());
      }
    }
  }

  bool has_come() {
    int has_come = 0;
    MPI_Test(&awaited, &has_come, MPI_STATUS_IGNORE);
    return has_come != 0;
  }

  MPI_Comm group = MPI_COMM_NULL;
  MPI_Request awaited = MPI_REQUEST_NULL;
  std::vector<MPI_Request> sent;
  double looked_at = 0.0;
  bool is_out = false;  ///< sent, or received
};

/// Of all ranks, once.
struct MpiProgram::Meeting {
  Meeting() { MPI_Ibarrier(MPI_COMM_WORLD, &request); }

  MPI_Request request = MPI_REQUEST_NULL;  ///< also once all are there
  const double begin = MPI_Wtime();
};

MpiProgram::MpiProgram(int& argc, char**& argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  world_ = communicator_of(mpi(MPI_COMM_WORLD));
  word_ = std::make_unique<Word>();
}

MpiProgram::~MpiProgram() {
  word_.reset();
  world_.reset();
  MPI_Finalize();
}

bool MpiProgram::meet(double seconds) {
  // That they have come takes some calls to be seen.
  constexpr double least_seconds = 0.1;
  if (!meeting_) {
    meeting_ = std::make_unique<Meeting>();
  }
  MPI_Request& request = meeting_->request;
  const double end = std::max(meeting_->begin + seconds, MPI_Wtime() + least_seconds);
  int has_come = 0;
  for (MPI_Test(&request, &has_come, MPI_STATUS_IGNORE); has_come == 0;
       MPI_Test(&request, &has_come, MPI_STATUS_IGNORE)) {
    if (seconds > 0.0 && MPI_Wtime() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

bool MpiProgram::hears_of_end(bool is_asked) {
  // Loops of microseconds ask, too.
  constexpr double seconds_between = 0.005;
  if (const double now = MPI_Wtime(); !word_->is_out && (is_asked || now - word_->looked_at > seconds_between)) {
    word_->looked_at = now;
    if (is_asked) {
      word_->send();
    }
    word_->is_out = is_asked || word_->has_come();
  }
  return word_->is_out;
}

void MpiProgram::abort(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace amgsolve
