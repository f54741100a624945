#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/common.hpp"
#include "bench/cusparse_spmv.hpp"
#include "bench/eigen_products.hpp"
#include "bench/hypre_matvec.hpp"
#include "bench/measure.hpp"
#include "core/errors.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/operator.hpp"
#include "spmv/random.hpp"
#include "spmv/spmv.hpp"
#include "spmv/statistics.hpp"

/// Sparse products and vector operations. On the host beside Eigen (all threads) and, where it is installed, hypre (one
/// thread, as Debian builds it), repeating on the same data, so that what fits into the last-level cache stays there,
/// for us as for the peers; the copy bandwidth is of as many bytes as the matrix has. On a device beside cuSPARSE, with
/// nothing of the input in the cache; the copy bandwidth is of far more than the cache.
namespace amgsolve::bench {
namespace {

struct Options {
  RunOptions run;
  std::string value = "double";
};

/// Measures, prints and collects the results of one problem.
template <MemorySpace S>
class Table {
 public:
  Table(Context<S>& ctx, const std::string& problem, double copy_bandwidth)
      : ctx_(ctx), problem_(problem), copy_bandwidth_(copy_bandwidth), cache_(ctx) {
    fmt::print("  {:<34}{:>12}{:>10}{:>10}{:>9}{:>8}{:>11}\n", "operation", "time", "bytes", "GFLOP/s", "GB/s", "copy",
               "peer/ours");
  }

  /// Measure run(), which books its work in the profile.
  /// @param peer_seconds  of the best peer; infinite where there is none
  void add(const std::string& operation, const std::function<void()>& run, double peer_seconds = no_peer) {
    report(operation, measure(run), peer_seconds);
  }

  /// Measure run(), which does the given work.
  void add(const std::string& operation, const Work& work, const std::function<void()>& run,
           double peer_seconds = no_peer) {
    report(operation, {measure(run).seconds, work}, peer_seconds);
  }

  /// Measure a peer's run(), which does the given work; returns its seconds, or infinity where it fails.
  double add_peer(const std::string& operation, const Work& work, const std::function<void()>& run) {
    try {
      const double seconds = measure(run).seconds;
      report(operation, {seconds, work}, no_peer);
      return seconds;
    } catch (const Error& error) {
      fmt::print("  {:<34}{}\n", operation, error.what());
      return no_peer;
    }
  }

  const nlohmann::json& rows() const { return rows_; }

  static constexpr double no_peer = std::numeric_limits<double>::infinity();

 private:
  Measurement measure(const std::function<void()>& run) {
    return bench::measure(ctx_, run, [&] { cache_.flush(ctx_); });
  }

  void report(const std::string& operation, const Measurement& measured, double peer_seconds) {
    const double seconds = measured.seconds;
    const Work& work = measured.work;
    const double bandwidth = static_cast<double>(work.bytes) / seconds;
    const double flops = static_cast<double>(work.flops) / seconds;
    fmt::print("  {:<34}{:>9.4f} ms{:>7.1f} MB{:>10.2f}{:>9.2f}{:>8.2f}", operation, seconds * 1e3,
               static_cast<double>(work.bytes) * 1e-6, flops * 1e-9, bandwidth * 1e-9, bandwidth / copy_bandwidth_);
    rows_.push_back({{"problem", problem_},
                     {"operation", operation},
                     {"seconds", seconds},
                     {"bytes", work.bytes},
                     {"flops", work.flops},
                     {"fraction_of_copy", bandwidth / copy_bandwidth_}});
    if (peer_seconds != no_peer) {
      fmt::print("{:>11.2f}", peer_seconds / seconds);
      rows_.back()["peer_over_ours"] = peer_seconds / seconds;
    }
    fmt::print("\n");
  }

  Context<S>& ctx_;
  std::string problem_;
  double copy_bandwidth_;
  CacheFlush<S> cache_;
  nlohmann::json rows_ = nlohmann::json::array();
};

template <class T, MemorySpace S>
MultiVector<T, S> random_vector(Context<S>& ctx, Index rows, Index columns, std::uint64_t seed) {
  MultiVector<T, S> x(ctx, rows, columns);
  fill_random<T>(ctx, seed, x);
  return x;
}

/// What a product Y = A X has to move and compute.
/// @param offset_bytes  of a row offset
template <class T>
Work product_work(const CsrMatrix<T, Host>& A, Index columns, std::size_t offset_bytes) {
  const std::size_t vectors = static_cast<std::size_t>(A.rows + A.cols) * static_cast<std::size_t>(columns);
  const std::size_t matrix = A.values.bytes() + A.col_indices.bytes() + offset_bytes * A.row_offsets.size();
  return {static_cast<std::int64_t>(matrix + vectors * sizeof(T)), 2 * A.nnz() * columns};
}

/// Measures the peers that form Y = A X; returns the seconds of the best one with as many threads as ours.
template <class T>
double bench_peers(Context<Host>& ctx, const CsrMatrix<T, Host>& A, MultiVectorView<const T, Host> X,
                   MultiVectorView<T, Host> Y, Table<Host>& table) {
  constexpr std::size_t of_peers = sizeof(std::int32_t);
  if constexpr (HypreMatvec::available && std::is_same_v<T, double>) {
    if (X.columns == 1) {
      HypreMatvec hypre(A);
      const double seconds = table.add_peer("hypre, 1 thread", product_work(A, 1, of_peers), [&] { hypre.multiply(); });
      Context<Host> one(1);
      table.add(
          "spmv csr, 1 thread", product_work(A, 1, sizeof(Offset)), [&] { spmv(one, T{1}, A, X, T{0}, Y); }, seconds);
    }
  }
  return table.add_peer("Eigen", product_work(A, X.columns, of_peers), eigen_spmm(ctx, A, X, Y));
}

#if AMGSOLVE_HAVE_CUDA
template <class T>
double bench_peers(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, MultiVectorView<const T, Cuda> X,
                   MultiVectorView<T, Cuda> Y, Table<Cuda>& table) {
  double best = Table<Cuda>::no_peer;
  for (const CusparseProduct& peer : cusparse_products(ctx, A, X, Y)) {
    best = std::min(best, table.add_peer(peer.name, peer.work, peer.multiply));
  }
  return best;
}
#endif

template <class T, MemorySpace S>
void bench_products(Context<S>& ctx, const CsrMatrix<T, S>& A, Table<S>& table) {
  for (const Index k : {1, 2, 4, 8, 32}) {
    const auto X = random_vector<T>(ctx, A.cols, k, 1);
    auto Y = random_vector<T>(ctx, A.rows, k, 2);
    const double peer = bench_peers<T>(ctx, A, X, Y, table);
    for (const StorageEntry& entry : storages) {
      if (entry.storage == Storage::csr || k == 1 || k >= 8) {
        const Operator<T, S> stored(ctx, borrow(A), entry.storage);
        table.add(
            fmt::format("spmv {}, {} columns", entry.name, k), [&] { stored.apply(ctx, T{1}, X, T{0}, Y); }, peer);
      }
    }
  }
  const Operator<T, S> best(ctx, convert_values<T>(ctx, A));
  Buffer<T, S> diagonal(ctx, static_cast<std::size_t>(A.rows));
  extract_diagonal<T>(ctx, A, diagonal);
  for (const Index k : {1, 8}) {
    const auto X = random_vector<T>(ctx, A.cols, k, 1);
    const auto B = random_vector<T>(ctx, A.rows, k, 2);
    auto Y = random_vector<T>(ctx, A.rows, k, 3);
    MultiVector<double, S> R(ctx, A.rows, k);
    const auto add = [&](const char* operation, const auto& run) {
      table.add(fmt::format("{}, {} columns", operation, k), run);
    };
    add("residual", [&] { best.residual(ctx, B, X, Y); });
    add("judged residual", [&] { best.judged_residual(ctx, B, X, R, Y); });
    add("jacobi step", [&] { best.smoothing_step(ctx, diagonal, T(0.1), T{1}, T{0}, B, X, Y); });
    add("chebyshev step", [&] { best.smoothing_step(ctx, diagonal, T(0.1), T(1.2), T(-0.2), B, X, Y); });
  }
}

template <class T, MemorySpace S>
void bench_vectors(Context<S>& ctx, Index n, Table<S>& table) {
  const auto p = random_vector<T>(ctx, n, 1, 1);
  const auto q = random_vector<T>(ctx, n, 1, 2);
  auto x = random_vector<T>(ctx, n, 1, 3);
  auto r = random_vector<T>(ctx, n, 1, 4);
  MultiVector<double, S> scalars(ctx, 3);
  fill<double>(ctx, 1e-3, scalars);
  const auto scalar = [&](std::size_t i) { return scalars.view().span().subspan(i, 1); };
  table.add("dot", [&] { dot<T>(ctx, p, q, scalar(2)); });
  table.add("cg update", [&] { cg_update<T>(ctx, scalar(0), scalar(1), scalar(0), p, q, x, r, scalar(2)); });
  table.add("cg direction", [&] { cg_direction<T>(ctx, scalar(0), scalar(1), p, r); });
}

template <class T, MemorySpace S>
nlohmann::json bench_problem(Context<S>& ctx, const std::string& name) {
  const CsrMatrix<T, S> A = generate_matrix<T>(ctx, problem(name));
  const double bandwidth = copy_bandwidth(ctx, A.bytes());
  fmt::print("{}: {} rows, {} entries, {:.1f} MB; copy {:.2f} GB/s\n", name, A.rows, A.nnz(),
             static_cast<double>(A.bytes()) * 1e-6, bandwidth * 1e-9);
  Table<S> table(ctx, name, bandwidth);
  bench_products(ctx, A, table);
  bench_vectors<T>(ctx, A.rows, table);
  table.add("transpose", {2 * static_cast<std::int64_t>(A.bytes()), 0}, [&] { transpose(ctx, A); });
  Buffer<T, S> scales(ctx, static_cast<std::size_t>(A.rows));
  const std::size_t scaled = A.values.bytes() + A.row_offsets.bytes() + scales.bytes();
  table.add("row scales", {static_cast<std::int64_t>(scaled), 0}, [&] { scale_by_rows<T>(ctx, A, scales); });
  table.add("symmetry defect", [&] { symmetry_defect<T>(ctx, A, scales); });
  return {
      {"problem", name}, {"rows", A.rows}, {"nnz", A.nnz()}, {"copy_bandwidth", bandwidth}, {"results", table.rows()}};
}

void run(const Options& options) {
  with_context(options.run, [&](auto& ctx) {
    nlohmann::json result = describe_run(ctx, "spmv");
    result["value"] = options.value;
    for (const std::string& name : options.run.problems) {
      result["problems"].push_back(options.value == "float" ? bench_problem<float>(ctx, name)
                                                            : bench_problem<double>(ctx, name));
    }
    write_json(options.run.json, result);
  });
}

}  // namespace
}  // namespace amgsolve::bench

int main(int argc, char** argv) {
  using namespace amgsolve::bench;
  CommandLine line("Sparse products and vector operations, beside their peers");
  Options options;
  add_run_options(line, options.run);
  line.add("--value", options.value, "of matrices and vectors", {"double", "float"});
  return line.run(argc, argv, [&] { run(options); });
}
