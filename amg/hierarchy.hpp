#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "amg/coarse_solver.hpp"
#include "amg/coarsening.hpp"
#include "amg/model_matrix.hpp"
#include "amg/options.hpp"
#include "amg/result.hpp"
#include "amg/smoother.hpp"
#include "amg/spectral_radius.hpp"
#include "core/context.hpp"
#include "dist/local_matrix.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {

/// The matrices of a level.
enum class LevelPart { A, P, R };

/// A level as the cycle works on it.
template <class T, MemorySpace S>
struct Level {
  Operator<T, S> A;
  /// To this level from the next coarser; empty on the coarsest. Of a level that ranks share: to all of A's window.
  Operator<T, S> P;
  Operator<T, S> R;                          ///< Pᵀ diag(y), see Coarsening
  Index block_size = 1;                      ///< unknowns a node
  Buffer<Index, S> aggregate_of_node;        ///< or Aggregates::none; empty unless options.keeps_aggregates
  std::unique_ptr<Smoother<T, S>> smoother;  ///< null where the level is solved directly
  LevelSummary summary;                      ///< without rows, entries and bytes

  const Operator<T, S>& part(LevelPart which) const {
    return which == LevelPart::A ? A : which == LevelPart::P ? P : R;
  }
};

/// A smoothed-aggregation hierarchy (Vaněk, Mandel, Brezina 1996): level 0 is the finest, A_{l+1} = R_l A_l P_l. It is
/// set up on CSR matrices; a level's matrices are stored as options.storage says once the next one is formed, but for
/// the finest A where slices that are alike share its values, which is stored as soon as products with it are formed.
template <class T, MemorySpace S>
class Hierarchy {
 public:
  /// Coarsens A until coarse_size, max_levels, or until a level would keep more than coarsening_stall_ratio of its
  /// rows. The coarsest level is solved directly where it has at most coarse_size or direct_solve_limit rows, else
  /// smoothed.
  /// @param A               what it borrows stays in use where level 0 is stored in CSR
  /// @param near_nullspace  A.rows × k candidates
  /// @param reuse           what update_values() is to keep
  /// @param light           A as an operator, where slices that are alike share its values there already
  /// Throws BreakdownError naming level and row where a diagonal entry is not positive.
  Hierarchy(Context<S>& ctx, CsrMatrix<T, S> A, MultiVectorView<const T, S> near_nullspace, const AmgOptions& options,
            Reuse reuse = Reuse::none, Operator<T, S> light = {})
      : Hierarchy(ctx, std::move(A), near_nullspace, options, reuse,
                  smoother_maker<T, S>(options.smoother.type, options.matrix), std::move(light)) {}

  /// With smoothers made otherwise than options.smoother.type says.
  Hierarchy(Context<S>& ctx, CsrMatrix<T, S> A, MultiVectorView<const T, S> near_nullspace, const AmgOptions& options,
            Reuse reuse, MakeSmoother<T, S> make_smoother, Operator<T, S> light = {});

  /// Of an A whose rows ranks share, to the same bits on any number of them: so are the levels down to the first one of
  /// at most replicated_entries(); from there on each has them whole. Shared ones of at most set_up_whole_entries(),
  /// and from the first one on that coarsen_shared() leaves, are set up whole by each rank, which keeps its part. Each
  /// rank has whole nodes; smoothers that go on from row to row are not shared. Collective.
  /// @param given           A; is taken once level 0 is known to be one that ranks can share, but for the layout that
  ///                        level 0 then has; else NotShareable is thrown by all
  /// @param near_nullspace  of the own rows
  /// @param light           as there, over the window of `given`
  Hierarchy(Context<S>& ctx, LocalMatrix<T, S>& given, MultiVectorView<const T, S> near_nullspace,
            const AmgOptions& options, Operator<T, S> light = {});

  /// Levels, from the finest on, that ranks share.
  std::size_t shared_levels() const { return gathered_ ? gathered_->level : 0; }

  /// Who has what of the rows of a level that each rank has whole, but whose finer level they share; null for others.
  const Partition* gathered(std::size_t level) const {
    return gathered_ && gathered_->level == level ? &gathered_->partition : nullptr;
  }

  /// Whether A's graph is known to be connected, where ranks share the finest level: that of a coarse level that each
  /// rank has whole is, which has a part for every part of A's, unless a part has come to a single row without entries.
  /// Collective.
  bool is_connected(Context<S>& ctx) const;

  /// The hierarchy of an A of the same pattern, for a reuse other than none. With Reuse::pattern it has the bits of
  /// before where A has the values of before. Throws what the constructor throws, and is then of no more use.
  /// @param light  as there
  void update_values(Context<S>& ctx, CsrMatrix<T, S> A, Operator<T, S> light = {});

  const std::vector<Level<T, S>>& levels() const { return levels_; }
  /// How often values were updated: matrices may then lie elsewhere.
  std::uint64_t updates() const { return updates_; }
  /// Of the coarsest level; null where that is smoothed.
  const CoarseSolver<T, S>* coarse_solver() const { return coarse_solver_ ? &*coarse_solver_ : nullptr; }

  /// Bytes are those of matrices, smoothers and the coarse solver.
  HierarchySummary summary() const;

 private:
  /// Goes on from the levels there are.
  void coarsen(Context<S>& ctx, CsrMatrix<T, S> A, MultiVector<T, S> candidates, Index block_size, FinerLevels finer,
               Operator<T, S> light = {});

  /// The first level that each rank has whole.
  struct Gathered {
    std::size_t level;
    Partition partition;    ///< of its rows among the ranks
    double finest_largest;  ///< diagonal entry
    Offset replicated;      ///< see replicated_entries()
  };

  /// A level that ranks share, as each of them has set it up.
  struct WholeLevel {
    CsrMatrix<T, S> A;
    CsrMatrix<T, S> P;
    CsrMatrix<T, S> R;
    Buffer<T, S> diagonal;
    double rho;
  };

  /// Whether ranks are to share level l, which is set up whole.
  bool is_to_be_shared(const CsrMatrix<T, S>& A, std::size_t level) const {
    return gathered_ && A.nnz() > gathered_->replicated && whole_levels_.size() == level - gathered_->level;
  }
  /// Whether level l is stored before its spectral radius is estimated, A beside it until the next level is formed: on
  /// the host products by slices have the bits of those in CSR in half the time. Level 0, where most of a setup's
  /// memory is taken, is where that takes little: see early_storage().
  bool is_stored_early(const CsrMatrix<T, S>& A, std::size_t level) const {
    return std::same_as<S, Host> && level > 0 && options_.matrix != MatrixKind::general && !is_to_be_shared(A, level);
  }
  /// Stores what ranks share of a level but P. Collective.
  void store_shared(Context<S>& ctx, LocalMatrix<T, S> A, LocalMatrix<T, S> R, Span<const T, S> diagonal, double rho,
                    std::size_t level);
  /// What a shared level leaves to be stored until it is known whether ranks share the next one. Collective.
  /// @param P  without a layout where they do not, and its columns are those of the whole matrix
  void store_shared_prolongator(Context<S>& ctx, WindowStrip<T, S> P, std::size_t level);
  /// Leaves of the whole levels this rank's part. Collective.
  void share_whole_levels(Context<S>& ctx);

  /// Makes A the matrix of the coarsest level: factors it or makes its smoother.
  void finish_coarsest(Context<S>& ctx, CsrMatrix<T, S> A, Span<const T, S> diagonal,
                       const MultiVector<T, S>& candidates);
  /// The ρ that a smoother of A is told.
  /// @param ranks  that share A's rows
  double smoother_radius(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const T, S> diagonal, double estimate,
                         std::size_t level, const Communicator& ranks = Communicator::serial()) const;
  /// The diagonal of the finest level as the rows of a coarser one see it: means over what their basis functions have,
  /// by two products with the restriction of each level above. Where ranks share the finest level, its largest entry.
  /// @param diagonal  of that level
  MultiVector<T, S> finest_diagonal(Context<S>& ctx, Span<const T, S> diagonal, std::size_t level) const;
  /// See RoundingShare: ε times the largest ratio of that to the level's own diagonal.
  double rounding_share(Context<S>& ctx, Span<const T, S> diagonal, std::size_t level) const;
  /// Whether A, the matrix of the coarsest level, takes a candidate to zero in a component of its graph, as far as
  /// rounding errors let that be seen: in float they leave pivots that need not vanish. Synchronises.
  bool finds_null_component(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const T, S> diagonal,
                            const MultiVector<T, S>& candidates) const;
  /// See positive_coarse_diagonal(), of the next coarser level.
  Buffer<T, S> coarse_diagonal(Context<S>& ctx, CoarseLevel<T, S>& coarse, Span<const T, S> diagonal, Index node_size,
                               std::size_t level);
  double radius(Context<S>& ctx, const Operator<T, S>& A, Span<const T, S> diagonal, std::size_t level);
  /// ρ of the model of A.
  /// @param light  A as an operator where that is there; becomes it where it is stored for this
  double radius(Context<S>& ctx, const CsrMatrix<T, S>& A, const Model<T, S>& model, std::size_t level,
                Operator<T, S>& light);
  /// @param layout  of A's columns where ranks share its rows
  void set_smoother(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const T, S> diagonal, double rho, std::size_t level,
                    const std::shared_ptr<const Layout<S>>& layout = nullptr);
  /// @param light  A as an operator, where that is there already
  void store(Context<S>& ctx, Operator<T, S>& stored, CsrMatrix<T, S> A, std::size_t level,
             Operator<T, S> light = {}) const;

  AmgOptions options_;
  Reuse reuse_;
  std::uint64_t updates_ = 0;
  MakeSmoother<T, S> make_smoother_;
  std::vector<Level<T, S>> levels_;
  std::vector<RadiusEstimate<T, S>> radii_;    ///< of ρ(D⁻¹A) of all levels
  std::vector<Coarsening<T, S>> coarsenings_;  ///< of all levels but the coarsest, where patterns are reused
  bool has_null_rows_ = false;                 ///< on a coarse level: see CoarseDiagonal
  bool has_null_component_ = false;            ///< see finds_null_component()
  MultiVector<T, S> coarsest_candidates_;      ///< where that level will be finished again: see update_values()
  std::optional<CoarseSolver<T, S>> coarse_solver_;
  std::optional<Gathered> gathered_;      ///< where ranks share the finest level
  std::vector<WholeLevel> whole_levels_;  ///< the first ones from that on that ranks are to share, during the setup
};

}  // namespace amgsolve
