#include "core/radix_pairs_cuda.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <utility>

#include "core/cub_cuda.cuh"

namespace amgsolve {

template <class Word>
void RadixPairs<Word>::sort(Context<Cuda>& ctx, int bits) {
  const auto count = static_cast<std::int64_t>(keys_.size());
  if (count == 0 || bits == 0) {
    return;
  }
  cub::DoubleBuffer<Word> keys(keys_.data(), other_keys_.data());
  cub::DoubleBuffer<Word> values(values_.data(), other_values_.data());
  run_cub(ctx, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values, count, 0, bits, ctx.stream());
  });
  if (keys.Current() != keys_.data()) {
    std::swap(keys_, other_keys_);
    std::swap(values_, other_values_);
  }
}

template class RadixPairs<std::uint32_t>;
template class RadixPairs<std::uint64_t>;

}  // namespace amgsolve
