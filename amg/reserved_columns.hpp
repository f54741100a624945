#pragma once

#include "core/collectively.hpp"
#include "core/types.hpp"

namespace amgsolve {

/// For how many columns an object has vectors: the same on all ranks, also on one without rows.
class ReservedColumns {
 public:
  /// make() where they are for another number of columns: has vectors on all ranks then, or, where it throws on one of
  /// them, on none. Collective then.
  template <class Make>
  void reserve(const Communicator& communicator, Index columns, const Make& make) {
    if (columns_ != columns) {
      columns_ = 0;
      collectively(communicator, make);
      columns_ = columns;
    }
  }

 private:
  Index columns_ = 0;
};

}  // namespace amgsolve
