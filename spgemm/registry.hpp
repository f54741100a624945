#pragma once

#include <span>
#include <string_view>

#include "spmv/csr_matrix.hpp"

/// The algorithms that form sparse products. What knows them by name, the configuration with its help, the benchmark
/// and the tests, takes them from here: a new one is a folder of its own and a line in registry.cpp.
namespace amgsolve {

struct SpgemmOptions;

/// C = A B, and the number of products a_ik b_kj that were summed.
template <class T, MemorySpace S>
struct SpgemmProduct {
  CsrMatrix<T, S> C;
  Offset products = 0;
};

/// Forms A B, for operands that have been checked. Rows of C are sorted, with unique columns; zeros are kept.
template <class T, MemorySpace S>
using SpgemmFunction = SpgemmProduct<T, S> (*)(Context<S>&, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                                               const SpgemmOptions&);

/// That of each value type; null where a memory space has not the algorithm.
template <MemorySpace S>
struct SpgemmFunctions {
  SpgemmFunction<float, S> of_float = nullptr;
  SpgemmFunction<double, S> of_double = nullptr;

  template <class T>
  SpgemmFunction<T, S> of() const {
    if constexpr (std::same_as<T, float>) {
      return of_float;
    } else {
      return of_double;
    }
  }
};

struct SpgemmAlgorithm {
  std::string_view name;
  std::string_view help;  ///< how it forms a row of C
  bool sums_in_order;     ///< every c_ij in the order of A's row, so that all such algorithms give the same bits
  SpgemmFunctions<Host> host = {};
  SpgemmFunctions<Cuda> cuda = {};

  template <MemorySpace S>
  const SpgemmFunctions<S>& functions() const {
    if constexpr (std::same_as<S, Host>) {
      return host;
    } else {
      return cuda;
    }
  }
};

/// All of them; those of a device have no functions in a build without CUDA.
std::span<const SpgemmAlgorithm> spgemm_algorithms();

/// The one with that name. Throws std::invalid_argument naming all where there is none.
const SpgemmAlgorithm* spgemm_algorithm(std::string_view name);

/// Throws std::invalid_argument naming the algorithms of the memory space where this is none of them.
template <MemorySpace S>
void check_algorithm(const SpgemmAlgorithm& algorithm);

}  // namespace amgsolve
