#pragma once

#include <amgsolve/process_group.hpp>
#include <cstdint>
#include <memory>
#include <vector>

namespace amgsolve::ranks {

/// All processes of the program, which take device memory as a CUDA-aware MPI does: by copies in the host's.
class DeviceMemoryGroup final : public ProcessGroup {
 public:
  /// @param delivers  false: what goes to device memory gets lost
  explicit DeviceMemoryGroup(bool delivers = true);

  /// Those to and from device memory so far.
  std::int64_t messages() const { return messages_; }

  int rank() const override { return processes_->rank(); }
  int size() const override { return processes_->size(); }
  bool takes_device_memory() const override { return true; }
  void sum(std::int64_t* x, std::size_t count) const override { processes_->sum(x, count); }
  std::int64_t max(std::int64_t x) const override { return processes_->max(x); }
  void gather(const std::byte* own, const std::vector<std::size_t>& lengths, std::byte* all) const override;
  void exchange(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives) const override;

 private:
  /// A host's copy of an array, or the array itself where it lies there.
  class Copy;

  std::shared_ptr<const ProcessGroup> processes_;
  bool delivers_;
  mutable std::int64_t messages_ = 0;
};

}  // namespace amgsolve::ranks
