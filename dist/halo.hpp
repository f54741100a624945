#pragma once

#include <memory>

#include "dist/layout.hpp"
#include "spmv/operand_window.hpp"

namespace amgsolve {

/// Fills the ghosts of a window, layout.columns() × k, from the own rows of their owners, all columns of a row in one
/// message. Collective between neighbours. For T float, double, Index and unsigned numbers of 8 and 32 bits.
template <class T, MemorySpace S>
void exchange_ghosts(Context<S>& ctx, const Layout<S>& layout, MultiVectorView<T, S> window);

/// Values of the own rows, `columns` each, in their window, with the ghosts'. Collective.
template <class T, MemorySpace S>
Buffer<T, S> window_of(Context<S>& ctx, const Layout<S>& layout, std::type_identity_t<Span<const T, S>> own,
                       Index columns = 1);

/// The window of a layout as operators take it, with room for the operands of a product.
template <class T, MemorySpace S>
class Halo : public OperandWindow<T, S> {
 public:
  /// @param layout  is shared by the level's operators
  explicit Halo(std::shared_ptr<const Layout<S>> layout) : layout_(std::move(layout)) {}

  Index own_rows() const override { return layout_->own_rows(); }
  Index first_own() const override { return layout_->first_own(); }
  Index columns() const override { return layout_->columns(); }

  void reserve(Context<S>& ctx, Index columns) override;

  /// Throws std::invalid_argument where `own` has not the own rows.
  MultiVectorView<const T, S> complete(Context<S>& ctx, MultiVectorView<const T, S> own) override;

 private:
  std::shared_ptr<const Layout<S>> layout_;
  MultiVector<T, S> window_;  ///< see reserve()
};

}  // namespace amgsolve
