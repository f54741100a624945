#include "spgemm/check_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

namespace amgsolve {
namespace {

constexpr SpgemmAlgorithm host_algorithms[] = {SpgemmAlgorithm::automatic, SpgemmAlgorithm::dense,
                                               SpgemmAlgorithm::hash};
constexpr SpgemmAlgorithm cuda_algorithms[] = {
    SpgemmAlgorithm::automatic, SpgemmAlgorithm::hash, SpgemmAlgorithm::esc,       SpgemmAlgorithm::esc_global,
    SpgemmAlgorithm::esc_fused, SpgemmAlgorithm::thin, SpgemmAlgorithm::row_merge, SpgemmAlgorithm::cusparse};

std::string_view name(SpgemmAlgorithm algorithm) {
  return std::ranges::find(spgemm_algorithms, algorithm, [](const auto& named) { return named.second; })->first;
}

void expect_one_of(std::span<const SpgemmAlgorithm> allowed, const char* place, SpgemmAlgorithm algorithm) {
  if (std::ranges::find(allowed, algorithm) != allowed.end()) {
    return;
  }
  std::string names(name(allowed.front()));
  for (const SpgemmAlgorithm other : allowed.subspan(1)) {
    names += other == allowed.back() ? " or " : ", ";
    names += name(other);
  }
  throw std::invalid_argument(
      fmt::format("sparse product by '{}': on {} the algorithm must be {}", name(algorithm), place, names));
}

}  // namespace

template <>
void check_algorithm<Host>(SpgemmAlgorithm algorithm) {
  expect_one_of(host_algorithms, "the host", algorithm);
}

template <>
void check_algorithm<Cuda>(SpgemmAlgorithm algorithm) {
  expect_one_of(cuda_algorithms, "a GPU", algorithm);
}

template <class T, MemorySpace S>
void check_product(const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B, SpgemmAlgorithm algorithm) {
  if (A.cols != B.rows) {
    throw std::invalid_argument(
        fmt::format("sparse product A B: A is {} x {} and B is {} x {}", A.rows, A.cols, B.rows, B.cols));
  }
  check_algorithm<S>(algorithm);
}

template void check_product(const CsrMatrix<float, Host>&, const CsrMatrix<float, Host>&, SpgemmAlgorithm);
template void check_product(const CsrMatrix<double, Host>&, const CsrMatrix<double, Host>&, SpgemmAlgorithm);
#if AMGSOLVE_HAVE_CUDA
template void check_product(const CsrMatrix<float, Cuda>&, const CsrMatrix<float, Cuda>&, SpgemmAlgorithm);
template void check_product(const CsrMatrix<double, Cuda>&, const CsrMatrix<double, Cuda>&, SpgemmAlgorithm);
#endif

}  // namespace amgsolve
