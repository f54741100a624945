#pragma once

#include <algorithm>
#include <cstddef>

#include "core/buffer.hpp"
#include "core/workspace.hpp"

namespace amgsolve {

/// How many rows of other ranks there is room for directly before a multivector's own rows, and directly after them.
struct Margins {
  Index below = 0;
  Index above = 0;

  bool hold(const Margins& other) const { return below >= other.below && above >= other.above; }
};

/// The narrowest that hold both.
inline Margins join(const Margins& a, const Margins& b) {
  return {std::max(a.below, b.below), std::max(a.above, b.above)};
}

/// A trivially copyable reference to a multivector: rows × columns values, row-major and contiguous (entry (i, j) at
/// i · columns + j). With one column it is an ordinary vector; k right-hand sides are solved together with k columns.
/// What is in the margins belongs to no value of the multivector: products that need rows of other ranks receive them
/// there, whether the rows themselves are const or not, or find what was formed there (see OperandWindow).
template <class T, MemorySpace S>
struct MultiVectorView {
  T* data = nullptr;
  Index rows = 0;
  Index columns = 1;
  Margins margins{};
  std::remove_const_t<T>* between_margins = nullptr;  ///< data, where there are any
  bool has_ghosts = false;  ///< the margins hold all that a product needs of other ranks: see OperandWindow

  MultiVectorView() = default;
  MultiVectorView(T* data_, Index rows_, Index columns_ = 1) : data(data_), rows(rows_), columns(columns_) {}

  /// MultiVectorView<T> converts to MultiVectorView<const T>.
  template <class U>
  requires std::is_same_v<const U, T> MultiVectorView(MultiVectorView<U, S> other)
      : data(other.data),
        rows(other.rows),
        columns(other.columns),
        margins(other.margins),
        between_margins(other.between_margins),
        has_ghosts(other.has_ghosts) {}

  /// The same, with margins in the memory on both sides.
  MultiVectorView between(Margins margins_) const requires(!std::is_const_v<T>) {
    MultiVectorView view = *this;
    view.margins = margins_;
    view.between_margins = data;
    return view;
  }

  /// With the rows in its margins, which hold those.
  MultiVectorView<std::remove_const_t<T>, S> widened(Margins by) const {
    return {between_margins - std::ptrdiff_t{by.below} * columns, by.below + rows + by.above, columns};
  }

  std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
  Span<T, S> span() const { return {data, size()}; }
};

/// A multivector that owns its values and margins (uninitialised when made); see MultiVectorView. With margins or
/// without, the values begin at a multiple of 256 bytes.
template <class T, MemorySpace S>
class MultiVector {
 public:
  MultiVector() = default;
  MultiVector(Context<S>& ctx, Index rows, Index columns = 1, Margins margins = {})
      : values_(ctx, size_with(rows, columns, margins)),
        data_(values_.data() + before(margins, columns)),
        rows_(rows),
        columns_(columns),
        margins_(margins) {}

  /// One in scratch memory, which the scope gives back.
  static MultiVectorView<T, S> scratch(WorkspaceScope<S>& scope, Index rows, Index columns = 1, Margins margins = {}) {
    T* const begin = scope.template take<T>(size_with(rows, columns, margins)).data();
    return MultiVectorView<T, S>(begin + before(margins, columns), rows, columns).between(margins);
  }

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  std::size_t size() const { return elements(rows_, columns_); }
  std::size_t bytes() const { return values_.bytes(); }  ///< with the margins
  T* data() { return data_; }
  const T* data() const { return data_; }

  MultiVectorView<T, S> view() { return whole(); }
  MultiVectorView<const T, S> view() const { return whole(); }
  operator MultiVectorView<T, S>() { return view(); }
  operator MultiVectorView<const T, S>() const { return view(); }

 private:
  static std::size_t elements(Index rows, Index columns) {
    return checked_multiply(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), "multivector");
  }
  /// The margin below, and what the values' alignment takes.
  static std::size_t before(Margins margins, Index columns) {
    constexpr std::size_t step = 256 / sizeof(T);
    return (elements(margins.below, columns) + step - 1) / step * step;
  }
  static std::size_t size_with(Index rows, Index columns, Margins margins) {
    return before(margins, columns) + elements(rows, columns) + elements(margins.above, columns);
  }
  MultiVectorView<T, S> whole() const { return MultiVectorView<T, S>(data_, rows_, columns_).between(margins_); }

  Buffer<T, S> values_;
  T* data_ = nullptr;
  Index rows_ = 0;
  Index columns_ = 1;
  Margins margins_{};
};

}  // namespace amgsolve
