#include "core/memory_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>

#include "core/check_cuda.hpp"

namespace amgsolve {
namespace {

// By default a pool returns its unused memory to the driver at every synchronisation and has to map it again; this one
// keeps it until the device is full or the context ends.
constexpr std::uint64_t release_threshold = std::numeric_limits<std::uint64_t>::max();

// Neither has a destructor, which would run before those of an application's global solvers.
std::mutex pools_mutex;
MemoryPool* first_pool = nullptr;

cudaMemPool_t make_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  AMGSOLVE_CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
  return pool;
}

std::size_t attribute(cudaMemPool_t pool, cudaMemPoolAttr name) {
  std::uint64_t value = 0;
  AMGSOLVE_CUDA_CHECK(cudaMemPoolGetAttribute(pool, name, &value));
  return value;
}

}  // namespace

MemoryPool::MemoryPool(int device)
    : device_(device), handle_(make_pool(device), [](cudaMemPool_t pool) { cudaMemPoolDestroy(pool); }) {
  std::uint64_t threshold = release_threshold;
  AMGSOLVE_CUDA_CHECK(cudaMemPoolSetAttribute(handle(), cudaMemPoolAttrReleaseThreshold, &threshold));
  const std::lock_guard lock(pools_mutex);
  next_ = first_pool;
  first_pool = this;
}

MemoryPool::~MemoryPool() {
  const std::lock_guard lock(pools_mutex);
  MemoryPool** link = &first_pool;
  while (*link != this) {
    link = &(*link)->next_;
  }
  *link = next_;
}

template <class Visit>
void MemoryPool::visit_all(const Visit& visit) const {
  const std::lock_guard lock(pools_mutex);
  for (const MemoryPool* pool = first_pool; pool != nullptr; pool = pool->next_) {
    if (pool->device_ == device_) {
      visit(*pool);
    }
  }
}

std::size_t MemoryPool::unused() const {
  // The thread that works with the pool may change it in between.
  const std::size_t used = attribute(handle(), cudaMemPoolAttrUsedMemCurrent);
  return std::max(attribute(handle(), cudaMemPoolAttrReservedMemCurrent), used) - used;
}

std::size_t MemoryPool::unused_of_all() const {
  std::size_t bytes = 0;
  visit_all([&](const MemoryPool& pool) { bytes += pool.unused(); });
  return bytes;
}

void MemoryPool::trim_all() const {
  visit_all([](const MemoryPool& pool) { AMGSOLVE_CUDA_CHECK(cudaMemPoolTrimTo(pool.handle(), 0)); });
}

}  // namespace amgsolve
