#include "amg/hybrid_smoother.hpp"

#include <utility>

#include "amg/diagonal.hpp"
#include "core/instantiate.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

template <class T, MemorySpace S>
class HybridGaussSeidel : public Smoother<T, S> {
 public:
  explicit HybridGaussSeidel(Buffer<T, S> scaling) : scaling_(std::move(scaling)) {}

  void sweep(Context<S>& ctx, const Operator<T, S>& A, Side side, Start start, MultiVectorView<const T, S> b,
             Iterate<T, S>& iterate) const override {
    if (start == Start::zero) {
      fill<T>(ctx, T{0}, iterate.x);
    }
    A.relax_blocks(ctx, scaling_, hybrid_block_rows<S>, side == Side::after, b, iterate.x, iterate.next);
    std::swap(iterate.x, iterate.next);
  }

  std::size_t bytes() const override { return scaling_.bytes(); }

 private:
  Buffer<T, S> scaling_;
};

}  // namespace

template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_hybrid_gauss_seidel(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                         const SmootherOptions&) {
  Buffer<T, S> scaling(ctx, level.diagonal.size());
  invert_hybrid_norms<T>(ctx, level.A, hybrid_block_rows<S>, scaling);
  return std::make_unique<HybridGaussSeidel<T, S>>(std::move(scaling));
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                           \
  template std::unique_ptr<Smoother<T, S>> make_hybrid_gauss_seidel(Context<S>&, const SmootherInput<T, S>&, \
                                                                    const SmootherOptions&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
