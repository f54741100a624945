#pragma once

#include "core/context.hpp"
#include "core/copy.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {

/// The units of a method whose step is a cg_update(): 0 for a column that is left as it is, which is said where the
/// vectors lie, so that no step waits for it.
template <MemorySpace S>
class ColumnUnits {
 public:
  ColumnUnits(Context<S>& ctx, Index columns) : units_(ctx, static_cast<std::size_t>(columns)) {}

  void restart(Context<S>& ctx, Span<const double, S> units) { copy<double>(ctx, units, units_.span()); }
  void leave(Context<S>& ctx, std::size_t column) {
    fill<double>(ctx, 0.0, MultiVectorView<double, S>(units_.data() + column, 1));
  }
  Span<const double, S> values() const { return units_.span(); }

 private:
  Buffer<double, S> units_;
};

}  // namespace amgsolve
