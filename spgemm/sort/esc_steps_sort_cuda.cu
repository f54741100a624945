#include <cub/device/device_radix_sort.cuh>
#include <utility>

#include "core/cub_cuda.cuh"
#include "spgemm/sort/esc_steps_cuda.hpp"

namespace amgsolve::esc {

template <class T>
void sort(Context<Cuda>& ctx, Products<T>& products, int bits) {
  if (products.keys.empty() || bits == 0) {
    return;
  }
  cub::DoubleBuffer<std::uint64_t> keys(products.keys.data(), products.other_keys.data());
  cub::DoubleBuffer<T> values(products.values.data(), products.other_values.data());
  run_cub(ctx, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values,
                                           static_cast<std::int64_t>(products.keys.size()), 0, bits, ctx.stream());
  });
  if (keys.Current() != products.keys.data()) {
    std::swap(products.keys, products.other_keys);
  }
  if (values.Current() != products.values.data()) {
    std::swap(products.values, products.other_values);
  }
}

template void sort(Context<Cuda>&, Products<float>&, int);
template void sort(Context<Cuda>&, Products<double>&, int);

}  // namespace amgsolve::esc
