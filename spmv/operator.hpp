#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/context.hpp"
#include "spmv/multi_vector.hpp"
#include "spmv/operand_window.hpp"
#include "spmv/storages.hpp"

namespace amgsolve {

/// Forms Y = A X in place of a stored matrix. Like every operation it is asynchronous on the context's stream.
template <class T, MemorySpace S>
using FormProduct = std::function<void(Context<S>&, MultiVectorView<const T, S> X, MultiVectorView<T, S> Y)>;

/// A sparse matrix A (n × m) as a cycle and a Krylov method multiply by it: stored once, after setup or, where that is
/// light, for it, in the storage that is cheapest for products.
///
/// X has m rows, B, R and Y have n, all of them k columns; inputs and output must not overlap. Every product throws
/// std::invalid_argument naming both sizes where they do not match, books its minimum bytes and flops in ctx.profile(),
/// and sums a row in the order of its entries, only by several lanes on a device in CSR: in an order that depends on
/// the lengths of the rows and on k alone. So results do not depend on the number of threads.
template <class T, MemorySpace S>
class Operator {
 public:
  Operator() = default;

  /// Takes A. Where another storage than CSR is chosen, A's arrays are given back; a borrowed A stays the caller's. One
  /// pass over the entries, on a device that waits for the host twice; nothing where A stays in CSR.
  Operator(Context<S>& ctx, CsrMatrix<T, S> A, Storage storage = Storage::automatic)
      : Operator(ctx, std::move(A), storage, nullptr) {}

  /// The strip A of a matrix whose rows several ranks share. X, as all operations take it, and `cols()` are those of
  /// this rank alone; each product completes the operand first and is collective. The storage is chosen by figures
  /// of all ranks. Throws std::invalid_argument where A's columns are not the window's.
  /// @param window  null: this rank has the whole operand
  /// @param own     which rows of A are this rank's, where it has copies of others' too: Y then has all of them
  Operator(Context<S>& ctx, CsrMatrix<T, S> A, Storage storage, std::shared_ptr<OperandWindow<T, S>> window,
           std::optional<OwnRows> own = std::nullopt) {
    take(ctx, std::move(A), storage, std::move(window), own);
  }

  /// What the constructors make of A, which stays, but borrows its arrays from the operator where that has it in CSR;
  /// where the choice is free and they would leave A where it is what beside() makes of it. Collective.
  /// @param first_row  of all ranks' rows, which A's first is
  /// @param ready      what beside() has made of A before, which is taken where it is light
  static Operator leaving(Context<S>& ctx, CsrMatrix<T, S>& A, Storage storage,
                          std::shared_ptr<OperandWindow<T, S>> window = nullptr, std::int64_t first_row = 0,
                          Operator ready = {});

  /// A as products multiply by it while it stays the caller's and in use: what the constructor makes of it where that
  /// takes little room beside A, on all ranks, since slices that are alike share their values; else A itself, in CSR.
  /// Where has_alike_slices() rows are then summed in the order of their entries in CSR, too, so that products have the
  /// same bits whether a rank's slices could share their values or not. Collective; synchronises.
  /// @param first_row  of all ranks' rows, which A's first is
  /// @param ready      A stored already, which is taken for it where it is light on all ranks
  static Operator beside(Context<S>& ctx, const CsrMatrix<T, S>& A, Storage storage,
                         std::shared_ptr<OperandWindow<T, S>> window = nullptr, std::int64_t first_row = 0,
                         Operator ready = {});

  /// A light operator with values times the factor, in double, converted to T; an empty one of another.
  template <class U>
  static Operator converted_if_light(Context<S>& ctx, const Operator<U, S>& A, double factor,
                                     std::shared_ptr<OperandWindow<T, S>> window = nullptr);

  /// An A that is not stored, of the size of one that is: products are formed by `product`, in T. What only entries can
  /// tell, as |A|, their number and to_csr(), is that of `resembling`, which must outlive it. Has no smoothing_step(),
  /// relax_in_turn() or relax_blocks().
  Operator(const Operator& resembling, FormProduct<T, S> product);

  /// The values of an A of the same pattern in place of those before; takes A as the constructor does. One pass over
  /// the entries, two where slices share values, which then lie beside those before; nothing in CSR. Throws
  /// std::invalid_argument where A has not the sizes or the number of entries of the pattern.
  void update_values(Context<S>& ctx, CsrMatrix<T, S> A);

  bool is_stored() const { return resembling_ == nullptr; }
  Index rows() const;
  Index cols() const;
  Offset nnz() const;         ///< without padding
  std::size_t bytes() const;  ///< of the arrays, with padding; own ones
  Margins margins() const { return window_ ? window_->margins() : Margins{}; }  ///< that spare an operand a copy
  Storage storage() const { return static_cast<Storage>(A_.index() + 1); }      ///< never automatic
  /// Before operands of so many columns without margins: see OperandWindow.
  void reserve(Context<S>& ctx, Index columns) const {
    if (window_) {
      window_->reserve(ctx, columns);
    }
  }
  bool is_light() const;  ///< whether slices may share values

  /// Y = α A X + β Y. β = 0 does not read Y.
  void apply(Context<S>& ctx, T alpha, MultiVectorView<const T, S> X, T beta, MultiVectorView<T, S> Y) const;

  /// R = B − A X.
  void residual(Context<S>& ctx, MultiVectorView<const T, S> B, MultiVectorView<const T, S> X,
                MultiVectorView<T, S> R) const;

  /// What judges a solve: the same with every product and sum in double whatever T is, and what its rounding errors are
  /// relative to, |B| + |A| |X| entry by entry (rounded to T). Sums are compensated: these errors are no more than
  /// 3 u + n² u² of it, for rows of n entries and double's unit roundoff u.
  void judged_residual(Context<S>& ctx, MultiVectorView<const T, S> B, MultiVectorView<const T, S> X,
                       MultiVectorView<double, S> R, MultiVectorView<T, S> magnitudes) const;

  /// One step of a polynomial smoother, X_out = a D⁻¹(B − A X) + s X + c X_out with D⁻¹ = diag(d): damped Jacobi is s =
  /// 1, c = 0; a Chebyshev step s = 1 + c', c = −c' with the iterate before X in X_out. c = 0 does not read X_out. X
  /// and X_out are different vectors.
  /// @param first_own  the row of X that belongs to row 0 of A, where A is a strip of a square matrix without a window;
  ///                   0 where it is all
  void smoothing_step(Context<S>& ctx, Span<const T, S> d, T a, T s, T c, MultiVectorView<const T, S> B,
                      MultiVectorView<const T, S> X, MultiVectorView<T, S> X_out, Index first_own = 0) const;

  /// X_i += d_i (B_i − (A X)_i) in place for the rows of one set after those of another: Gauss–Seidel where d is the
  /// inverse of the diagonal and no two rows of a set are coupled by an entry, which the caller sees to. A is square,
  /// and not a strip.
  /// @param rows       all that are relaxed, set by set
  /// @param starts     of the sets in `rows`, and at the end their number
  /// @param backwards  begin with the last set
  void relax_in_turn(Context<S>& ctx, Span<const T, S> d, Span<const Index, S> rows, const std::vector<Offset>& starts,
                     bool backwards, MultiVectorView<const T, S> B, MultiVectorView<T, S> X) const;

  /// X_out_i = X_i + d_i (B_i − Σ_j a_ij Y_j) for the rows of each block of block_rows consecutive ones in turn, where
  /// Y_j is the newest X_out_j within the block and X_j outside of it: Gauss–Seidel in blocks and Jacobi between them.
  /// On a device a warp has a block, whose rows wait for each other. A is square, and not a strip; X and X_out are
  /// different vectors. Throws std::invalid_argument also where block_rows is not positive.
  /// @param backwards  begin with the last row of each block
  void relax_blocks(Context<S>& ctx, Span<const T, S> d, Index block_rows, bool backwards,
                    MultiVectorView<const T, S> B, MultiVectorView<const T, S> X, MultiVectorView<T, S> X_out) const;

  /// d_i = a_ii of this rank's rows, 0 where none is stored. One pass over the entries.
  void extract_diagonal(Context<S>& ctx, Span<T, S> d) const;

  /// lowest_i = the lowest node that node i is connected with, itself included, by entries between unknowns of nodes of
  /// block_size each, either way round, that are not zero. O(nnz) on the host, on a device about log(nodes)
  /// passes over the entries, each of which waits for the device. Throws std::invalid_argument where the rows are not
  /// those of whole nodes.
  void find_lowest_connected(Context<S>& ctx, Index block_size, Span<Index, S> lowest) const;

  /// A copy in CSR in host memory, taken from `host`: the matrix that it was made of, bit by bit. Synchronises; on the
  /// way there is another copy, as stored.
  CsrMatrix<T, Host> to_csr(Context<S>& ctx, Context<Host>& host) const;
  /// The same where the operator lies, by way of the host.
  CsrMatrix<T, S> to_csr(Context<S>& ctx) const;

 private:
  template <class U, MemorySpace>
  friend class Operator;

  /// Takes A where it stays in CSR.
  void take(Context<S>& ctx, CsrMatrix<T, S>&& A, Storage storage, std::shared_ptr<OperandWindow<T, S>> window,
            std::optional<OwnRows> own_rows);

  /// The one whose entries count.
  const Operator& stored() const { return resembling_ == nullptr ? *this : *resembling_; }

  /// X with the ghosts that A's columns need.
  MultiVectorView<const T, S> operand(Context<S>& ctx, MultiVectorView<const T, S> X) const {
    return window_ ? window_->complete(ctx, X) : X;
  }

  StoredMatrix<T, S> A_;
  int lanes_ = 1;                                  ///< see tuning::row_lanes
  std::shared_ptr<OperandWindow<T, S>> window_{};  ///< null on one rank
  const Operator* resembling_ = nullptr;
  FormProduct<T, S> product_{};  ///< empty where A is stored
};

}  // namespace amgsolve
