#pragma once

#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <amgsolve/amgsolve.hpp>

/// Solvers of several processes for programs that have MPI, of any kind: what calls it is compiled in the program, so
/// that the library needs none. Programs link their MPI and amgsolve.

namespace amgsolve {

/// The processes of a communicator of MPI, of which it makes a duplicate: messages of the program are not taken for
/// those of a solver. Where errors return (MPI_ERRORS_RETURN) they are thrown as std::runtime_error, also by the calls
/// of a Solver: maybe on one process alone, for which the others wait until it calls MPI_Abort().
class MpiProcessGroup final : public ProcessGroup {
 public:
  /// Collective.
  explicit MpiProcessGroup(MPI_Comm communicator) {
    check(MPI_Comm_dup(communicator, &communicator_));
    check(MPI_Comm_rank(communicator_, &rank_));
    check(MPI_Comm_size(communicator_, &size_));
  }
  ~MpiProcessGroup() override {
    int has_ended = 0;
    MPI_Finalized(&has_ended);
    if (has_ended == 0) {
      MPI_Comm_free(&communicator_);
    }
  }
  MpiProcessGroup(const MpiProcessGroup&) = delete;
  MpiProcessGroup& operator=(const MpiProcessGroup&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  /// Whether MPI says that it is CUDA-aware: Open MPI can be asked, MPICH since 4.0, and what is made of these. Another
  /// one is taken not to be.
  bool takes_device_memory() const override {
#if defined(OMPI_HAVE_MPI_EXT_CUDA)
    return MPIX_Query_cuda_support() != 0;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
    int does = 0;
    check(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &does));
    return does != 0;
#else
    return false;
#endif
  }

  void sum(std::int64_t* x, std::size_t count) const override {
    check(MPI_Allreduce(MPI_IN_PLACE, x, static_cast<int>(count), MPI_INT64_T, MPI_SUM, communicator_));
  }

  std::int64_t max(std::int64_t x) const override {
    check(MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT64_T, MPI_MAX, communicator_));
    return x;
  }

  void gather(const std::byte* own, const std::vector<std::size_t>& lengths, std::byte* all) const override {
    std::vector<std::size_t> places(lengths.size() + 1);
    for (std::size_t r = 0; r < lengths.size(); ++r) {
      places[r + 1] = places[r] + lengths[r];
    }
    const auto self = static_cast<std::size_t>(rank_);
    if (places.back() > most_bytes) {
      gather_by_messages(own, lengths, places, all);
      return;
    }
    const std::vector<int> counts(lengths.begin(), lengths.end());
    const std::vector<int> displacements(places.begin(), places.end());
    check(
        MPI_Allgatherv(own, counts[self], MPI_BYTE, all, counts.data(), displacements.data(), MPI_BYTE, communicator_));
  }

  void all_to_all(const std::int64_t* to, std::int64_t* from) const override {
    check(MPI_Alltoall(to, 1, MPI_INT64_T, from, 1, MPI_INT64_T, communicator_));
  }

  void exchange(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives) const override {
    std::vector<MPI_Request> requests;
    for (const Incoming& message : receives) {
      in_pieces(message, [&](std::byte* bytes, int count) {
        requests.push_back(MPI_REQUEST_NULL);
        return MPI_Irecv(bytes, count, MPI_BYTE, message.rank, 0, communicator_, &requests.back());
      });
    }
    for (const Outgoing& message : sends) {
      in_pieces(message, [&](const std::byte* bytes, int count) {
        requests.push_back(MPI_REQUEST_NULL);
        return MPI_Isend(bytes, count, MPI_BYTE, message.rank, 0, communicator_, &requests.back());
      });
    }
    check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  }

 private:
  /// Of one message: counts of MPI are ints.
  static constexpr std::size_t most_bytes = std::size_t{1} << 30;

  template <class Message, class Send>
  static void in_pieces(const Message& message, const Send& send) {
    for (std::size_t begin = 0; begin < message.size; begin += most_bytes) {
      check(send(message.bytes + begin, static_cast<int>(std::min(most_bytes, message.size - begin))));
    }
  }

  void gather_by_messages(const std::byte* own, const std::vector<std::size_t>& lengths,
                          const std::vector<std::size_t>& places, std::byte* all) const {
    std::vector<Outgoing> sends;
    std::vector<Incoming> receives;
    for (int r = 0; r < size_; ++r) {  // to itself, too: the memory may be a device's
      const auto i = static_cast<std::size_t>(r);
      sends.push_back({r, own, lengths[static_cast<std::size_t>(rank_)]});
      receives.push_back({r, all + places[i], lengths[i]});
    }
    exchange(sends, receives);
  }

  static void check(int code) {
    if (code != MPI_SUCCESS) {
      char text[MPI_MAX_ERROR_STRING];
      int length = 0;
      MPI_Error_string(code, text, &length);
      throw std::runtime_error("MPI: " + std::string(text, static_cast<std::size_t>(length)));
    }
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

/// The processes of a communicator for a Solver:
///
///     amgsolve::Solver<double> solver(options, amgsolve::mpi(MPI_COMM_WORLD));
///     solver.setup(amgsolve::DistributedCsrView<double>{rows, row_offsets, global_columns, values});
///     const amgsolve::Result result = solver.solve(b, x);  // of this process's rows
///
/// Collective. Solvers end before MPI_Finalize(). They call MPI on the thread that calls them, whatever threads work
/// inside: where that is the program's main one MPI_THREAD_FUNNELED suffices; solvers that several threads call at a
/// time need MPI_THREAD_MULTIPLE, and each an mpi() of its own.
inline std::shared_ptr<const ProcessGroup> mpi(MPI_Comm communicator) {
  return std::make_shared<const MpiProcessGroup>(communicator);
}

}  // namespace amgsolve
