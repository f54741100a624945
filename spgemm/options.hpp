#pragma once

#include <array>

#include "spgemm/nodes/node_sizes.hpp"
#include "spgemm/registry.hpp"
#include "spmv/row_margins.hpp"

namespace amgsolve {

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
  const SpgemmAlgorithm* algorithm = spgemm_algorithm("auto");
  /// esc: most products of a row that a few lanes, a warp and a block form; longer rows go to global memory. Ascending,
  /// up to largest_bins.
  std::array<Offset, 3> bins = {32, 736, 6144};
  /// esc_global, esc: most products expanded at a time, in slices; 0 takes what half of the free memory holds.
  Offset slice_products = 0;
  bool drop_zeros = false;  ///< leave out the entries whose value is exactly zero
  SpgemmInput input = SpgemmInput::trusted;
  /// Where A and B have all their entries in dense blocks of such nodes, the algorithm forms the pattern of the blocks
  /// alone (spgemm/nodes); elsewhere they say nothing.
  NodeSizes nodes = {};
  /// Beside the entries of C, where auto finds a way to form it that leaves any.
  RowMargins margins = {};
  bool statistics = false;  ///< have the hierarchy's setup tabulate every product's statistics
};

}  // namespace amgsolve
