#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

using ranks::device;
using ranks::DeviceMemoryGroup;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CudaDeviceMemory : public reference::SpaceTest<Cuda> {};

/// How the devices of a group send messages.
std::string transport(std::shared_ptr<const DeviceMemoryGroup> group, DeviceMessages wanted) {
  const std::unique_ptr<const Communicator> processes = communicator_of(std::move(group));
  return connect_devices(*processes, device(), wanted)->transport();
}

TEST_F(CudaDeviceMemory, IsTriedAndTimedBesideTheOtherWays) {
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

TEST_F(CudaDeviceMemory, IsLeftAloneWhereARankDoesNotTakeIt) {
  const auto group = std::make_shared<const DeviceMemoryGroup>();
  const std::unique_ptr<const Communicator> processes = communicator_of(group);
  const AllButTheLast ranks(*processes);
  EXPECT_THAT(connect_devices(ranks, device(), DeviceMessages::automatic)->transport(),
              Not(HasSubstr("from device to device")));
  EXPECT_EQ(group->messages(), 0);
}

TEST_F(CudaDeviceMemory, IsTheWayWhereItIsWanted) {
  const auto group = std::make_shared<const DeviceMemoryGroup>();
  EXPECT_EQ(transport(group, DeviceMessages::direct), "from device to device");
}

TEST_F(CudaDeviceMemory, IsLeftAloneWhereMessagesAreLost) {
  const auto group = std::make_shared<const DeviceMemoryGroup>(false);
  EXPECT_THAT(transport(group, DeviceMessages::automatic),
              AllOf(HasSubstr("messages from device to device do not arrive"), Not(HasSubstr("us from device"))));
  try {
    transport(group, DeviceMessages::direct);
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
