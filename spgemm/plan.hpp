#pragma once

#include "spgemm/plan/plan_steps.hpp"
#include "spgemm/spgemm.hpp"

namespace amgsolve {

/// The options. Throws std::invalid_argument where the pattern of a product by them could change with its values.
const SpgemmOptions& expect_fixed_pattern(const SpgemmOptions& options);

/// The pattern of C = A B, formed once, for the values of many products whose operands have the same patterns: what a
/// sequence of operators with new coefficients needs. Values have the bits of multiply(), by an algorithm that sums in
/// the order of A's row; the sign of a zero may differ. All functions throw std::invalid_argument naming both where a
/// matrix has not the sizes or the number of entries that were planned; that its pattern is the same is the caller's
/// promise.
template <class T, MemorySpace S>
class SpgemmPlan {
 public:
  /// Forms the product once, as multiply() does. Throws what multiply() throws, and std::invalid_argument for options
  /// that would let the pattern depend on values or change the operands: drop_zeros, and input other than trusted or
  /// reject.
  SpgemmPlan(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B, const SpgemmOptions& options = {});

  /// Takes the pattern of a product that has been formed: no work on values. Throws std::invalid_argument for the same
  /// options.
  /// @param options  by which multiply() formed C = A B
  /// @param C        keeps its values, over the plan's pattern, which is borrowed: the plan must outlive it
  SpgemmPlan(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B, const SpgemmOptions& options,
             CsrMatrix<T, S>& C);

  /// C = A B for new values of A and B, over the plan's own pattern, which is borrowed: only values are allocated. The
  /// plan must outlive C.
  CsrMatrix<T, S> multiply(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B) const;

  /// The same into a C that multiply() made: no pattern work, no memory but for scratch.
  void update(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B, CsrMatrix<T, S>& C) const;

  /// Whether new values take the columns of B and C: not on a device that holds the positions of the products.
  bool reads_columns() const { return schedule_.reads_columns(); }

  /// Gives the memory of C's columns back, for a C whose columns nobody reads; its col_indices point nowhere from now
  /// on. Throws std::logic_error where reads_columns().
  void give_up_columns();

  /// What the plan holds: the pattern of C and, on a device, the positions of the products where these take at most
  /// half the bytes of A, B and C together and B has less than 2³² entries.
  std::size_t bytes() const {
    return pattern_.row_offsets.bytes() + (has_columns_ ? pattern_.col_indices.bytes() : 0) + schedule_.bytes();
  }

 private:
  struct Size {
    Index rows = 0;
    Index cols = 0;
    std::size_t nnz = 0;
  };
  static Size size_of(const CsrMatrix<T, S>& A) { return {A.rows, A.cols, A.col_indices.size()}; }
  static void expect_size(const char* name, const CsrMatrix<T, S>& A, const Size& planned);

  Size A_;
  Size B_;
  CsrMatrix<T, S> pattern_;  ///< C without values
  bool has_columns_ = true;
  PlanSchedule<S> schedule_;
};

}  // namespace amgsolve
