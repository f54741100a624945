#include "core/available_memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>

#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

// A machine of files, with 1 GB available.
class AvailableMemoryTest : public testing::Test {
 protected:
  AvailableMemoryTest() { write("proc/meminfo", "MemTotal:  2000000 kB\nMemAvailable:  1000000 kB\nCached: 7 kB\n"); }

  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path folder = (root_.path() / name).parent_path();
    create_directories(folder);
    root_.write(name, text);
  }

  // A group of cgroup v2 with `reclaimable` bytes in each of the three kinds.
  void write_group(const std::string& path, const std::string& limit, const std::string& usage,
                   const std::string& reclaimable = "0") {
    const std::string group = "sys/fs/cgroup" + path;
    write(group + "/memory.max", limit + "\n");
    write(group + "/memory.current", usage + "\n");
    write(group + "/memory.stat", "anon 5\nactive_file " + reclaimable + "\ninactive_file " + reclaimable +
                                      "\nslab_reclaimable " + reclaimable + "\n");
  }

  void expect(std::size_t bytes, const std::string& limit) const {
    const AvailableMemory available = available_main_memory(root_.path());
    EXPECT_EQ(available.bytes, bytes);
    EXPECT_EQ(available.limit, limit);
  }

  reference::TemporaryDirectory root_;
};

constexpr const char* machine = "what the machine has available";
constexpr std::size_t machine_bytes = std::size_t{1000000} * 1024;

TEST_F(AvailableMemoryTest, IsWhatTheMachineHas) { expect(machine_bytes, machine); }

TEST_F(AvailableMemoryTest, WhatCannotBeReadLimitsNothing) {
  const reference::TemporaryDirectory empty;
  EXPECT_EQ(available_main_memory(empty.path()).bytes, std::numeric_limits<std::size_t>::max());
  write("proc/meminfo", "MemAvailable: much\n");
  write("proc/self/cgroup", "\n:\n0:\n0::\n0::jobs\nx::/jobs\n4:memory:\n");
  write("proc/self/limits", "Max data size\n");
  write("sys/fs/cgroup/memory.max", "5");
  write("sys/fs/cgroup/memory.current", "");
  EXPECT_EQ(available_main_memory(root_.path()).bytes, std::numeric_limits<std::size_t>::max());
}

TEST_F(AvailableMemoryTest, ControlGroupsLimitIt) {
  write("proc/self/cgroup", "0::/jobs/7\n");
  write_group("/jobs/7", "250000000", "50000000");
  expect(200000000, "the limit of the control group /jobs/7 (memory.max)");
  // What the kernel can take back counts as free.
  write_group("/jobs/7", "250000000", "50000000", "10000000");
  expect(230000000, "the limit of the control group /jobs/7 (memory.max)");
  write_group("/jobs/7", "250000000", "50000000", "90000000");
  expect(250000000, "the limit of the control group /jobs/7 (memory.max)");
  write_group("/jobs/7", "250000000", "260000000");
  expect(0, "the limit of the control group /jobs/7 (memory.max)");
  write_group("/jobs/7", "max", "50000000");
  expect(machine_bytes, machine);
}

TEST_F(AvailableMemoryTest, SoDoTheGroupsAboveItsOwn) {
  write("proc/self/cgroup", "0::/jobs/7\n");
  write_group("/jobs/7", "900000000", "1");
  write_group("/jobs", "800000000", "600000000");
  expect(200000000, "the limit of the control group /jobs (memory.max)");
  // In a container the own group is the mount, and the path to it is not there.
  std::filesystem::remove_all(root_.path() / "sys/fs/cgroup/jobs");
  write_group("", "300000000", "100000000");
  expect(200000000, "the limit of the control group / (memory.max)");
  write("proc/self/cgroup", "0::/\n");
  expect(200000000, "the limit of the control group / (memory.max)");
}

TEST_F(AvailableMemoryTest, SoDoesTheFirstVersionOfControlGroups) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/other\n4:hugetlb,memory:/jobs/7\n0::/\n");
  const std::string group = "sys/fs/cgroup/memory/jobs/7";
  write(group + "/memory.limit_in_bytes", "250000000\n");
  write(group + "/memory.usage_in_bytes", "100000000\n");
  write(group + "/memory.stat", "active_file 1\ntotal_inactive_file 20000000\ntotal_active_file 30000000\n");
  expect(200000000, "the limit of the control group /jobs/7 (memory.limit_in_bytes)");
  write(group + "/memory.limit_in_bytes", "9223372036854771712\n");
  expect(machine_bytes, machine);
}

TEST_F(AvailableMemoryTest, LimitsOfTheProcessLimitIt) {
  write("proc/self/status", "VmPeak:\t 90000 kB\nVmSize:\t 40000 kB\nVmData:\t 10000 kB\n");
  const std::string unlimited = "Max address space         unlimited            unlimited            bytes     \n";
  write("proc/self/limits", unlimited + "Max data size             102400000            unlimited            bytes\n");
  expect(std::size_t{90000} * 1024, "the limit on the data of a process (ulimit -d)");
  write("proc/self/limits", "Max address space         102400000            102400000            bytes\n");
  expect(std::size_t{60000} * 1024, "the limit on the address space of a process (ulimit -v)");
  write("proc/self/limits", unlimited);
  expect(machine_bytes, machine);
}

TEST(AvailableMemory, OfThisMachineIsLessThanEverything) {
  const AvailableMemory available = available_main_memory();
  EXPECT_GT(available.bytes, 0U);
  EXPECT_LT(available.bytes, std::size_t{1} << 50);
  EXPECT_NE(available.limit, "nothing");
}

}  // namespace
}  // namespace amgsolve
