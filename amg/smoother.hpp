#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "amg/options.hpp"
#include "core/context.hpp"
#include "spmv/conversions.hpp"
#include "spmv/multi_vector.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {

/// The unknowns of a level and room to compute their next values in: sweeps read one and write the other.
template <class T, MemorySpace S>
struct Iterate {
  MultiVector<T, S> x;
  MultiVector<T, S> next;
};

/// When in a cycle a sweep is made.
enum class Side {
  before,  ///< the coarse correction
  after
};

/// What a sweep begins with.
enum class Start {
  zero,  ///< whatever x is, which is not read
  x,
  with_ghosts  ///< x, whose margins hold what A's products need of other ranks
};

/// A stationary iteration x += M⁻¹(b − A x) on one level. Where A is symmetric, the M of a sweep after the coarse
/// correction is the transpose of that before, so that the cycle is symmetric; most have one symmetric M for both.
template <class T, MemorySpace S>
class Smoother {
 public:
  virtual ~Smoother() = default;

  /// One sweep on iterate.x.
  /// @param A  the level's matrix
  virtual void sweep(Context<S>& ctx, const Operator<T, S>& A, Side side, Start start, MultiVectorView<const T, S> b,
                     Iterate<T, S>& iterate) const = 0;

  virtual std::size_t bytes() const = 0;
};

/// What a smoother may be made from on a level.
template <class T, MemorySpace S>
struct SmootherInput {
  const CsrMatrix<T, S>& A;
  Span<const T, S> diagonal;  ///< of A
  double spectral_radius;     ///< ρ(D⁻¹A); of a matrix that is not symmetric an upper bound
  Index block_size = 1;       ///< unknowns a node
  MatrixKind kind = MatrixKind::definite;
  int spectral_radius_steps = default_spectral_radius_steps;  ///< where one needs a ρ of its own
  std::shared_ptr<OperandWindow<T, S>> window{};              ///< of A's columns where ranks share its rows
  std::int64_t first_row = 0;                                 ///< of all ranks' rows, which A's first is

  Operator<T, S> products(Context<S>& ctx) const { return {ctx, borrow(A), Storage::csr, window}; }
  Index first_own() const { return window ? window->first_own() : 0; }  ///< the column of the first diagonal entry
};

template <class T, MemorySpace S>
using MakeSmoother = std::unique_ptr<Smoother<T, S>> (*)(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                         const SmootherOptions& options);

/// Whether smoothers of a type invert the diagonal blocks of the unknowns of each node.
constexpr bool is_of_blocks(SmootherType type) {
  return type == SmootherType::block_jacobi || type == SmootherType::block_chebyshev;
}

/// How smoothers of a type are made for a matrix of that kind.
template <class T, MemorySpace S>
MakeSmoother<T, S> smoother_maker(SmootherType type, MatrixKind matrix = MatrixKind::definite);

/// Which these are.
std::string_view smoother_name(SmootherType type, MatrixKind matrix);

/// Bytes of a smoother's arrays on a level, before there is one.
using SmootherBytes = double (*)(double rows, Index block_size, double value_bytes);
double smoother_bytes(SmootherType type, double rows, Index block_size, double value_bytes);

/// The types and their names in problem.yaml, and a line about them in the same order.
std::vector<std::pair<std::string_view, SmootherType>> smoother_names();
std::string_view smoother_help();

}  // namespace amgsolve
