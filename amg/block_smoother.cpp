#include "amg/block_smoother.hpp"

#include "amg/block_diagonal.hpp"
#include "amg/optimal_polynomial.hpp"
#include "amg/spectral_radius.hpp"
#include "core/collectively.hpp"
#include "core/instantiate.hpp"

namespace amgsolve {
namespace {

template <class T, MemorySpace S>
class BlockSmoother : public Smoother<T, S> {
 public:
  /// @param steps  τ of each step x += τ D_B⁻¹ (b − A x)
  BlockSmoother(BlockDiagonal<T, S> blocks, std::vector<double> steps)
      : blocks_(std::move(blocks)), steps_(std::move(steps)) {}

  void sweep(Context<S>& ctx, const Operator<T, S>& A, Side, Start start, MultiVectorView<const T, S> b,
             Iterate<T, S>& iterate) const override {
    bool is_zero = start == Start::zero;
    for (const double step : steps_) {
      if (is_zero) {
        apply_blocks(ctx, static_cast<T>(step), blocks_, b, T{0}, iterate.x);
      } else {
        A.residual(ctx, b, iterate.x, iterate.next);
        apply_blocks(ctx, static_cast<T>(step), blocks_, iterate.next, T{1}, iterate.x);
      }
      is_zero = false;
    }
  }

  std::size_t bytes() const override { return blocks_.inverse.bytes(); }

 private:
  BlockDiagonal<T, S> blocks_;
  std::vector<double> steps_;
};

/// Blocks that are larger than invert_diagonal_blocks() takes count as single unknowns.
Index usable_block_size(Index block_size) { return block_size <= largest_block ? block_size : 1; }

/// Collective where ranks share the level.
template <class T, MemorySpace S>
BlockDiagonal<T, S> inverse_blocks(Context<S>& ctx, const SmootherInput<T, S>& level, bool adds_l1_norms) {
  return collectively(ctx.communicator(), [&] {
    return invert_diagonal_blocks(ctx, level.A, usable_block_size(level.block_size), adds_l1_norms, level.first_own());
  });
}

/// For a matrix that is not symmetric, of which no ρ is known: steps of block l1-Jacobi.
template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_repeated_l1_blocks(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                        const SmootherOptions& options) {
  return std::make_unique<BlockSmoother<T, S>>(
      inverse_blocks(ctx, level, true),
      std::vector<double>(static_cast<std::size_t>(options.degree.value_or(default_degree)), 1.0));
}

/// @param steps_of  the steps for ρ(D_B⁻¹A)
template <class T, MemorySpace S, class StepsOf>
std::unique_ptr<Smoother<T, S>> make_polynomial_of_blocks(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                          const StepsOf& steps_of) {
  BlockDiagonal<T, S> blocks = inverse_blocks(ctx, level, false);
  const double rho = spectral_radius(ctx, level.products(ctx), blocks, level.spectral_radius_steps, level.first_row);
  return std::make_unique<BlockSmoother<T, S>>(std::move(blocks), steps_of(positive_radius(rho)));
}

}  // namespace

template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_block_jacobi(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                  const SmootherOptions& options) {
  if (level.kind == MatrixKind::general) {
    return make_repeated_l1_blocks(ctx, level, options);
  }
  return make_polynomial_of_blocks(ctx, level, [&](double rho) { return std::vector{options.damping / rho}; });
}

template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_block_chebyshev(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                     const SmootherOptions& options) {
  if (level.kind == MatrixKind::general) {
    return make_repeated_l1_blocks(ctx, level, options);
  }
  return make_polynomial_of_blocks(ctx, level, [&](double rho) {
    return optimal_steps(options.degree.value_or(default_degree), radius_margin * rho);
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                       \
  template std::unique_ptr<Smoother<T, S>> make_block_jacobi(Context<S>&, const SmootherInput<T, S>&,    \
                                                             const SmootherOptions&);                    \
  template std::unique_ptr<Smoother<T, S>> make_block_chebyshev(Context<S>&, const SmootherInput<T, S>&, \
                                                                const SmootherOptions&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
