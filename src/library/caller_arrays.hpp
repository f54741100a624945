#pragma once

#include <amgsolve/amgsolve.hpp>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "core/algorithms.hpp"
#include "core/context.hpp"
#include "core/copy.hpp"
#include "core/device.hpp"
#include "core/format.hpp"
#include "core/timer.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// The caller's arrays as buffers in the memory space of a solver. Phase, where something is copied: "transfer".
template <MemorySpace S>
class CallerArrays {
 public:
  CallerArrays(Context<S>& ctx, MemoryKind memory, Ownership ownership)
      : ctx_(&ctx), memory_(memory), ownership_(ownership) {}

  template <class V>
  Buffer<V, S> in_space(ArrayView<const V> values, const char* name) {
    check(values, name);
    if constexpr (std::same_as<S, Cuda>) {
      if (memory_ == MemoryKind::host) {
        const ScopedTimer timer(*ctx_, "transfer");
        return upload(*ctx_, Span<const V, Host>(values.data(), values.size()));
      }
    }
    const Span<const V, S> elements(values.data(), values.size());
    if (ownership_ == Ownership::borrow) {
      return Buffer<V, S>::borrow(elements);
    }
    const ScopedTimer timer(*ctx_, "transfer");
    Buffer<V, S> copied(*ctx_, values.size());
    copy(*ctx_, elements, copied.span());
    return copied;
  }

  /// Where to form what goes to the caller's values: they themselves, or room for a copy; hand_over() brings it there.
  template <class V>
  Buffer<V, S> room_in_space(ArrayView<V> values, const char* name) {
    check(values, name);
    if constexpr (std::same_as<S, Cuda>) {
      if (memory_ == MemoryKind::host) {
        return Buffer<V, S>(*ctx_, values.size());
      }
    }
    return Buffer<V, S>::borrow(Span<V, S>(values.data(), values.size()));
  }

  /// The same with the caller's values in it.
  template <class V>
  requires(!std::is_const_v<V>) Buffer<V, S> in_space(ArrayView<V> values, const char* name) {
    Buffer<V, S> room = room_in_space(values, name);
    if (room.data() != values.data()) {
      const ScopedTimer timer(*ctx_, "transfer");
      upload<V>(*ctx_, {values.data(), values.size()}, room.span());
    }
    return room;
  }

  /// Brings to the caller's values what was formed elsewhere.
  template <class V>
  void hand_over(const Buffer<V, S>& formed, ArrayView<V> values) {
    if (formed.data() != values.data()) {
      const ScopedTimer timer(*ctx_, "transfer");
      download(*ctx_, formed.span(), {values.data(), values.size()});
    }
  }

  Buffer<Offset, S> offsets_in_space(ArrayView<const std::int64_t> offsets) { return in_space(offsets, "row_offsets"); }

  Buffer<Offset, S> offsets_in_space(ArrayView<const std::int32_t> offsets) {
    CallerArrays borrowing(*ctx_, memory_, Ownership::borrow);
    const Buffer<Index, S> narrow = borrowing.in_space(offsets, "row_offsets");
    const ScopedTimer timer(*ctx_, "transfer");
    Buffer<Offset, S> wide(*ctx_, narrow.size());
    widen(*ctx_, narrow, wide);
    return wide;
  }

  template <class T, class OffsetOfView>
  CsrMatrix<T, S> matrix_in_space(const CsrView<T, OffsetOfView>& A) {
    CsrMatrix<T, S> result;
    result.rows = checked_index(A.rows, "rows of the matrix");
    result.cols = checked_index(A.cols, "columns of the matrix");
    result.row_offsets = offsets_in_space(A.row_offsets);
    result.col_indices = in_space(A.col_indices, "col_indices");
    result.values = in_space(A.values, "values");
    return result;
  }

 private:
  template <class V>
  void check(ArrayView<V> values, const char* name) const {
    if (values.data() == nullptr && !values.empty()) {
      throw std::invalid_argument(format_text("{}: a null pointer for {} values", name, values.size()));
    }
    if constexpr (std::same_as<S, Cuda>) {
      if (memory_ == MemoryKind::host) {
        require_host_pointer(values.data(), name);
        return;
      }
      require_device_pointer(values.data(), ctx_->device(), name);
      // A kernel that follows such an address leaves the program without a device.
      if (reinterpret_cast<std::uintptr_t>(values.data()) % alignof(V) != 0) {
        throw std::invalid_argument(format_text("{} does not begin at a multiple of {} bytes", name, alignof(V)));
      }
    } else if (memory_ == MemoryKind::device) {
      throw std::invalid_argument(
          format_text("{} is said to be device memory; the solver runs on the host ('solver.backend')", name));
    }
  }

  Context<S>* ctx_;
  MemoryKind memory_;
  Ownership ownership_;
};

}  // namespace amgsolve
