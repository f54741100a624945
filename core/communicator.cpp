#include "core/communicator.hpp"

#include <algorithm>
#include <bit>

#include "core/errors.hpp"

namespace amgsolve {
namespace {

[[noreturn]] void throw_host_only() {
  throw DeviceError("these ranks exchange what lies in host memory, and were given what lies on a device");
}

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
  void all_to_all(std::span<const std::int64_t> to, std::span<std::int64_t> from) const override {
    std::ranges::copy(to, from.begin());
  }
  void exchange(std::span<const Outgoing>, std::span<const Incoming>) const override {}
  void exchange(std::span<const Outgoing>, std::span<const Incoming>, CUstream_st*) const override {}
};

}  // namespace

void Communicator::count(const Messages&, std::int64_t) const {}
void Communicator::sum_ranks(Span<std::int64_t, Cuda>, CUstream_st*) const { throw_host_only(); }
bool Communicator::picks_rows(int, std::size_t) const { return false; }

bool Communicator::sum_blocks(Span<const double, Cuda>, Span<double, Cuda>, CUstream_st*) const { return false; }
void Communicator::gather_bytes(std::span<const std::byte>, std::span<const std::size_t>, std::span<std::byte>,
                                CUstream_st*) const {
  throw_host_only();
}
void Communicator::exchange(std::span<const Outgoing>, std::span<const Incoming>, CUstream_st*) const {
  throw_host_only();
}

const Communicator& Communicator::serial() {
  static const SerialCommunicator communicator;
  return communicator;
}

// Of numbers that are not negative the bits have the order of the numbers.
double largest_of(const Communicator& communicator, double x) {
  return std::bit_cast<double>(communicator.max(std::bit_cast<std::int64_t>(x)));
}
double smallest_of(const Communicator& communicator, double x) {
  return std::bit_cast<double>(-communicator.max(-std::bit_cast<std::int64_t>(x)));
}

}  // namespace amgsolve
