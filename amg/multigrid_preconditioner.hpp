#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "amg/hierarchy.hpp"
#include "amg/options.hpp"
#include "amg/preconditioner.hpp"
#include "amg/result.hpp"
#include "dist/local_matrix.hpp"
#include "spmv/operator.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

/// One multigrid cycle as the preconditioner of a method in T, whatever the precision of the hierarchy.
template <class T, MemorySpace S>
class MultigridPreconditioner : public Preconditioner<T, S> {
 public:
  /// The matrix as the method multiplies by it. Where precisions are the same it is level 0's, stored once.
  virtual const Operator<T, S>& matrix() const = 0;

  /// apply() to an r of any size: a hierarchy in float is given its columns in units of their norms, powers of two, so
  /// that nothing of them is lost to the range of float. Synchronises where it is.
  virtual MultiVectorView<const T, S> apply_to_any_size(Context<S>& ctx, MultiVectorView<const T, S> r) {
    return this->apply(ctx, r);
  }

  /// Another one with vectors of its own on the same hierarchy, which lives as long as any of them. On contexts of
  /// their own all may work at the same time, as long as none takes new values. The memory stays that of the context
  /// that it was set up with, which has to outlive them. Not where ranks share the rows.
  virtual std::unique_ptr<MultigridPreconditioner> share(Context<S>& ctx) const = 0;

  /// See Hierarchy. Whether the hierarchy serves: it does not where it is in float and A is none for that any more, or
  /// where coarse levels are kept and A is larger, or smaller, all over; matrix() is that of A all the same.
  /// @param magnitudes  and nullity: see make_multigrid_preconditioner()
  virtual bool update_values(Context<S>& ctx, CsrMatrix<T, S> A, const RowMagnitudes& magnitudes,
                             std::int64_t nullity) = 0;

  virtual HierarchySummary summary() const = 0;

  /// Notes in the profile how the levels were made, once it is clear that they serve.
  virtual void note_choices(Context<S>& ctx) const = 0;

  /// See Hierarchy.
  virtual std::size_t shared_levels() const = 0;
  virtual bool is_connected(Context<S>& ctx) const = 0;

  /// A copy of a level's matrix, of the hierarchy of A itself whatever it is scaled by, in host memory taken from
  /// `host`. Throws std::invalid_argument where the level or the part does not exist. Synchronises.
  virtual CsrMatrix<T, Host> level_matrix(Context<S>& ctx, Context<Host>& host, int level, LevelPart part) const = 0;

  /// Of each level but the coarsest the aggregate of each of its nodes, which is a node of the next one, or
  /// Aggregates::none. Of levels that ranks share, of the nodes of all; collective then. Empty where
  /// options.keeps_aggregates is not set. Synchronises.
  virtual std::vector<std::vector<Index>> aggregates(Context<S>& ctx) const = 0;
};

/// Whether a hierarchy is to be in float beside a matrix in T; see make_multigrid_preconditioner().
template <class T>
bool takes_float(const RowMagnitudes& magnitudes, Index candidates, const AmgOptions& options);

/// Sets up the hierarchy of A that options.precision asks for; see Hierarchy. One in float is that of A times the power
/// of two that puts the rows' magnitudes around 1; where they differ too much for that, or rounding makes it
/// indefinite, or leaves it more null vectors than it has, it is in double all the same, which a note in the profile
/// tells.
/// @param magnitudes  of the rows of A
/// @param nullity     how many null vectors of A are known
/// @param light       A as an operator, where slices that are alike share its values there already
template <class T, MemorySpace S>
std::unique_ptr<MultigridPreconditioner<T, S>> make_multigrid_preconditioner(
    Context<S>& ctx, CsrMatrix<T, S> A, const RowMagnitudes& magnitudes, MultiVectorView<const T, S> near_nullspace,
    std::int64_t nullity, const AmgOptions& options, Reuse reuse, Operator<T, S> light = {});

/// The same for an A whose rows ranks share; see Hierarchy.
/// @param A           as there
/// @param magnitudes  of the rows of all ranks
/// @param light       as there, over the window of A
template <class T, MemorySpace S>
std::unique_ptr<MultigridPreconditioner<T, S>> make_shared_preconditioner(Context<S>& ctx, LocalMatrix<T, S>& A,
                                                                          const RowMagnitudes& magnitudes,
                                                                          MultiVectorView<const T, S> near_nullspace,
                                                                          const AmgOptions& options,
                                                                          Operator<T, S> light = {});

}  // namespace amgsolve
