#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

/// Sparse matrix × sparse matrix.
namespace amgsolve {

/// How a product is formed. All sum an entry c_ij in the order of A's row and give the same bits, but for `row_merge`,
/// which sums longer rows of A in pieces of a fixed size, and `cusparse`, which may round differently.
enum class SpgemmAlgorithm {
  automatic,   ///< picks by the sizes of the product and an estimate of its rows, within limits that were measured
  dense,       ///< host: Gustavson's row-by-row method (1978) with a dense accumulator of B.cols entries a thread
  hash,        ///< Gustavson's method with a hash table a row, sized for the entries to expect
  esc,         ///< device: expansion, sorting and contraction on chip, rows grouped by work (Dalton, Olson, Bell 2015)
  esc_global,  ///< device: expansion, sorting and contraction of all products in global memory (Bell, Dalton, Olson
               ///< 2012)
  esc_fused,   ///< device: expands, sorts and contracts a row by a warp in one kernel: least latency for small matrices
  thin,        ///< device: dense accumulators for chunks of columns, for a B of few columns
  row_merge,   ///< device: merges the sorted rows of B (Gremse et al. 2015)
  cusparse     ///< device: the vendor's, for comparison
};

/// The algorithms by the names that configurations and benchmarks use.
inline constexpr std::array<std::pair<std::string_view, SpgemmAlgorithm>, 9> spgemm_algorithms{
    {{"auto", SpgemmAlgorithm::automatic},
     {"dense", SpgemmAlgorithm::dense},
     {"hash", SpgemmAlgorithm::hash},
     {"esc", SpgemmAlgorithm::esc},
     {"esc_global", SpgemmAlgorithm::esc_global},
     {"esc_fused", SpgemmAlgorithm::esc_fused},
     {"thin", SpgemmAlgorithm::thin},
     {"row_merge", SpgemmAlgorithm::row_merge},
     {"cusparse", SpgemmAlgorithm::cusparse}}};

/// What multiply does about rows of A or B whose columns do not ascend strictly. Every matrix that the library makes
/// has such rows; only matrices from elsewhere need the pass that finds out.
enum class SpgemmInput {
  trusted,  ///< the caller knows that they do; the result is undefined where they do not
  reject,   ///< std::invalid_argument naming the first such row
  sort      ///< sorted copies are multiplied, duplicated entries summed first
};

/// What SpgemmOptions::bins may be at most: the products that there is room for on chip.
inline constexpr std::array<Offset, 3> largest_bins = {32, 1024, 6144};

struct SpgemmOptions {
  SpgemmAlgorithm algorithm = SpgemmAlgorithm::automatic;
  /// esc: most products of a row that a thread, a warp and a block form; longer rows go to global memory. Ascending, up
  /// to largest_bins.
  std::array<Offset, 3> bins = {32, 736, 6144};
  /// esc_global, esc: most products expanded at a time, in slices; 0 takes what half of the free memory holds.
  Offset slice_products = 0;
  bool drop_zeros = false;  ///< leave out the entries whose value is exactly zero
  SpgemmInput input = SpgemmInput::trusted;
  bool statistics = false;  ///< have the hierarchy's setup tabulate every product's statistics
};

/// Throws std::invalid_argument naming the algorithms of the memory space where the one given is none of them.
template <MemorySpace S>
void check_algorithm(SpgemmAlgorithm algorithm);

/// C = A B. Rows of C are sorted with unique columns; every c_ij is summed in the order of A's row, so the bits do not
/// depend on threads or accumulator. Entries that cancel to zero are kept unless options.drop_zeros. Throws
/// std::invalid_argument naming both sizes where A.cols ≠ B.rows, or the algorithms there are where the memory space
/// has not the one asked for. Cost: 2 Σ_i Σ_{k ∈ A_i} nnz(B_k) flops.
template <class T, MemorySpace S>
CsrMatrix<T, S> multiply(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                         const SpgemmOptions& options = {});

}  // namespace amgsolve
