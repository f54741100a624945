#include "core/communicator.hpp"

#include <algorithm>

namespace amgsolve {
namespace {

class SerialCommunicator final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void sum_ranks(Span<std::int64_t, Host>) const override {}
  void sum_ranks(Span<std::int64_t, Cuda>, CUstream_st*) const override {}
  std::int64_t max(std::int64_t local) const override { return local; }
  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t>,
                    std::span<std::byte> all) const override {
    std::ranges::copy(own, all.begin());
  }
  void exchange(std::span<const Outgoing>, std::span<const Incoming>) const override {}
};

}  // namespace

const Communicator& Communicator::serial() {
  static const SerialCommunicator communicator;
  return communicator;
}

}  // namespace amgsolve
