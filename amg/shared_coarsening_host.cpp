#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "amg/aggregate_nodes.hpp"
#include "amg/coarsening_choices.hpp"
#include "amg/couplings_steps.hpp"
#include "amg/diagonal.hpp"
#include "amg/hubs.hpp"
#include "amg/jacobi_matrix.hpp"
#include "amg/prolongator.hpp"
#include "amg/shared_aggregation.hpp"
#include "amg/shared_coarsening.hpp"
#include "amg/spectral_radius.hpp"
#include "amg/tentative_steps.hpp"
#include "amg/truncation.hpp"
#include "core/algorithms.hpp"
#include "core/parallel_host.hpp"
#include "core/timer.hpp"
#include "dist/collectively.hpp"
#include "dist/exchange_lists.hpp"
#include "dist/fetch_rows.hpp"
#include "dist/halo.hpp"
#include "dist/product.hpp"
#include "spmv/conversions.hpp"
#include "spmv/row_sample.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// A strip as the square matrix of its window: the ghosts' rows have no entries. What goes by rows and columns of the
/// same number works on it as on a whole matrix. Borrows the entries.
template <class T>
CsrMatrix<T, Host> square_of(Context<Host>& ctx, const CsrMatrix<T, Host>& strip, const Layout& layout) {
  CsrMatrix<T, Host> square = borrow(strip);
  square.rows = layout.columns();
  square.row_offsets = Buffer<Offset, Host>(ctx, static_cast<std::size_t>(square.rows) + 1);
  Offset* const offsets = square.row_offsets.data();
  std::fill_n(offsets, layout.first_own(), 0);
  std::copy_n(strip.row_offsets.data(), layout.own_rows() + 1, offsets + layout.first_own());
  std::fill(offsets + layout.first_own() + layout.own_rows() + 1, offsets + square.rows + 1, strip.nnz());
  return square;
}

/// The way back.
template <class T>
CsrMatrix<T, Host> strip_of(Context<Host>& ctx, CsrMatrix<T, Host> square, const Layout& layout) {
  Buffer<Offset, Host> offsets(ctx, static_cast<std::size_t>(layout.own_rows()) + 1);
  std::copy_n(square.row_offsets.data() + layout.first_own(), offsets.size(), offsets.data());
  square.row_offsets = std::move(offsets);
  square.rows = layout.own_rows();
  return square;
}

template <class T>
Buffer<T, Host> own_diagonal(Context<Host>& ctx, const LocalMatrix<T>& A) {
  const CsrMatrix<T, Host> square = square_of(ctx, A.A, *A.layout);
  Buffer<T, Host> window(ctx, static_cast<std::size_t>(square.rows));
  extract_diagonal<T>(ctx, square, window);
  Buffer<T, Host> own(ctx, static_cast<std::size_t>(A.A.rows));
  std::copy_n(window.data() + A.layout->first_own(), own.size(), own.data());
  return own;
}

/// Values of the own rows in their window, with the ghosts'.
template <class T>
Buffer<T, Host> window_of(Context<Host>& ctx, const Layout& layout, Span<const T, Host> own) {
  Buffer<T, Host> window(ctx, static_cast<std::size_t>(layout.columns()));
  std::copy(own.begin(), own.end(), window.data() + layout.first_own());
  exchange_ghosts<T>(ctx, layout, {window.data(), layout.columns()});
  return window;
}

template <class T>
struct SharedCouplings {
  Graph<Host> strong;       ///< of the window
  LocalMatrix<T> filtered;  ///< A_F; empty where it is A
  double dropped_weight = 0.0;

  bool is_filtered() const { return filtered.layout != nullptr; }
};

/// See strong_couplings().
/// @param diagonal, candidate  of the window
template <class T>
SharedCouplings<T> couplings_of(Context<Host>& ctx, const LocalMatrix<T>& A, Span<const T, Host> diagonal,
                                Span<const T, Host> candidate, double threshold, bool filter) {
  const Communicator& communicator = ctx.communicator();
  const Layout& layout = *A.layout;
  const CsrMatrix<T, Host> M = square_of(ctx, A.A, layout);
  const auto n = static_cast<std::size_t>(M.rows);
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto scale = [&] { return scope.take<T>(n).data(); };
  const CouplingTest<T> test{{scale(), scale(), scale(), scale(), scale()}, static_cast<T>(threshold), filter};
  measure_rows<T>(ctx, M, diagonal, candidate, test);
  exchange_ghosts<T>(ctx, layout, {test.scales.root, M.rows});
  Couplings<T, Host> found;
  found.strong = {M.rows, Buffer<Offset, Host>(ctx, n + 1), {}};
  found.strong.first_node = layout.first_row() - layout.first_own();
  Buffer<Offset, Host> kept_offsets(ctx, n + 1);
  const auto weights = scope.take<Index>(n);
  count_couplings<T>(ctx, M, diagonal, test,
                     {found.strong.row_offsets.data() + 1, kept_offsets.data() + 1, weights.data()});
  const Offset edges = counts_to_offsets(ctx, found.strong.row_offsets);
  const Offset kept = filter ? counts_to_offsets(ctx, kept_offsets) : M.nnz();
  SharedCouplings<T> result;
  const bool drops = communicator.max(M.nnz() - kept) > 0;
  if (drops) {
    result.dropped_weight = static_cast<double>(communicator.sum(reduce_sum(ctx, weights))) / whole_weight /
                            static_cast<double>(layout.partition().rows());
  }
  collectively(communicator, [&] {
    found.strong.col_indices = Buffer<Index, Host>(ctx, static_cast<std::size_t>(edges));
    if (drops) {
      found.filtered.rows = M.rows;
      found.filtered.cols = M.cols;
      found.filtered.row_offsets = std::move(kept_offsets);
      found.filtered.col_indices = Buffer<Index, Host>(ctx, static_cast<std::size_t>(kept));
      found.filtered.values = Buffer<T, Host>(ctx, static_cast<std::size_t>(kept));
    }
  });
  fill_couplings(ctx, M, test, found);
  result.strong = std::move(found.strong);
  if (drops) {
    result.filtered = {strip_of(ctx, std::move(found.filtered), layout), A.layout};
  }
  return result;
}

/// The tentative prolongator of one candidate: T's values for the window's nodes, and the coarse candidate of the own
/// aggregates. The owner of an aggregate orthonormalises the candidates of its nodes, which it is sent.
template <class T>
struct SharedTentative {
  Buffer<T, Host> basis;
  MultiVector<T, Host> coarse_candidates;
};

template <class T>
struct Member {
  std::int64_t aggregate;
  std::int64_t node;
  T value;
};

template <class T>
SharedTentative<T> tentative_of(Context<Host>& ctx, const SharedAggregates& aggregates, const Layout& layout,
                                MultiVectorView<const T, Host> candidates) {
  const Communicator& communicator = ctx.communicator();
  const std::int64_t* const of_node = aggregates.of_node.data() + layout.first_own();
  std::vector<std::vector<Member<T>>> out(static_cast<std::size_t>(communicator.size()));
  for (Index i = 0; i < layout.own_rows(); ++i) {
    if (of_node[i] >= 0) {
      out[static_cast<std::size_t>(aggregates.partition.owner(of_node[i]))].push_back(
          {of_node[i], layout.first_row() + i, candidates.data[i]});
    }
  }
  const std::vector<std::vector<Member<T>>> in = exchange_lists(communicator, out);
  struct Place {
    std::size_t rank;
    std::size_t member;
  };
  // Ranks are in the order of their nodes, and so is what each of them sends: sorting by aggregates suffices.
  std::vector<Place> places;
  for (std::size_t rank = 0; rank < in.size(); ++rank) {
    for (std::size_t member = 0; member < in[rank].size(); ++member) {
      places.push_back({rank, member});
    }
  }
  std::ranges::stable_sort(places, {}, [&](const Place& place) { return in[place.rank][place.member].aggregate; });

  const std::int64_t first = aggregates.partition.first(communicator.rank());
  const auto count = static_cast<Index>(aggregates.partition.rows(communicator.rank()));
  AggregateNodes<Host> nodes{Buffer<Offset, Host>(ctx, static_cast<std::size_t>(count) + 1),
                             Buffer<Index, Host>(ctx, places.size())};
  std::ranges::fill(nodes.offsets.span(), 0);
  std::iota(nodes.nodes.data(), nodes.nodes.data() + places.size(), 0);
  MultiVector<T, Host> gathered(ctx, static_cast<Index>(places.size()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Member<T>& member = in[places[i].rank][places[i].member];
    gathered.data()[i] = member.value;
    ++nodes.offsets[static_cast<std::size_t>(member.aggregate - first) + 1];
  }
  std::partial_sum(nodes.offsets.data(), nodes.offsets.data() + nodes.offsets.size(), nodes.offsets.data());
  SharedTentative<T> result{{}, MultiVector<T, Host>(ctx, count)};
  detail::orthonormalise<T>(ctx, nodes, 1, gathered, result.coarse_candidates);

  std::vector<std::vector<T>> back(in.size());
  for (std::size_t rank = 0; rank < in.size(); ++rank) {
    back[rank].resize(in[rank].size());
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    back[places[i].rank][places[i].member] = gathered.data()[i];
  }
  const std::vector<std::vector<T>> values = exchange_lists(communicator, back);
  std::vector<T> own(static_cast<std::size_t>(layout.own_rows()));
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    for (std::size_t member = 0; member < values[rank].size(); ++member) {
      own[static_cast<std::size_t>(out[rank][member].node - layout.first_row())] = values[rank][member];
    }
  }
  result.basis = window_of<T>(ctx, layout, {own.data(), own.size()});
  return result;
}

/// See estimate_density(). What the rows chosen need of other ranks is fetched.
template <class T>
double density_of(Context<Host>& ctx, const LocalMatrix<T>& R, const LocalMatrix<T>& A, const LocalMatrix<T>& P) {
  constexpr Index most_rows = 256;
  const Communicator& communicator = ctx.communicator();
  const Partition& fine = A.layout->partition();
  const Partition& coarse = P.layout->partition();
  const std::int64_t coarse_rows = coarse.rows();
  const RowStrata choice{checked_index(coarse_rows, "coarse rows"),
                         static_cast<Index>(std::min(coarse_rows, std::int64_t{most_rows}))};
  std::vector<Index> chosen;
  for (Index stratum = 0; stratum < choice.count; ++stratum) {
    const std::int64_t row = choice.row(stratum) - coarse.first(communicator.rank());
    if (row >= 0 && row < R.A.rows) {
      chosen.push_back(static_cast<Index>(row));
    }
  }
  const auto is_own = [&](std::int64_t row) {
    return row >= fine.first(communicator.rank()) && row < fine.end(communicator.rank());
  };
  const auto sorted = [](std::vector<std::int64_t> rows) {
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
  };
  // Calls visit(column in the whole matrix) for a row that is an own one, or else a ghost of those fetched.
  const auto for_columns = [&](const LocalMatrix<T>& matrix, const Layout& window, const GlobalRows<T>& fetched,
                               std::int64_t row, const auto& visit) {
    if (is_own(row)) {
      const auto i = static_cast<Index>(row - fine.first(communicator.rank()));
      for (Offset k = matrix.A.row_offsets.data()[i]; k < matrix.A.row_offsets.data()[i + 1]; ++k) {
        visit(matrix.layout->row_of(matrix.A.col_indices.data()[k]));
      }
      return;
    }
    const auto ghost = std::ranges::lower_bound(window.ghosts(), row) - window.ghosts().begin();
    for (Offset k = fetched.row_offsets.data()[ghost]; k < fetched.row_offsets.data()[ghost + 1]; ++k) {
      visit(fetched.col_indices.data()[k]);
    }
  };
  std::vector<std::int64_t> ghosts;
  const auto for_rows_of = [&](Index c, const auto& visit) {
    for (Offset k = R.A.row_offsets.data()[c]; k < R.A.row_offsets.data()[c + 1]; ++k) {
      visit(R.layout->row_of(R.A.col_indices.data()[k]));
    }
  };
  const auto note_ghost = [&](std::int64_t row) {
    if (!is_own(row)) {
      ghosts.push_back(row);
    }
  };
  for (const Index c : chosen) {
    for_rows_of(c, note_ghost);
  }
  const Layout rows_of_A(communicator, fine, sorted(std::exchange(ghosts, {})));
  const GlobalRows<T> fetched_A = fetch_rows(ctx, rows_of_A, A);
  for (const Index c : chosen) {
    for_rows_of(c, [&](std::int64_t i) { for_columns(A, rows_of_A, fetched_A, i, note_ghost); });
  }
  const Layout rows_of_P(communicator, fine, sorted(std::exchange(ghosts, {})));
  const GlobalRows<T> fetched_P = fetch_rows(ctx, rows_of_P, P);
  std::int64_t entries = 0;
  for (const Index c : chosen) {
    std::vector<std::int64_t> middle;
    for_rows_of(c, [&](std::int64_t i) {
      for_columns(A, rows_of_A, fetched_A, i, [&](std::int64_t j) { middle.push_back(j); });
    });
    std::vector<std::int64_t> columns;
    for (const std::int64_t j : sorted(std::move(middle))) {
      for_columns(P, rows_of_P, fetched_P, j, [&](std::int64_t column) { columns.push_back(column); });
    }
    entries += static_cast<std::int64_t>(sorted(std::move(columns)).size());
  }
  return static_cast<double>(communicator.sum(entries)) / choice.count * static_cast<double>(coarse_rows) /
         static_cast<double>(communicator.sum(A.A.nnz()));
}

/// The operands of the prolongator, and what is decided of it; see Interpolator.
template <class T>
class SharedInterpolator {
 public:
  SharedInterpolator(Context<Host>& ctx, const LocalMatrix<T>& A, const SharedAggregates& aggregates,
                     const SharedTentative<T>& tentative, const AmgOptions& options)
      : ctx_(ctx), A_(A), aggregates_(aggregates), tentative_(tentative), options_(options) {}

  /// @param rho  of A
  void form(const SharedCouplings<T>& couplings, Span<const T, Host> diagonal, double rho, int wanted_steps) {
    const LocalMatrix<T>& with = couplings.is_filtered() ? couplings.filtered : A_;
    const Layout& layout = *A_.layout;
    const CsrMatrix<T, Host> square = square_of(ctx_, with.A, layout);
    Buffer<T, Host> window_diagonal(ctx_, static_cast<std::size_t>(square.rows));
    extract_diagonal<T>(ctx_, square, window_diagonal);
    if (couplings.is_filtered()) {
      diagonal = window_diagonal.span().subspan(static_cast<std::size_t>(layout.first_own()),
                                                static_cast<std::size_t>(layout.own_rows()));
      const Operator<T, Host> filtered(ctx_, borrow(with.A), Storage::csr,
                                       std::make_shared<Halo<T, Host>>(with.layout));
      rho = spectral_radius<T>(ctx_, filtered, diagonal, options_.spectral_radius_steps, layout.first_row());
    }
    const auto smooth = [&](int wanted) {
      steps = wanted;
      form_first(with, damping_step<T>(first_damping(wanted, options_), rho));
      if (wanted == 2) {
        CsrMatrix<T, Host> jacobi =
            jacobi_matrix(ctx_, square, window_diagonal.span(), damping_step<T>(1.0 / chebyshev_roots[1], rho));
        const LocalMatrix<T> second{strip_of(ctx_, std::move(jacobi), layout), with.layout};
        P = multiply(ctx_, second, P, options_.spgemm);
      }
    };
    const auto density = [&] {
      R = transpose(ctx_, P, layout.partition());
      return density_of(ctx_, R, A_, P);
    };
    smooth(wanted_steps);
    if (couplings.is_filtered()) {
      double q = density();
      if (q > options_.density_limit && steps == 2 && !options_.prolongator_steps) {
        smooth(1);
        q = density();
      }
      if (q > options_.density_limit) {
        truncation = truncation_for(q, options_);
        const Buffer<T, Host> candidates = window_of<T>(ctx_, *P.layout, tentative_.coarse_candidates.view().span());
        P.A = truncate_prolongator<T>(ctx_, P.A, candidates.span(), truncation);
        R = {};
      }
    }
    if (R.layout == nullptr) {
      R = transpose(ctx_, P, layout.partition());
    }
  }

  LocalMatrix<T> P;
  LocalMatrix<T> R;
  int steps = 1;
  double truncation = 0.0;

 private:
  void form_first(const LocalMatrix<T>& with, T damping) {
    const Communicator& communicator = ctx_.communicator();
    const Partition& coarse = aggregates_.partition;
    std::vector<std::int64_t> ghosts;
    for (const std::int64_t aggregate : std::span(aggregates_.of_node.data(), aggregates_.of_node.size())) {
      if (aggregate >= 0 &&
          (aggregate < coarse.first(communicator.rank()) || aggregate >= coarse.end(communicator.rank()))) {
        ghosts.push_back(aggregate);
      }
    }
    std::ranges::sort(ghosts);
    ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
    P.layout = std::make_shared<const Layout>(communicator, coarse, std::move(ghosts));
    const Layout& columns = *P.layout;
    collectively(communicator, [&] {
      Aggregates<Host> local{columns.columns(), Buffer<Index, Host>(ctx_, aggregates_.of_node.size())};
      for (std::size_t i = 0; i < aggregates_.of_node.size(); ++i) {
        const std::int64_t aggregate = aggregates_.of_node[i];
        local.of_node[i] = aggregate < 0 ? Aggregates<Host>::none : columns.column_of(aggregate);
      }
      Tentative<T, Host> tentative{MultiVector<T, Host>(ctx_, with.A.cols),
                                   MultiVector<T, Host>(ctx_, columns.columns())};
      std::copy_n(tentative_.basis.data(), tentative_.basis.size(), tentative.basis.data());
      P.A = smoothed_prolongator<T>(ctx_, with.A, nullptr, local, 1, tentative, damping, with.layout->first_own());
    });
    R = {};
  }

  Context<Host>& ctx_;
  const LocalMatrix<T>& A_;
  const SharedAggregates& aggregates_;
  const SharedTentative<T>& tentative_;
  const AmgOptions& options_;
};

}  // namespace

template <class T>
std::optional<SharedStep<T>> coarsen_shared(Context<Host>& ctx, const LocalMatrix<T>& A, Span<const T, Host> diagonal,
                                            MultiVectorView<const T, Host> candidates, int level, bool has_direction,
                                            const AmgOptions& options) {
  const Communicator& communicator = ctx.communicator();
  const Layout& layout = *A.layout;
  const auto rows = static_cast<double>(layout.partition().rows());
  if (options.strength.measure == StrengthMeasure::symmetric) {
    return std::nullopt;
  }
  SharedStep<T> step;
  SharedCouplings<T> couplings;
  {
    ScopedTimer timer(ctx, "strength", level);
    if (communicator.max(static_cast<std::int64_t>(find_hubs(ctx, A.A, 1).size())) > 0) {
      return std::nullopt;
    }
    const Buffer<T, Host> window_diagonal = window_of<T>(ctx, layout, diagonal);
    const Buffer<T, Host> candidate = window_of<T>(ctx, layout, candidates.span());
    const auto find = [&](double threshold) {
      step.summary.strength_threshold = options.strength.threshold.value_or(threshold);
      couplings = couplings_of<T>(ctx, A, window_diagonal.span(), candidate.span(), step.summary.strength_threshold,
                                  options.filter.value_or(true));
    };
    find(level > 0 && has_direction ? directed_threshold : undirected_threshold);
    const std::int64_t edges = communicator.sum(static_cast<std::int64_t>(couplings.strong.col_indices.size()));
    const bool has_few = static_cast<double>(edges) < fewest_neighbours * rows;
    if (has_few && options.strength.measure != StrengthMeasure::signed_relative) {
      return std::nullopt;
    }
    step.has_direction = has_direction && couplings.dropped_weight > directed_weight;
    if (level == 0 && step.has_direction && !options.strength.threshold) {
      find(finest_directed_threshold);
    }
    step.summary.dropped_weight = couplings.dropped_weight;
  }
  std::optional<SharedAggregates> aggregates;
  {
    ScopedTimer timer(ctx, "aggregation", level);
    aggregates.emplace(aggregate_shared(ctx, couplings.strong, layout, passes_on(level, options)));
    couplings.strong = {};
  }
  const auto count = static_cast<double>(aggregates->partition.rows());
  if (count == 0.0 || count > options.coarsening_stall_ratio * rows) {
    return std::nullopt;
  }
  {
    ScopedTimer timer(ctx, "spectral radius", level);
    const Operator<T, Host> whole(ctx, borrow(A.A), Storage::csr, std::make_shared<Halo<T, Host>>(A.layout));
    step.spectral_radius = spectral_radius<T>(ctx, whole, diagonal, options.spectral_radius_steps, layout.first_row());
  }
  SharedTentative<T> tentative;
  {
    ScopedTimer timer(ctx, "tentative", level);
    tentative = tentative_of<T>(ctx, *aggregates, layout, candidates);
  }
  {
    ScopedTimer timer(ctx, "prolongator", level);
    SharedInterpolator<T> interpolator(ctx, A, *aggregates, tentative, options);
    interpolator.form(couplings, diagonal, step.spectral_radius,
                      options.prolongator_steps.value_or(step.has_direction ? 2 : 1));
    step.P = std::move(interpolator.P);
    step.R = std::move(interpolator.R);
    step.summary.prolongator_steps = interpolator.steps;
    step.summary.truncation = interpolator.truncation;
  }
  couplings = {};
  {
    ScopedTimer timer(ctx, "galerkin product", level);
    LocalMatrix<T> AP = multiply(ctx, A, step.P, options.spgemm);
    LocalMatrix<T> RAP = multiply(ctx, step.R, AP, options.spgemm);
    AP = {};
    step.A = to_local(ctx, aggregates->partition, to_global(ctx, RAP.A, *RAP.layout));
  }
  step.candidates = std::move(tentative.coarse_candidates);
  step.summary.aggregates = checked_index(aggregates->partition.rows(), "aggregates");
  step.summary.mean_aggregate_size = rows / count;
  step.summary.density =
      static_cast<double>(communicator.sum(step.A.A.nnz())) / static_cast<double>(communicator.sum(A.A.nnz()));
  return step;
}

template <class T>
Buffer<T, Host> positive_shared_diagonal(Context<Host>& ctx, const LocalMatrix<T>& A, int level) {
  ScopedTimer timer(ctx, "diagonal", level);
  Buffer<T, Host> own;
  collectively(ctx.communicator(), [&] {
    own = own_diagonal(ctx, A);
    if (const Index row = find_non_positive_diagonal<T>(ctx, A.A, own.span()); row >= 0) {
      throw_not_positive(A.layout->first_row() + row, level);
    }
  });
  return own;
}

template <class T>
bool has_other_than_positive_diagonal(Context<Host>& ctx, const LocalMatrix<T>& A) {
  return find_non_positive_diagonal<T>(ctx, A.A, own_diagonal(ctx, A).span()) >= 0;
}

template <class T>
void number_globally(Context<Host>& ctx, LocalMatrix<T>& strip) {
  const Layout& layout = *strip.layout;
  Index* const columns = strip.A.col_indices.data();
  parallel_for(ctx, strip.A.nnz(), [&](std::int64_t k) { columns[k] = static_cast<Index>(layout.row_of(columns[k])); });
  strip.A.cols = static_cast<Index>(layout.partition().rows());
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                 \
  template std::optional<SharedStep<T>> coarsen_shared(Context<S>&, const LocalMatrix<T>&, Span<const T, S>,       \
                                                       MultiVectorView<const T, S>, int, bool, const AmgOptions&); \
  template Buffer<T, S> positive_shared_diagonal(Context<S>&, const LocalMatrix<T>&, int);                         \
  template bool has_other_than_positive_diagonal(Context<S>&, const LocalMatrix<T>&);                              \
  template void number_globally(Context<S>&, LocalMatrix<T>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
