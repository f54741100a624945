#include "spgemm/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/format.hpp"
#include "spgemm/auto.hpp"
#include "spgemm/cusparse/vendor.hpp"
#include "spgemm/dense/thin.hpp"
#include "spgemm/esc/esc.hpp"
#include "spgemm/esc/esc_fused.hpp"
#include "spgemm/hash/hash.hpp"
#include "spgemm/host/gustavson.hpp"
#include "spgemm/merge/row_merge.hpp"
#include "spgemm/sort/esc_global.hpp"

namespace amgsolve {
namespace {

// The function for both value types.
#define AMGSOLVE_HOST(function) \
  { function, function }
#if AMGSOLVE_HAVE_CUDA
#define AMGSOLVE_CUDA(function) \
  { function, function }
#else
#define AMGSOLVE_CUDA(function) \
  {}
#endif

constexpr SpgemmAlgorithm algorithms[] = {
    {"auto", "picked for each product", true, AMGSOLVE_HOST(multiply_auto), AMGSOLVE_CUDA(multiply_auto)},
    {"dense", "host: rows added up in a dense array", true, AMGSOLVE_HOST(multiply_dense)},
    {"hash", "rows added up in hash tables", true, AMGSOLVE_HOST(multiply_hash), AMGSOLVE_CUDA(multiply_hash)},
    {"esc", "GPU: expanded, sorted and contracted on chip", true, {}, AMGSOLVE_CUDA(multiply_esc)},
    {"esc_global", "GPU: the same in global memory", true, {}, AMGSOLVE_CUDA(multiply_esc_global)},
    {"esc_fused", "GPU: the same by one kernel, for small matrices", true, {}, AMGSOLVE_CUDA(multiply_esc_fused)},
    {"thin", "GPU: rows added up in dense chunks, for few columns", true, {}, AMGSOLVE_CUDA(multiply_thin)},
    {"row_merge", "GPU: sorted rows merged", false, {}, AMGSOLVE_CUDA(multiply_row_merge)},
    {"cusparse", "GPU: the vendor's, for comparison", false, {}, AMGSOLVE_CUDA(multiply_cusparse)},
};
#undef AMGSOLVE_HOST
#undef AMGSOLVE_CUDA

/// "a, b or c": the names of the algorithms for which the predicate holds.
template <class Predicate>
std::string names_where(const Predicate& predicate) {
  std::vector<std::string_view> names;
  for (const SpgemmAlgorithm& algorithm : algorithms) {
    if (predicate(algorithm)) {
      names.push_back(algorithm.name);
    }
  }
  const std::string_view last = names.back();
  names.pop_back();
  return format_text("{} or {}", fmt::join(names, ", "), last);
}

}  // namespace

std::span<const SpgemmAlgorithm> spgemm_algorithms() { return algorithms; }

const SpgemmAlgorithm* spgemm_algorithm(std::string_view name) {
  const SpgemmAlgorithm* const found = std::ranges::find(algorithms, name, &SpgemmAlgorithm::name);
  if (found == std::end(algorithms)) {
    throw std::invalid_argument(format_text("sparse product by '{}': the algorithm must be {}", name,
                                            names_where([](const SpgemmAlgorithm&) { return true; })));
  }
  return found;
}

template <MemorySpace S>
void check_algorithm(const SpgemmAlgorithm& algorithm) {
  const auto has_functions = [](const SpgemmAlgorithm& any) { return any.functions<S>().of_double != nullptr; };
  if (!has_functions(algorithm)) {
    throw std::invalid_argument(format_text("sparse product by '{}': on {} the algorithm must be {}", algorithm.name,
                                            std::same_as<S, Host> ? "the host" : "a GPU", names_where(has_functions)));
  }
}

template void check_algorithm<Host>(const SpgemmAlgorithm&);
template void check_algorithm<Cuda>(const SpgemmAlgorithm&);

}  // namespace amgsolve
