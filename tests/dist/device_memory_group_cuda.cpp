#include "tests/dist/device_memory_group.hpp"

#include <amgsolve/mpi.hpp>
#include <list>
#include <numeric>

#include "core/check_cuda.hpp"

namespace amgsolve::ranks {

class DeviceMemoryGroup::Copy {
 public:
  Copy(const DeviceMemoryGroup& group, std::byte* array, std::size_t size) : array_(array), delivers_(group.delivers_) {
    cudaPointerAttributes attributes{};
    AMGSOLVE_CUDA_CHECK(cudaPointerGetAttributes(&attributes, array));
    if (attributes.type == cudaMemoryTypeDevice) {
      copy_.resize(size);
      ++group.messages_;
    }
  }

  std::byte* load() {
    copy(array_, copy_.data());
    return data();
  }
  std::byte* data() { return copy_.empty() ? array_ : copy_.data(); }
  void store() {
    if (delivers_) {
      copy(copy_.data(), array_);
    }
  }

 private:
  void copy(const std::byte* from, std::byte* to) const {
    if (!copy_.empty()) {
      AMGSOLVE_CUDA_CHECK(cudaMemcpyAsync(to, from, copy_.size(), cudaMemcpyDefault, cudaStreamPerThread));
      AMGSOLVE_CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    }
  }

  std::byte* array_;
  bool delivers_;
  std::vector<std::byte> copy_;
};

DeviceMemoryGroup::DeviceMemoryGroup(bool delivers) : processes_(mpi(MPI_COMM_WORLD)), delivers_(delivers) {}

void DeviceMemoryGroup::gather(const std::byte* own, const std::vector<std::size_t>& lengths, std::byte* all) const {
  Copy from(*this, const_cast<std::byte*>(own), lengths[static_cast<std::size_t>(rank())]);
  Copy to(*this, all, std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}));
  processes_->gather(from.load(), lengths, to.data());
  to.store();
}

void DeviceMemoryGroup::exchange(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives) const {
  std::list<Copy> from;
  std::vector<Outgoing> staged_sends;
  for (const Outgoing& message : sends) {
    Copy& copy = from.emplace_back(*this, const_cast<std::byte*>(message.bytes), message.size);
    staged_sends.push_back({message.rank, copy.load(), message.size});
  }
  std::list<Copy> to;
  std::vector<Incoming> staged_receives;
  for (const Incoming& message : receives) {
    Copy& copy = to.emplace_back(*this, message.bytes, message.size);
    staged_receives.push_back({message.rank, copy.data(), message.size});
  }
  processes_->exchange(staged_sends, staged_receives);
  for (Copy& copy : to) {
    copy.store();
  }
}

}  // namespace amgsolve::ranks
