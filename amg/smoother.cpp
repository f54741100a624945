#include "amg/smoother.hpp"

#include <algorithm>
#include <array>

#include "amg/block_smoother.hpp"
#include "amg/gauss_seidel_smoother.hpp"
#include "amg/hybrid_smoother.hpp"
#include "amg/polynomial_smoother.hpp"
#include "core/instantiate.hpp"

namespace amgsolve {
namespace {

template <class T, MemorySpace S>
struct Entry {
  SmootherType type;
  std::string_view name;
  MakeSmoother<T, S> make;
  SmootherBytes bytes;
};

/// All smoothers: a new one is a line here, and some words below.
template <class T, MemorySpace S>
constexpr std::array smoothers = {
    Entry<T, S>{SmootherType::jacobi, "jacobi", make_jacobi<T, S>, polynomial_smoother_bytes},
    Entry<T, S>{SmootherType::l1_jacobi, "l1_jacobi", make_l1_jacobi<T, S>, polynomial_smoother_bytes},
    Entry<T, S>{SmootherType::chebyshev, "chebyshev", make_chebyshev<T, S>, polynomial_smoother_bytes},
    Entry<T, S>{SmootherType::chebyshev_opt_fourth, "chebyshev_opt_fourth", make_chebyshev_opt_fourth<T, S>,
                polynomial_smoother_bytes},
    Entry<T, S>{SmootherType::block_jacobi, "block_jacobi", make_block_jacobi<T, S>, block_smoother_bytes},
    Entry<T, S>{SmootherType::block_chebyshev, "block_chebyshev", make_block_chebyshev<T, S>, block_smoother_bytes},
    Entry<T, S>{SmootherType::gauss_seidel, "gauss_seidel", make_gauss_seidel<T, S>, gauss_seidel_bytes},
    Entry<T, S>{SmootherType::hybrid_gauss_seidel, "hybrid_gauss_seidel", make_hybrid_gauss_seidel<T, S>,
                hybrid_smoother_bytes},
    Entry<T, S>{SmootherType::gmres_polynomial, "gmres_polynomial", make_gmres_polynomial<T, S>,
                polynomial_smoother_bytes},
};

constexpr std::string_view help =
    "Damped Jacobi; Jacobi with the row sums of |A|; a Chebyshev polynomial of D^-1 A; the one of the fourth kind with "
    "optimised weights (Lottes 2022); damped Jacobi, or the latter polynomial, with the inverted diagonal blocks of "
    "the "
    "nodes' unknowns in the place of D^-1; Gauss-Seidel by colours, upwards before the coarse correction and downwards "
    "after it; the same in blocks of 1024 rows, on a device of 32, with the row sums of |A| outside of them added to "
    "the diagonal; the "
    "polynomial by which GMRES makes a random vector the shortest. auto is chebyshev, for six unknowns a "
    "node and for fewer that are strongly coupled in a node block_chebyshev, and gmres_polynomial where the matrix is "
    "not symmetric";

template <class T, MemorySpace S>
const Entry<T, S>& entry_of(SmootherType type) {
  return *std::ranges::find(smoothers<T, S>, type, &Entry<T, S>::type);
}

/// What stands for automatic.
SmootherType type_for(SmootherType type, MatrixKind matrix) {
  return type != SmootherType::automatic ? type
         : matrix == MatrixKind::general ? SmootherType::gmres_polynomial
                                         : SmootherType::chebyshev;
}

}  // namespace

template <class T, MemorySpace S>
MakeSmoother<T, S> smoother_maker(SmootherType type, MatrixKind matrix) {
  return entry_of<T, S>(type_for(type, matrix)).make;
}

std::string_view smoother_name(SmootherType type, MatrixKind matrix) {
  return entry_of<double, Host>(type_for(type, matrix)).name;
}

double smoother_bytes(SmootherType type, double rows, Index block_size, double value_bytes) {
  // What stands for automatic is most often a polynomial one.
  return entry_of<double, Host>(type_for(type, MatrixKind::definite)).bytes(rows, block_size, value_bytes);
}

std::vector<std::pair<std::string_view, SmootherType>> smoother_names() {
  std::vector<std::pair<std::string_view, SmootherType>> names{{"auto", SmootherType::automatic}};
  for (const auto& entry : smoothers<double, Host>) {
    names.emplace_back(entry.name, entry.type);
  }
  return names;
}

std::string_view smoother_help() { return help; }

#define AMGSOLVE_INSTANTIATE(T, S) template MakeSmoother<T, S> smoother_maker(SmootherType, MatrixKind);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
