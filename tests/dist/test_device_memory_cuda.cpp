#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <amgsolve/mpi.hpp>
#include <memory>
#include <string>
#include <vector>

#include "core/communicator_forwarding.hpp"
#include "core/errors.hpp"
#include "src/library/device_ranks.hpp"
#include "src/library/group_communicator.hpp"
#include "tests/dist/device_memory_group.hpp"
#include "tests/dist/public_ranks.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/reference/spaces.hpp"

/// Processes that take device memory for their messages, and those that only say so.
namespace amgsolve {
namespace {

using ranks::DeviceMemoryGroup;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CudaDeviceMemory : public reference::SpaceTest<Cuda> {};

/// How the devices of ranks send messages that all have the first device, and so no NCCL.
std::string transport(const Communicator& ranks, DeviceMessages wanted) {
  return connect_devices(ranks, 0, wanted)->transport();
}
std::string transport(std::shared_ptr<const DeviceMemoryGroup> group, DeviceMessages wanted) {
  return transport(*communicator_of(std::move(group)), wanted);
}

/// Ranks that share a device; one alone may have NCCL.
class CudaDeviceMemoryOfRanks : public CudaDeviceMemory {
 protected:
  void SetUp() override {
    CudaDeviceMemory::SetUp();
    if (ranks::world().size() == 1) {
      GTEST_SKIP() << "one rank";
    }
  }
};

TEST_F(CudaDeviceMemoryOfRanks, IsTriedAndTimedBesideTheWayThroughTheHost) {
  const auto group = std::make_shared<const DeviceMemoryGroup>();
  EXPECT_THAT(transport(group, DeviceMessages::automatic),
              AllOf(HasSubstr("us from device to device"), HasSubstr("us through the host")));
  EXPECT_GT(group->messages(), 0);
}

/// Ranks of which the last one takes no device memory.
class AllButTheLast final : public ForwardingCommunicator {
 public:
  using ForwardingCommunicator::ForwardingCommunicator;
  bool takes_device_memory() const override { return rank() + 1 < size(); }
};

TEST_F(CudaDeviceMemoryOfRanks, IsLeftAloneWhereOneDoesNotTakeIt) {
  const auto group = std::make_shared<const DeviceMemoryGroup>();
  const std::unique_ptr<const Communicator> processes = communicator_of(group);
  const AllButTheLast ranks(*processes);
  EXPECT_THAT(transport(ranks, DeviceMessages::automatic), Not(HasSubstr("from device to device")));
  EXPECT_EQ(group->messages(), 0);
}

TEST_F(CudaDeviceMemory, IsTheWayWhereItIsWanted) {
  const auto group = std::make_shared<const DeviceMemoryGroup>();
  EXPECT_EQ(transport(group, DeviceMessages::direct), "from device to device");
}

TEST_F(CudaDeviceMemoryOfRanks, IsLeftAloneWhereMessagesAreLost) {
  EXPECT_THAT(transport(std::make_shared<const DeviceMemoryGroup>(false), DeviceMessages::automatic),
              AllOf(HasSubstr("messages from device to device do not arrive"), Not(HasSubstr("us from device"))));
}

TEST_F(CudaDeviceMemory, IsRefusedWhereMessagesAreLost) {
  try {
    transport(std::make_shared<const DeviceMemoryGroup>(false), DeviceMessages::direct);
    FAIL() << "messages that do not arrive";
  } catch (const ConfigurationError& error) {
    EXPECT_STREQ(error.what(),
                 "'distributed.device_messages' is direct, but messages from device to device do not arrive");
  }
}

/// x of A x = 1 with the defaults of small_levels().
std::vector<double> solution(std::shared_ptr<const ProcessGroup> group, const char* messages) {
  const CsrMatrix<double, Host> A = ranks::poisson();
  const Partition partition(ranks::world(), ranks::own_rows(ranks::world(), ranks::Cut::uneven, A.rows));
  const ranks::Rows<double> rows = ranks::own_rows<double>(A, partition);
  Options options = ranks::small_levels("cuda");
  options.set("distributed.device_messages", messages);
  Solver<double> solver(options, std::move(group));
  solver.setup(rows.view());
  const std::vector<double> b(static_cast<std::size_t>(rows.rows), 1.0);
  std::vector<double> x(b.size());
  EXPECT_EQ(solver.solve(b, x).status, Status::converged);
  return x;
}

TEST_F(CudaDeviceMemory, SolvesToTheBitsOfMessagesThroughTheHost) {
  const auto group = std::make_shared<const DeviceMemoryGroup>();
  const std::vector<double> x = solution(group, "direct");
  EXPECT_GT(group->messages(), group->size() > 1 ? 100 : 0);
  EXPECT_EQ(x, solution(amgsolve::mpi(MPI_COMM_WORLD), "staged"));
}

}  // namespace
}  // namespace amgsolve
