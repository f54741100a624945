#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "amg/aggregation.hpp"
#include "amg/candidate_images.hpp"
#include "core/context.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {

/// A right-hand side without its part in the null space of A.
template <class T, MemorySpace S>
struct Projected {
  MultiVector<T, S> b;
  double outside_range = 0.0;  ///< the norm of that part relative to b's, of the worst column
  int outside_column = 0;      ///< which that is
};

/// What a symmetric positive semi-definite A maps to zero, as far as the candidates B tell: for each connected
/// component of A's graph the columns of B that A maps to zero there, as a Laplacian without Dirichlet conditions does
/// with the constant, and combinations of the others, as a body that turns about a hinge. A b in the range of A is
/// orthogonal to them; solutions differ by them, and the shortest is orthogonal to them, too: for constants, of mean
/// zero in each component.
template <class T, MemorySpace S>
class Nullspace {
 public:
  /// A candidate counts where every row of its component has |A B| ≤ 8 (L + 3) u |A| |B|, for rows of L entries on
  /// average and a unit roundoff u of T: what rounding leaves of zero, and no more, since a small Dirichlet or mass
  /// term makes A regular. In place of those that do not count, combinations of them are looked for that do. A product
  /// with the candidates, or three, and a search of the components.
  /// @param candidates  B, n × k
  Nullspace(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> candidates, Index block_size);

  /// @param tolerance  what |A B| may be instead, relative to |A| |B|
  Nullspace(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> candidates, Index block_size,
            double tolerance);

  /// Of an A with a connected graph, which takes the candidates to zero, as maps_to_zero() has found. Ranks may share
  /// its rows; collective then, as all of the result's operations are.
  static Nullspace of_connected(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> candidates,
                                Index block_size);

  /// Of vectors Y that A is known to take to zero in every component, be it not to rounding.
  /// @param defect  what |A Y| may be relative to |A| |Y|
  static Nullspace of_known(Context<S>& ctx, const Operator<T, S>& graph, MultiVectorView<const T, S> null_vectors,
                            Index block_size, double defect);

  /// Σ over components of the candidates that count.
  std::int64_t dimension() const { return dimension_; }
  /// Components with a candidate that counts, and all.
  Index singular_components() const { return singular_components_; }
  Index components() const { return components_.count; }
  /// These in words, for a report.
  std::string description() const;

  /// X −= N (NᵀN)⁻¹ Nᵀ X for all columns of X, with the candidates that count as N. In double. Some passes over X.
  void project(Context<S>& ctx, MultiVectorView<T, S> X) const;

  /// b as project() leaves it; zero in a column of which no more is left than rounding may leave of nothing.
  /// Synchronises.
  Projected<T, S> in_range(Context<S>& ctx, MultiVectorView<const T, S> b) const;

  /// Whether another matrix, C, has it, too, as far as products with fixed pseudo-random vectors tell: whether C X is
  /// orthogonal to the candidates that count, whatever X is, and, with is_two_sided, zero where X is a combination of
  /// them. What counts as zero is the same as of A, by |A| and how large C is beside A. Two products with each matrix
  /// at most. Synchronises.
  /// @param stored   A
  /// @param columns  of X
  bool is_also_of(Context<S>& ctx, const Operator<T, S>& C, const Operator<T, S>& stored, Index columns,
                  bool is_two_sided) const;

 private:
  Nullspace(Context<S>& ctx, Aggregates<S> components, Index block_size);

  bool is_connected() const { return components_.count == 1; }

  /// The candidates, with the combinations of them that A may take to zero in place of as many, and zero in place of
  /// the others.
  /// @param of  with what A does not take to zero but for rounding
  MultiVector<T, S> combine(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> candidates,
                            const CandidateImages<T, S>& of) const;
  /// Takes the candidates of which none of a component's nodes has a flag.
  void keep(Context<S>& ctx, MultiVectorView<const T, S> candidates, const MultiVector<double, S>& flags);
  /// Takes all of them.
  void keep_all(Context<S>& ctx, MultiVectorView<const T, S> candidates);
  /// Looks how many of those that were taken are independent.
  void factor(Context<S>& ctx);

  /// Σ of the nodes' rows over each component: sums_c = Σ_{i in c} rows_i. A long component is summed in pieces first.
  MultiVector<double, S> sum_by_component(Context<S>& ctx, MultiVectorView<const double, S> rows) const;
  /// NᵀX of each component, k × columns of X. Of a connected graph inner products, as ranks form them together.
  template <class U>
  MultiVector<double, S> products_by_component(Context<S>& ctx, MultiVectorView<const double, S> N,
                                               MultiVectorView<const U, S> X) const;

  /// Combinations of the candidates that count, pseudo-random in each component.
  MultiVector<T, S> random_null_vectors(Context<S>& ctx, Index columns) const;

  Index block_size_;
  Aggregates<S> components_;           ///< whose numbers are left out where there is one alone
  CsrMatrix<double, S> pieces_;        ///< pieces × nodes, of ones; empty where there is one component
  CsrMatrix<double, S> of_component_;  ///< components × pieces, of ones; empty there, too
  MultiVector<double, S> candidates_;  ///< n × k; zero where a candidate does not count
  MultiVector<double, S> factors_;     ///< components × k²: the Cholesky factors of NᵀN
  std::int64_t dimension_ = 0;
  Index singular_components_ = 0;
  double tolerance_ = 0.0;  ///< of zeros, relative to |A| |B|
};

/// What is projected where A is solved with, null where nothing is: A may be another matrix than the `stored` one that
/// `known` is of, if that is singular; see Nullspace::is_also_of().
template <class T, MemorySpace S>
const Nullspace<T, S>* nullspace_for(Context<S>& ctx, const Nullspace<T, S>* known, const Operator<T, S>& A,
                                     const Operator<T, S>& stored, Index columns, bool is_two_sided);

/// 1 for each column of Y other than zero that every row of A maps to zero, to rounding; else 0. Collective.
template <class T, MemorySpace S>
std::vector<double> null_columns(Context<S>& ctx, const Operator<T, S>& A, Index block_size,
                                 std::type_identity_t<MultiVectorView<const T, S>> Y);

/// Whether every row of A maps the candidates to zero, to rounding: A is singular. Leaves off at rows that do not.
template <class T, MemorySpace S>
bool maps_to_zero(Context<S>& ctx, const CsrMatrix<T, S>& A, MultiVectorView<const T, S> candidates);

}  // namespace amgsolve
