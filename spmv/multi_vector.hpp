#pragma once

#include "core/buffer.hpp"

namespace amgsolve {

/// A trivially copyable reference to a multivector: rows × columns values, row-major and contiguous (entry (i, j) at
/// i · columns + j). With one column it is an ordinary vector; k right-hand sides are solved together with k columns.
template <class T, MemorySpace S>
struct MultiVectorView {
  T* data = nullptr;
  Index rows = 0;
  Index columns = 1;

  MultiVectorView() = default;
  MultiVectorView(T* data_, Index rows_, Index columns_ = 1) : data(data_), rows(rows_), columns(columns_) {}

  /// MultiVectorView<T> converts to MultiVectorView<const T>.
  template <class U>
  requires std::is_same_v<const U, T> MultiVectorView(MultiVectorView<U, S> other)
      : data(other.data), rows(other.rows), columns(other.columns) {}

  std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
  Span<T, S> span() const { return {data, size()}; }
};

/// A multivector that owns its values (uninitialised when made); see MultiVectorView.
template <class T, MemorySpace S>
class MultiVector {
 public:
  MultiVector() = default;
  MultiVector(Context<S>& ctx, Index rows, Index columns = 1)
      : values_(ctx,
                checked_multiply(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), "multivector")),
        rows_(rows),
        columns_(columns) {}

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  std::size_t size() const { return values_.size(); }
  std::size_t bytes() const { return values_.bytes(); }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }

  MultiVectorView<T, S> view() { return {values_.data(), rows_, columns_}; }
  MultiVectorView<const T, S> view() const { return {values_.data(), rows_, columns_}; }
  operator MultiVectorView<T, S>() { return view(); }
  operator MultiVectorView<const T, S>() const { return view(); }

 private:
  Buffer<T, S> values_;
  Index rows_ = 0;
  Index columns_ = 1;
};

}  // namespace amgsolve
