#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/communicator.hpp"

namespace amgsolve {

/// The second of two ranks, the first of which has more rows than 32 bits count, and else says what this one does.
class BehindManyRows final : public Communicator {
 public:
  static constexpr std::int64_t rows_before = 2744000000;

  int rank() const override { return 1; }
  int size() const override { return 2; }
  void sum_ranks(Span<std::int64_t, Host>) const override {}
  std::int64_t max(std::int64_t local) const override { return local; }
  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t>,
                    std::span<std::byte> all) const override {
    std::memcpy(all.data(), &rows_before, std::min(sizeof(rows_before), all.size() - own.size()));
    std::ranges::copy(own, all.end() - std::ssize(own));
  }
  void all_to_all(std::span<const std::int64_t>, std::span<std::int64_t>) const override {}
  void exchange(std::span<const Outgoing>, std::span<const Incoming>) const override {}
};

}  // namespace amgsolve
