#include "core/communicator.hpp"

namespace amgsolve {
namespace {

class SerialCommunicator final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void sum_ranks(Span<std::int64_t, Host>) const override {}
  void sum_ranks(Span<std::int64_t, Cuda>, CUstream_st*) const override {}
  std::int64_t max(std::int64_t local) const override { return local; }
};

}  // namespace

const Communicator& Communicator::serial() {
  static const SerialCommunicator communicator;
  return communicator;
}

}  // namespace amgsolve
