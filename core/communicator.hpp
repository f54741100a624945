#pragma once

#include <cstdint>

#include "core/span.hpp"

struct CUstream_st;

namespace amgsolve {

/// The ranks that share a matrix, by rows: what the results of a rank depend on beside its own rows and ghosts. A
/// context is given one, serial by default. Sums are of integers, which have the same bits in any order; what is summed
/// in floating point goes through core/global_sum.hpp. Every rank of a communicator calls the same functions in the
/// same order.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// x = Σ of the ranks' x, element by element; in device memory when the stream gets there.
  virtual void sum_ranks(Span<std::int64_t, Host> x) const = 0;
  virtual void sum_ranks(Span<std::int64_t, Cuda> x, CUstream_st* stream) const = 0;

  virtual std::int64_t max(std::int64_t local) const = 0;
  std::int64_t sum(std::int64_t local) const {
    sum_ranks({&local, 1});
    return local;
  }

  /// One rank with all rows.
  static const Communicator& serial();
};

}  // namespace amgsolve
