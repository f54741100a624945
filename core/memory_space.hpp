#pragma once

#include <concepts>

namespace amgsolve {

/// Memory space of the host: main memory, worked on by OpenMP threads.
struct Host {};

/// Memory space of one NVIDIA GPU: device memory, worked on by CUDA kernels on a stream.
struct Cuda {};

/// A tag type naming where data lives. Every container and context carries one in its type, so that a host matrix
/// with a CUDA context does not compile.
template <class S>
concept MemorySpace = std::same_as<S, Host> || std::same_as<S, Cuda>;

}  // namespace amgsolve
