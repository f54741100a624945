#include "core/algorithms.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/copy.hpp"
#include "core/reduce_host.hpp"

namespace amgsolve {
namespace {

constexpr std::int64_t scan_block = 16384;

std::size_t blocks_of(std::size_t n) {
  return (n + static_cast<std::size_t>(scan_block) - 1) / static_cast<std::size_t>(scan_block);
}

/// x_i = Σ_{k < i} x_k in place; returns the sum of all. For the few totals of blocks.
Offset exclusive_scan(Span<Offset, Host> x) {
  Offset sum = 0;
  for (Offset& value : x) {
    sum += std::exchange(value, sum);
  }
  return sum;
}

/// One pass of a least-significant-digit radix sort: counts of digits for every chunk of the input become positions,
/// then every chunk scatters its own elements.
class DigitPass {
 public:
  static constexpr int digit_bits = 8;
  static constexpr std::size_t digits = std::size_t{1} << digit_bits;

  DigitPass(const Context<Host>& ctx, std::size_t n, int shift, Span<std::array<Offset, digits>, Host> positions)
      : ctx_(ctx),
        n_(static_cast<std::int64_t>(n)),
        chunk_(std::max<std::int64_t>(1, (n_ + ctx.threads() - 1) / ctx.threads())),
        shift_(shift),
        positions_(positions) {}

  void run(const std::uint64_t* keys, const Offset* values, std::uint64_t* keys_out, Offset* values_out) {
    for (auto& counts : positions_) {
      counts.fill(0);
    }
    parallel_fixed_blocks(ctx_, n_, chunk_, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      auto& counts = positions_[static_cast<std::size_t>(chunk)];
      for (std::int64_t i = begin; i < end; ++i) {
        ++counts[digit(keys[i])];
      }
    });
    Offset position = 0;
    for (std::size_t d = 0; d < digits; ++d) {
      for (auto& counts : positions_) {
        position += std::exchange(counts[d], position);
      }
    }
    parallel_fixed_blocks(ctx_, n_, chunk_, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      auto& next = positions_[static_cast<std::size_t>(chunk)];
      for (std::int64_t i = begin; i < end; ++i) {
        const Offset target = next[digit(keys[i])]++;
        keys_out[target] = keys[i];
        if (values != nullptr) {
          values_out[target] = values[i];
        }
      }
    });
  }

 private:
  std::size_t digit(std::uint64_t key) const { return static_cast<std::size_t>(key >> shift_) & (digits - 1); }

  const Context<Host>& ctx_;
  std::int64_t n_;
  std::int64_t chunk_;
  int shift_;
  Span<std::array<Offset, digits>, Host> positions_;
};

}  // namespace

Offset counts_to_offsets(Context<Host>& ctx, Span<Offset, Host> offsets) {
  offsets[0] = 0;
  const std::size_t n = offsets.size() - 1;
  const Span<Offset, Host> counts = offsets.subspan(1, n);
  WorkspaceScope scope(ctx.workspace());
  const auto totals = scope.take<Offset>(blocks_of(n));
  const auto rows = static_cast<std::int64_t>(n);
  parallel_fixed_blocks(
      ctx, rows, scan_block,
      [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
        Offset sum = 0;
        for (std::int64_t i = begin; i < end; ++i) {
          sum += counts.data()[i];
        }
        totals[static_cast<std::size_t>(block)] = sum;
      },
      1);
  const Offset total = exclusive_scan(totals);
  parallel_fixed_blocks(
      ctx, rows, scan_block,
      [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
        Offset sum = totals[static_cast<std::size_t>(block)];
        for (std::int64_t i = begin; i < end; ++i) {
          sum += counts.data()[i];
          counts.data()[i] = sum;
        }
      },
      1);
  return total;
}

void accumulate_counts(Context<Host>& ctx, Span<Offset, Host> offsets) { counts_to_offsets(ctx, offsets); }

void widen(Context<Host>& ctx, Span<const Index, Host> narrow, Span<Offset, Host> wide) {
  detail::check_copy_sizes(narrow.size(), wide.size());
  parallel_for(
      ctx, static_cast<std::int64_t>(narrow.size()),
      [&](std::int64_t i) { wide[static_cast<std::size_t>(i)] = narrow[static_cast<std::size_t>(i)]; }, 1);
}

SumAndMax sum_and_max(Context<Host>& ctx, Span<const Index, Host> x, Index lowest) {
  return transform_reduce(
      ctx, static_cast<std::int64_t>(x.size()), SumAndMax{0, lowest},
      [values = x.data()](std::int64_t i) {
        return SumAndMax{values[i], values[i]};
      },
      [](const SumAndMax& a, const SumAndMax& b) {
        return SumAndMax{a.sum + b.sum, std::max(a.max, b.max)};
      });
}

void sort_pairs(Context<Host>& ctx, Span<std::uint64_t, Host> keys, Span<Offset, Host> values, int bits) {
  const std::size_t n = keys.size();
  WorkspaceScope scope(ctx.workspace());
  auto keys_from = keys;
  auto values_from = values;
  auto keys_to = scope.take<std::uint64_t>(n);
  auto values_to = scope.take<Offset>(values.size());
  const auto positions = scope.take<std::array<Offset, DigitPass::digits>>(static_cast<std::size_t>(ctx.threads()));
  for (int shift = 0; shift < bits; shift += DigitPass::digit_bits) {
    const Offset* const from = values.empty() ? nullptr : values_from.data();
    DigitPass(ctx, n, shift, positions).run(keys_from.data(), from, keys_to.data(), values_to.data());
    std::swap(keys_from, keys_to);
    std::swap(values_from, values_to);
  }
  if (keys_from.data() != keys.data()) {
    std::copy(keys_from.begin(), keys_from.end(), keys.begin());
    std::copy(values_from.begin(), values_from.end(), values.begin());
  }
}

void select_flagged(Context<Host>& ctx, Span<const std::uint8_t, Host> flags, Span<Index, Host> selected,
                    Span<Offset, Host> count) {
  const auto n = static_cast<std::int64_t>(flags.size());
  WorkspaceScope scope(ctx.workspace());
  const std::size_t blocks = blocks_of(flags.size());
  const auto positions = scope.take<Offset>(blocks + 1);
  positions[blocks] = 0;
  parallel_fixed_blocks(
      ctx, n, scan_block,
      [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
        Offset of_block = 0;
        for (std::int64_t i = begin; i < end; ++i) {
          of_block += flags.data()[i] != 0;
        }
        positions[static_cast<std::size_t>(block)] = of_block;
      },
      1);
  const Offset total = exclusive_scan(positions);
  parallel_fixed_blocks(
      ctx, n, scan_block,
      [&](std::int64_t block, std::int64_t begin, std::int64_t) {
        Index* next = selected.data() + positions[static_cast<std::size_t>(block)];
        const Index* const last = selected.data() + positions[static_cast<std::size_t>(block) + 1];
        // Only the place of the next one depends on a flag, since no processor foresees them.
        for (std::int64_t i = begin; next != last; ++i) {
          *next = static_cast<Index>(i);
          next += flags.data()[i] != 0;
        }
      },
      1);
  count[0] = total;
}

}  // namespace amgsolve
