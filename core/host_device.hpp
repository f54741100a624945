#pragma once

/// Marks a function that kernels call too: plain C++ for g++, __host__ __device__ for nvcc.
#if defined(__CUDACC__)
#define AMGSOLVE_HOST_DEVICE __host__ __device__
#else
#define AMGSOLVE_HOST_DEVICE
#endif

/// Marks a function that only kernels call where nvcc compiles it, and only the host where g++ does: one over lanes,
/// since those of a device are its own.
#if defined(__CUDACC__)
#define AMGSOLVE_LANES __device__
#else
#define AMGSOLVE_LANES
#endif

namespace amgsolve {

/// *source, which nothing writes while a kernel that asks for it runs: such loads may overtake others.
template <class T>
AMGSOLVE_HOST_DEVICE inline T read_only(const T* source) {
#if defined(__CUDA_ARCH__)
  return __ldg(source);
#else
  return *source;
#endif
}

}  // namespace amgsolve
