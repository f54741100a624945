#include "src/library/group_communicator.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/errors.hpp"

namespace amgsolve {
namespace {

/// Calls what the program has made.
template <class Call>
auto calling_program(const Call& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    throw CommunicationError(error.what());
  } catch (...) {
    throw CommunicationError("the ProcessGroup threw something that is no exception");
  }
}

class GroupCommunicator final : public Communicator {
 public:
  explicit GroupCommunicator(std::shared_ptr<const ProcessGroup> processes) : processes_(std::move(processes)) {}

  using Communicator::exchange;
  using Communicator::gather_bytes;
  using Communicator::sum_ranks;

  int rank() const override {
    return calling_program([&] { return processes_->rank(); });
  }
  int size() const override {
    return calling_program([&] { return processes_->size(); });
  }
  bool takes_device_memory() const override {
    return calling_program([&] { return processes_->takes_device_memory(); });
  }
  void sum_ranks(Span<std::int64_t, Host> x) const override {
    calling_program([&] { processes_->sum(x.data(), x.size()); });
  }
  std::int64_t max(std::int64_t local) const override {
    return calling_program([&] { return processes_->max(local); });
  }

  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths,
                    std::span<std::byte> all) const override {
    calling_program([&] { processes_->gather(own.data(), {lengths.begin(), lengths.end()}, all.data()); });
  }

  void all_to_all(std::span<const std::int64_t> to, std::span<std::int64_t> from) const override {
    calling_program([&] { processes_->all_to_all(to.data(), from.data()); });
  }

  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) const override {
    std::vector<ProcessGroup::Outgoing> out;
    std::vector<ProcessGroup::Incoming> in;
    for (const Outgoing& message : sends) {
      out.push_back({message.rank, message.bytes.data(), message.bytes.size()});
    }
    for (const Incoming& message : receives) {
      in.push_back({message.rank, message.bytes.data(), message.bytes.size()});
    }
    calling_program([&] { processes_->exchange(out, in); });
  }

 private:
  std::shared_ptr<const ProcessGroup> processes_;
};

}  // namespace

std::unique_ptr<const Communicator> communicator_of(std::shared_ptr<const ProcessGroup> processes) {
  return std::make_unique<const GroupCommunicator>(std::move(processes));
}

}  // namespace amgsolve
