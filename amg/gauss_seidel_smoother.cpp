#include "amg/gauss_seidel_smoother.hpp"

#include "amg/colouring.hpp"
#include "amg/diagonal.hpp"
#include "core/instantiate.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

template <class T, MemorySpace S>
class GaussSeidel : public Smoother<T, S> {
 public:
  GaussSeidel(Buffer<T, S> inverse_diagonal, Colouring<S> colouring)
      : inverse_diagonal_(std::move(inverse_diagonal)), colouring_(std::move(colouring)) {}

  void sweep(Context<S>& ctx, const Operator<T, S>& A, Side side, Start start, MultiVectorView<const T, S> b,
             Iterate<T, S>& iterate) const override {
    if (start == Start::zero) {
      fill<T>(ctx, T{0}, iterate.x);
    }
    A.relax_in_turn(ctx, inverse_diagonal_, colouring_.rows, colouring_.starts, side == Side::after, b, iterate.x);
  }

  std::size_t bytes() const override { return inverse_diagonal_.bytes() + colouring_.rows.bytes(); }

 private:
  Buffer<T, S> inverse_diagonal_;
  Colouring<S> colouring_;
};

}  // namespace

template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_gauss_seidel(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                  const SmootherOptions&) {
  Buffer<T, S> inverse(ctx, level.diagonal.size());
  invert_diagonal<T>(ctx, level.diagonal, inverse);
  return std::make_unique<GaussSeidel<T, S>>(std::move(inverse), colour_rows(ctx, level.A));
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                    \
  template std::unique_ptr<Smoother<T, S>> make_gauss_seidel(Context<S>&, const SmootherInput<T, S>&, \
                                                             const SmootherOptions&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
