#include "amg/constants_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "amg/check_matrix.hpp"
#include "amg/diagonal.hpp"
#include "amg/nullspace_steps.hpp"
#include "amg/tentative.hpp"
#include "amg/unknown_order.hpp"
#include "core/collectively.hpp"
#include "core/errors.hpp"
#include "core/instantiate.hpp"
#include "core/power_of_two.hpp"
#include "core/timer.hpp"
#include "dist/halo.hpp"
#include "dist/partition.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

/// Of matrices from finite elements up to 0.16 with their own unknowns a node, from 0.27 on with others.
constexpr double most_defect_of_nodes = 0.2;

/// The same relative to the defect of one constant for all rows, the sum of those of nodes: elastic bodies and shells
/// have 1 to 2.4, one unknown a node 10 and more where its one constant has little.
constexpr double most_excess_of_nodes = 4.0;

/// Rows of candidates that are none have 0.2 to 0.5, those away from the boundary of a body with its own modes 0. The
/// constants get half of that, so that a mass term, which adds about as much to all, does not speak against the others
/// alone.
constexpr double most_defect_of_row = 0.1;

constexpr Index most_sampled_rows = 4096;

/// Rows in units that differ by less leave the constants what they are.
constexpr double least_spread = 1.25;

/// By how much of |A| |B| rows must take the scaled constants nearer to zero than the constants. Of all matrices of
/// docs/robustness.md none takes them nearer at all. With rows and columns times exp(σ N), N normal, it is about 0.08
/// at σ = 0.2, where a Laplacian takes twice the iterations with the constants, and 0.4 at σ = 1, but 0.05 and 0.1 less
/// where coefficients jump from one row to the next, which with σ = 0.2 need the constants rather.
constexpr double least_gain_by_scaling = 0.06;

/// Or to what part of that, as where a hundredth of the rows is in other units: 0.1 of the constants' 0.05, and 13
/// iterations in place of 54.
constexpr double most_left_by_scaling = 0.25;

RowStrata sample_of(std::int64_t rows) {
  return {rows, static_cast<Index>(std::min(rows, std::int64_t{most_sampled_rows}))};
}

/// Looks at what A does to constants of one size of nodes after another.
template <class T, MemorySpace S>
class ConstantsOf {
 public:
  /// Takes the memory for all of them, on all ranks or on none. Collective.
  /// @param most  unknowns a node
  ConstantsOf(Context<S>& ctx, const Operator<T, S>& A, Index most, Numbering numbering)
      : ctx_(ctx),
        A_(A),
        numbering_(numbering),
        partition_(ctx.communicator(), A.rows()),
        first_row_(partition_.first(ctx.communicator().rank())) {
    collectively(ctx.communicator(), [&] {
      candidates_ = MultiVector<T, S>(ctx, A.rows(), most, A.margins());
      zero_ = MultiVector<T, S>(ctx, A.rows(), most);
      images_ = MultiVector<double, S>(ctx, A.rows(), most);
      magnitudes_ = MultiVector<T, S>(ctx, A.rows(), most);
      scale_ = Buffer<T, S>(ctx, static_cast<std::size_t>(A.rows()));
      fill<T>(ctx, T{0}, zero_);
    });
  }

  std::int64_t rows() const { return partition_.rows(); }  ///< of all ranks

  /// ‖A B_j‖ / ‖|A| |B_j|‖ of the worst candidate.
  double defect(Index block_size) {
    fill_constants(block_size);
    return defect_of_candidates(block_size);
  }

  /// The same of the candidates times 1 / √|a_ii|.
  double scaled_defect(Index block_size) {
    fill_constants(block_size);
    A_.extract_diagonal(ctx_, scale_);
    invert_roots<T>(ctx_, std::as_const(scale_).span(), scale_);
    const MultiVectorView<T, S> candidates = first_columns(candidates_, block_size);
    scale_rows<T>(ctx_, std::as_const(scale_).span(), candidates, candidates);
    return defect_of_candidates(block_size);
  }

 private:
  /// Of memory for more of them.
  template <class Value>
  MultiVectorView<Value, S> first_columns(MultiVector<Value, S>& x, Index columns) const {
    return {x.data(), A_.rows(), columns};
  }

  void fill_constants(Index block_size) {
    const MultiVectorView<T, S> candidates = first_columns(candidates_, block_size);
    if (numbering_ == Numbering::by_node) {
      fill_constant_candidates<T>(ctx_, candidates, first_row_ % block_size);
      return;
    }
    const MultiVectorView<T, S> by_node = first_columns(magnitudes_, block_size);
    fill_constant_candidates<T>(ctx_, by_node);
    order_by_field<T>(ctx_, by_node, block_size, candidates);
  }

  double defect_of_candidates(Index columns) {
    const MultiVectorView<double, S> images = first_columns(images_, columns);
    const MultiVectorView<T, S> magnitudes = first_columns(magnitudes_, columns);
    A_.judged_residual(ctx_, first_columns(zero_, columns), first_columns(candidates_, columns).between(A_.margins()),
                       images, magnitudes);
    const std::vector<double> of_images = norms<double>(ctx_, images);
    const std::vector<double> of_magnitudes = norms<T>(ctx_, magnitudes);
    double worst = 0.0;
    for (std::size_t j = 0; j < of_images.size(); ++j) {
      worst = std::max(worst, of_magnitudes[j] > 0.0 ? of_images[j] / of_magnitudes[j] : 0.0);
    }
    return worst;
  }

  Context<S>& ctx_;
  const Operator<T, S>& A_;
  Numbering numbering_;
  Partition partition_;
  std::int64_t first_row_;  ///< of this rank
  MultiVector<T, S> candidates_;
  MultiVector<T, S> zero_;
  MultiVector<T, S> magnitudes_;
  MultiVector<double, S> images_;
  Buffer<T, S> scale_;
};

}  // namespace

template <class T, MemorySpace S>
std::optional<ConstantsCheck> check_constants(Context<S>& ctx, const Operator<T, S>& A, Index block_size,
                                              Numbering numbering) {
  ScopedTimer timer(ctx, "constants check", 0);
  std::optional<ConstantsOf<T, S>> memory;
  try {
    memory.emplace(ctx, A, block_size == 1 ? 3 : block_size, numbering);
  } catch (const OutOfMemoryError&) {
    return std::nullopt;
  }
  ConstantsOf<T, S>& constants = *memory;
  ConstantsCheck check{.defect = constants.defect(block_size),
                       .scaled_defect = constants.scaled_defect(block_size),
                       .block_size = block_size,
                       .node_size = block_size};
  if (block_size == 1) {
    for (const Index size : {2, 3}) {
      if (constants.rows() % size == 0 &&
          constants.defect(size) <= std::min(most_defect_of_nodes, most_excess_of_nodes * check.defect)) {
        check.node_size = size;
      }
    }
  }
  return check;
}

template <class T, MemorySpace S>
ModesCheck check_modes(Context<S>& ctx, const CsrMatrix<T, S>& A, Modes modes,
                       std::type_identity_t<MultiVectorView<const T, S>> vectors, Index block_size, Numbering numbering,
                       bool is_ordered) {
  ModesCheck check{.modes = modes, .numbering = numbering};
  if (A.rows == 0) {
    return check;
  }
  const RowStrata sample = sample_of(A.rows);
  const Index nodes = A.rows / block_size;
  const bool is_by_field = numbering == Numbering::by_field && !is_ordered;
  const Index as_said = is_by_field ? nodes : A.rows;
  const Index otherwise = is_ordered ? block_size : is_by_field ? A.rows : nodes;
  const auto failing_rows = [&](MultiVectorView<const T, S> B, Index first, Index second, double tolerance) {
    const auto share = [&](Index m) {
      const detail::PlacedVectors<T> placed{B.data, B.columns, A.rows, m};
      return static_cast<double>(detail::count_rows_beyond_zero(ctx, A, placed, tolerance, sample)) / sample.count;
    };
    FailingRows rows{.share = share(first), .otherwise = 1.0};
    if (rows.are_most() && first != second) {
      rows.otherwise = share(second);
    }
    return rows;
  };
  if (block_size > 1 && modes != Modes::scaled_constants) {
    check.of_constants = failing_rows({nullptr, A.rows, block_size}, as_said, otherwise, most_defect_of_row / 2.0);
  }
  if (modes == Modes::of_coordinates) {
    check.of_vectors = failing_rows(vectors, as_said, otherwise, most_defect_of_row);
  } else if (modes == Modes::given) {
    check.of_vectors = failing_rows(vectors, A.rows, A.rows, most_defect_of_row);
  }
  return check;
}

template <class T, MemorySpace S>
MeanImages mean_images(Context<S>& ctx, const CsrMatrix<T, S>& A, const MultiVector<T, S>& B,
                       std::type_identity_t<const Layout<S>*> window) {
  const Communicator& ranks = ranks_of(ctx, window);
  const std::int64_t first_row = window != nullptr ? window->first_row() : 0;
  const Index first_own = window != nullptr ? window->first_own() : 0;
  const RowStrata sample = sample_of(window != nullptr ? window->partition().rows() : A.rows);
  const MultiVectorView<const T, S> all = B.view().widened(B.view().margins);
  const detail::PlacedVectors<T> placed{all.data, all.columns, all.rows, all.rows};
  const detail::RelativeImages own = detail::sum_relative_images(ctx, A, placed, sample, first_row, first_own);
  std::array<std::int64_t, 4> sums{own.all, own.opposite, own.lone, own.by_signs};
  ranks.sum_ranks({sums.data(), sums.size()});
  const double units = detail::units_of_image * std::max(sample.count, Index{1});
  const auto mean = [&](std::int64_t sum) { return static_cast<double>(sum) / units; };
  return {mean(sums[0]), mean(sums[1]), mean(sums[2]), mean(sums[3])};
}

template <class T, MemorySpace S>
std::optional<MultiVector<T, S>> scaled_constants(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                                  const RowMagnitudes& magnitudes, const MultiVector<T, S>& constants,
                                                  std::type_identity_t<const Layout<S>*> window) {
  if (magnitudes.largest <= least_spread * magnitudes.smallest) {
    return std::nullopt;
  }
  const Communicator& ranks = ranks_of(ctx, window);
  const Margins margins = constants.view().margins;
  const double of_constants = mean_images(ctx, A, constants, window).all;
  if (of_constants <= most_image_of_usual_constants) {
    return std::nullopt;
  }
  MultiVector<T, S> scaled;
  DiagonalSigns signs;
  collectively(ranks, [&] {
    const Index first_own = window != nullptr ? window->first_own() : 0;
    signs = diagonal_signs(ctx, A, first_own);
    Buffer<T, S> roots = diagonal_of(ctx, A, first_own);
    invert_roots<T>(ctx, std::as_const(roots).span(), roots);
    scaled = MultiVector<T, S>(ctx, A.rows, constants.columns(), margins);
    scale_rows<T>(ctx, std::as_const(roots).span(), constants.view(), scaled.view());
    const double middle = std::sqrt(magnitudes.smallest) * std::sqrt(magnitudes.largest);
    axpby<T>(ctx, static_cast<T>(power_of_two_below(std::sqrt(middle))), std::as_const(scaled), T{0}, scaled);
  });
  if (std::min(ranks.max(signs.all_positive() ? 0 : 1), ranks.max(signs.not_negative < 0 ? 0 : 1)) > 0) {
    return std::nullopt;
  }
  if (window != nullptr) {
    exchange_ghosts<T, S>(ctx, *window, scaled.view().widened(margins));
  }
  const bool are_nearer = mean_images(ctx, A, scaled, window).all <
                          std::max(of_constants - least_gain_by_scaling, most_left_by_scaling * of_constants);
  return are_nearer ? std::optional(std::move(scaled)) : std::nullopt;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                  \
  template std::optional<ConstantsCheck> check_constants(Context<S>&, const Operator<T, S>&, Index, Numbering);     \
  template ModesCheck check_modes(Context<S>&, const CsrMatrix<T, S>&, Modes, MultiVectorView<const T, S>, Index,   \
                                  Numbering, bool);                                                                 \
  template MeanImages mean_images(Context<S>&, const CsrMatrix<T, S>&, const MultiVector<T, S>&, const Layout<S>*); \
  template std::optional<MultiVector<T, S>> scaled_constants(                                                       \
      Context<S>&, const CsrMatrix<T, S>&, const RowMagnitudes&, const MultiVector<T, S>&, const Layout<S>*);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
