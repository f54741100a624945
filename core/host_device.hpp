#pragma once

/// Marks a function that kernels call too: plain C++ for g++, __host__ __device__ for nvcc.
#if defined(__CUDACC__)
#define AMGSOLVE_HOST_DEVICE __host__ __device__
#else
#define AMGSOLVE_HOST_DEVICE
#endif
