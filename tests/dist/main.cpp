#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "core/communicator_forwarding.hpp"
#include "core/errors.hpp"
#include "src/application/exit_code.hpp"
#include "src/application/program_mpi.hpp"
#include "src/application/ranks.hpp"
#include "src/library/device_ranks.hpp"
#include "src/library/group_communicator.hpp"
#include "src/library/schema_builders.hpp"
#include "tests/dist/device_memory_group.hpp"
#include "tests/dist/poison.hpp"
#include "tests/dist/ranks.hpp"

namespace amgsolve::ranks {
namespace {

class Poisoning final : public ForwardingCommunicator {
 public:
  using ForwardingCommunicator::exchange;
  using ForwardingCommunicator::ForwardingCommunicator;
  using ForwardingCommunicator::gather_bytes;

  /// The host writes to what it is given without a stream.
  bool takes_device_memory() const override { return false; }

  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths,
                    std::span<std::byte> all) const override {
    std::ranges::fill(all, std::byte{0xff});
    ForwardingCommunicator::gather_bytes(own, lengths, all);
  }
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) const override {
    for (const Incoming& message : receives) {
      std::ranges::fill(message.bytes, std::byte{0xff});
    }
    ForwardingCommunicator::exchange(sends, receives);
  }
#if AMGSOLVE_HAVE_CUDA
  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths, std::span<std::byte> all,
                    CUstream_st* stream) const override {
    poison(all, stream);
    ForwardingCommunicator::gather_bytes(own, lengths, all, stream);
  }
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives,
                CUstream_st* stream) const override {
    for (const Incoming& message : receives) {
      poison(message.bytes, stream);
    }
    ForwardingCommunicator::exchange(sends, receives, stream);
  }
#endif
};

std::unique_ptr<Poisoning> the_world;
std::unique_ptr<const Communicator> taking_world;
std::unique_ptr<Communicator> connected_devices;
std::unique_ptr<Poisoning> the_devices;

/// As the environment asks, if it does.
DeviceMessages wanted_messages() {
  const char* const wanted = std::getenv("AMGSOLVE_TEST_DEVICE_MESSAGES");
  return schema::meaning(device_messages_words(), wanted == nullptr ? "auto" : wanted);
}

/// What a rank that does not print tells all the same.
class Failures : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed()) {
      std::fprintf(stderr, "rank %d: %s:%d: %s\n", world().rank(), result.file_name(), result.line_number(),
                   result.message());
    }
  }
};

}  // namespace

const Communicator& world() { return *the_world; }

int device() { return device_of_rank(world().rank()); }

const Communicator& device_world() {
  if (!the_devices) {
    const DeviceMessages wanted = wanted_messages();
    const Communicator* hosts = the_world.get();
#if AMGSOLVE_HAVE_CUDA
    if (wanted == DeviceMessages::direct) {  // those of the program may not take what lies on devices
      taking_world = communicator_of(std::make_shared<const DeviceMemoryGroup>());
      hosts = taking_world.get();
    }
#endif
    connected_devices = connect_devices(*hosts, device(), wanted);
    the_devices = std::make_unique<Poisoning>(*connected_devices);
  }
  return *the_devices;
}

}  // namespace amgsolve::ranks

namespace {

/// As the command does where one of the ranks fails and the others do not know.
int abandon(int argc, char** argv) {
  using namespace amgsolve;
  Ranks ranks(argc, argv);
  return ranks.finish(guard([&]() -> int {
    if (ranks.communicator().rank() == 1) {
      throw OutputError("the disk of one rank");
    }
    return static_cast<int>(ranks.communicator().max(0));
  }));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace amgsolve;
  if (argc > 1 && std::string_view(argv[1]) == "--abandon") {
    return abandon(argc, argv);
  }
  const MpiProgram program(argc, argv);
  ranks::the_world = std::make_unique<ranks::Poisoning>(program.world());
  testing::InitGoogleTest(&argc, argv);
  if (program.world().rank() > 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new ranks::Failures);
  }
  const int result = RUN_ALL_TESTS();
  ranks::the_devices.reset();
  ranks::connected_devices.reset();
  ranks::taking_world.reset();
  return result;
}
