#include "core/communicator_mpi.hpp"

#define OMPI_SKIP_MPICXX 1  // the C++ bindings, which are no part of MPI any more
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

namespace amgsolve {
namespace {

/// Of a message: counts of MPI are ints.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

int count_of(std::size_t bytes) { return static_cast<int>(bytes); }

class MpiCommunicator final : public Communicator {
 public:
  using Communicator::exchange;
  using Communicator::gather_bytes;
  using Communicator::sum_ranks;

  explicit MpiCommunicator(MPI_Comm ranks) {
    MPI_Comm_dup(ranks, &ranks_);
    MPI_Comm_rank(ranks_, &rank_);
    MPI_Comm_size(ranks_, &size_);
  }
  ~MpiCommunicator() override {
    int has_ended = 0;
    MPI_Finalized(&has_ended);
    if (has_ended == 0) {
      MPI_Comm_free(&ranks_);
    }
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void sum_ranks(Span<std::int64_t, Host> x) const override {
    MPI_Allreduce(MPI_IN_PLACE, x.data(), static_cast<int>(x.size()), MPI_INT64_T, MPI_SUM, ranks_);
  }
  std::int64_t max(std::int64_t local) const override {
    MPI_Allreduce(MPI_IN_PLACE, &local, 1, MPI_INT64_T, MPI_MAX, ranks_);
    return local;
  }

  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths,
                    std::span<std::byte> all) const override {
    if (all.size() > most_bytes) {
      gather_by_messages(own, lengths, all);
      return;
    }
    std::vector<int> counts(lengths.size());
    std::vector<int> places(lengths.size());
    std::ranges::transform(lengths, counts.begin(), count_of);
    for (std::size_t r = 1; r < places.size(); ++r) {
      places[r] = places[r - 1] + counts[r - 1];
    }
    MPI_Allgatherv(own.data(), count_of(own.size()), MPI_BYTE, all.data(), counts.data(), places.data(), MPI_BYTE,
                   ranks_);
  }

  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) const override {
    std::vector<MPI_Request> requests;
    requests.reserve(sends.size() + receives.size());
    for (const Incoming& message : receives) {
      for (std::size_t begin = 0; begin < message.bytes.size(); begin += most_bytes) {
        const auto piece = message.bytes.subspan(begin, std::min(most_bytes, message.bytes.size() - begin));
        MPI_Irecv(piece.data(), count_of(piece.size()), MPI_BYTE, message.rank, 0, ranks_, &requests.emplace_back());
      }
    }
    for (const Outgoing& message : sends) {
      for (std::size_t begin = 0; begin < message.bytes.size(); begin += most_bytes) {
        const auto piece = message.bytes.subspan(begin, std::min(most_bytes, message.bytes.size() - begin));
        MPI_Isend(piece.data(), count_of(piece.size()), MPI_BYTE, message.rank, 0, ranks_, &requests.emplace_back());
      }
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

 private:
  void gather_by_messages(std::span<const std::byte> own, std::span<const std::size_t> lengths,
                          std::span<std::byte> all) const {
    std::vector<Outgoing> sends;
    std::vector<Incoming> receives;
    std::size_t begin = 0;
    for (int r = 0; r < size_; ++r) {
      const auto part = all.subspan(begin, lengths[static_cast<std::size_t>(r)]);
      begin += part.size();
      if (r == rank_) {
        std::ranges::copy(own, part.begin());
      } else {
        sends.push_back({r, own});
        receives.push_back({r, part});
      }
    }
    exchange(sends, receives);
  }

  MPI_Comm ranks_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

std::unique_ptr<Communicator> mpi_communicator(int fortran_handle) {
  return std::make_unique<MpiCommunicator>(MPI_Comm_f2c(fortran_handle));
}

MpiProgram::MpiProgram(int& argc, char**& argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  world_ = mpi_communicator(MPI_Comm_c2f(MPI_COMM_WORLD));
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
