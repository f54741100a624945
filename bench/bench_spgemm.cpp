#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <Eigen/SparseCore>
#include <cstdio>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "amg/hierarchy.hpp"
#include "amg/tentative.hpp"
#include "bench/common.hpp"
#include "bench/measure.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "problems/generate.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"
#include "spmv/spmv.hpp"

/// The sparse products of a multigrid setup, A P and R (A P) with the smoothed prolongator P that the default options
/// make for the finest level and R = Pᵀ, and A A; on the host beside Eigen (one thread), on a device beside cuSPARSE.
/// Times include making and freeing the result.
namespace amgsolve::bench {
namespace {

const std::map<std::string, SpgemmAlgorithm> algorithms{{"auto", SpgemmAlgorithm::automatic},
                                                        {"dense", SpgemmAlgorithm::dense},
                                                        {"hash", SpgemmAlgorithm::hash},
                                                        {"esc_global", SpgemmAlgorithm::esc_global}};

struct Options {
  RunOptions run;
  std::string value = "double";
  std::vector<std::string> algorithms{"auto"};
};

/// What a product is, apart from how it is formed.
struct Product {
  std::string name;
  Work work;
  Offset nnz = 0;
};

/// Prints and collects the results of one problem.
class Table {
 public:
  static constexpr double no_peer = std::numeric_limits<double>::infinity();

  /// @param spmv_seconds  one product of the problem's matrix with a vector: what setups are counted in
  Table(double copy_bandwidth, double spmv_seconds) : copy_bandwidth_(copy_bandwidth), spmv_seconds_(spmv_seconds) {
    fmt::print("  {:<22}{:>13}{:>11}{:>10}{:>9}{:>9}{:>11}{:>8}{:>11}\n", "product", "time", "products", "nnz",
               "GFLOP/s", "floor", "extra", "SpMVs", "peer/ours");
  }

  /// @param extra_bytes  peak of the memory beside the operands and the result; 0 where it is not known
  /// @param peer_seconds  of the peer; no_peer where there is none, or this is the peer
  void add(const Product& product, const std::string& algorithm, double seconds, std::size_t extra_bytes,
           double peer_seconds) {
    const auto products = static_cast<double>(product.work.flops) / 2.0;
    const double floor_seconds = static_cast<double>(product.work.bytes) / copy_bandwidth_;
    fmt::print("  {:<22}{:>10.3f} ms{:>9.2f} M{:>8.2f} M{:>9.2f}{:>9.3f}{:>11}{:>8.1f}", product.name + " " + algorithm,
               seconds * 1e3, products * 1e-6, static_cast<double>(product.nnz) * 1e-6, 2e-9 * products / seconds,
               floor_seconds / seconds, extra_bytes == 0 ? "" : format_bytes(extra_bytes), seconds / spmv_seconds_);
    rows_.push_back({{"product", product.name},
                     {"algorithm", algorithm},
                     {"seconds", seconds},
                     {"bytes", product.work.bytes},
                     {"flops", product.work.flops},
                     {"nnz", product.nnz},
                     {"floor_seconds", floor_seconds},
                     {"fraction_of_floor", floor_seconds / seconds},
                     {"extra_bytes", extra_bytes},
                     {"spmvs", seconds / spmv_seconds_}});
    if (peer_seconds != no_peer) {
      fmt::print("{:>11.2f}", peer_seconds / seconds);
      rows_.back()["peer_over_ours"] = peer_seconds / seconds;
    }
    fmt::print("\n");
  }

  void add_failure(const Product& product, const std::string& algorithm, const std::string& reason) {
    fmt::print("  {:<22}{}\n", product.name + " " + algorithm, reason);
    rows_.push_back({{"product", product.name}, {"algorithm", algorithm}, {"failure", reason}});
  }

  const nlohmann::json& rows() const { return rows_; }

 private:
  double copy_bandwidth_;
  double spmv_seconds_;
  nlohmann::json rows_ = nlohmann::json::array();
};

Context<Host> empty_context(const Context<Host>& ctx) { return Context<Host>(ctx.threads()); }
#if AMGSOLVE_HAVE_CUDA
Context<Cuda> empty_context(const Context<Cuda>& ctx) { return Context<Cuda>(ctx.device()); }
#endif

/// Measures A B by one algorithm; returns its seconds, or no_peer where it fails, such as for want of memory.
template <class T, MemorySpace S>
double bench_algorithm(Context<S>& ctx, Product product, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                       const std::string& name, SpgemmAlgorithm algorithm, double peer_seconds, Table& table) {
  const SpgemmOptions options{algorithm};
  try {
    std::size_t extra_bytes = 0;
    {
      // In a context of its own, whose peak of memory is the product's; the operands are ready before it starts.
      ctx.synchronize();
      Context<S> empty = empty_context(ctx);
      const CsrMatrix<T, S> C = multiply(empty, A, B, options);
      product.nnz = C.nnz();
      extra_bytes = empty.memory().peak_bytes() - C.bytes();
    }
    const Measurement measured = measure(ctx, [&] { multiply(ctx, A, B, options); });
    product.work = measured.work;
    table.add(product, name, measured.seconds, extra_bytes, peer_seconds);
    return measured.seconds;
  } catch (const Error& error) {
    table.add_failure(product, name, error.what());
    return Table::no_peer;
  }
}

template <class T>
using EigenMatrix = Eigen::SparseMatrix<T, Eigen::RowMajor, Index>;

template <class T>
EigenMatrix<T> to_eigen(const CsrMatrix<T, Host>& A) {
  const std::vector<Index> row_offsets(A.row_offsets.data(), A.row_offsets.data() + A.row_offsets.size());
  return Eigen::Map<const EigenMatrix<T>>(A.rows, A.cols, static_cast<Index>(A.nnz()), row_offsets.data(),
                                          A.col_indices.data(), A.values.data());
}

/// The products a_ik b_kj that A B sums.
template <class T>
Offset count_products(const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B) {
  Offset products = 0;
  for (const Index k : std::span(A.col_indices.data(), A.col_indices.size())) {
    const auto row = static_cast<std::size_t>(k);
    products += B.row_offsets[row + 1] - B.row_offsets[row];
  }
  return products;
}

template <class T>
double bench_peer(Context<Host>& ctx, const std::string& name, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                  Table& table) {
  const EigenMatrix<T> eigen_A = to_eigen(A);
  const EigenMatrix<T> eigen_B = to_eigen(B);
  EigenMatrix<T> C;
  const double seconds = measure(ctx, [&] { C = eigen_A * eigen_B; }).seconds;
  const auto result_bytes =
      static_cast<std::size_t>(C.nonZeros()) * (sizeof(Index) + sizeof(T)) + A.row_offsets.bytes();
  const Work work{static_cast<std::int64_t>(A.bytes() + B.bytes() + result_bytes), 2 * count_products(A, B)};
  table.add({name, work, C.nonZeros()}, "Eigen", seconds, 0, Table::no_peer);
  return seconds;
}

template <class T>
double bench_peer(Context<Cuda>& ctx, const std::string& name, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                  Table& table) {
  return bench_algorithm(ctx, {name, {}, 0}, A, B, "cuSPARSE", SpgemmAlgorithm::cusparse, Table::no_peer, table);
}

template <class T, MemorySpace S>
void bench_product(Context<S>& ctx, const std::string& name, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                   const Options& options, Table& table) {
  const double peer_seconds = bench_peer(ctx, name, A, B, table);
  for (const std::string& algorithm : options.algorithms) {
    bench_algorithm(ctx, {name, {}, 0}, A, B, algorithm, algorithms.at(algorithm), peer_seconds, table);
  }
}

template <class T, MemorySpace S>
nlohmann::json bench_problem(Context<S>& ctx, const std::string& name, const Options& options) {
  const CsrMatrix<T, S> A = generate_matrix<T>(ctx, problem(name));
  FatVector<T, S> x(ctx, A.cols);
  FatVector<T, S> y(ctx, A.rows);
  fill_constant_candidates<T>(ctx, x);
  AmgOptions two_levels;
  two_levels.max_levels = 2;
  const Hierarchy<T, S> hierarchy(ctx, borrow(A), x, two_levels);
  const CsrMatrix<T, S>& P = hierarchy.levels().front().P;
  const CsrMatrix<T, S>& R = hierarchy.levels().front().R;
  const double spmv_seconds = measure(ctx, [&] { spmv(ctx, T{1}, A, x, T{0}, y); }).seconds;
  const double bandwidth = copy_bandwidth(ctx, A.bytes());
  fmt::print("{}: {} rows, {} entries; P {} columns, {} entries; SpMV {:.3f} ms; copy {:.2f} GB/s\n", name, A.rows,
             A.nnz(), P.cols, P.nnz(), spmv_seconds * 1e3, bandwidth * 1e-9);
  Table table(bandwidth, spmv_seconds);
  bench_product(ctx, "A P", A, P, options, table);
  bench_product(ctx, "R (A P)", R, multiply(ctx, A, P), options, table);
  bench_product(ctx, "A A", A, A, options, table);
  return {{"problem", name},
          {"rows", A.rows},
          {"nnz", A.nnz()},
          {"spmv_seconds", spmv_seconds},
          {"copy_bandwidth", bandwidth},
          {"results", table.rows()}};
}

void run(const Options& options) {
  with_context(options.run, [&](auto& ctx) {
    nlohmann::json result = describe_run(ctx, "spgemm");
    result["value"] = options.value;
    for (const std::string& name : options.run.problems) {
      result["problems"].push_back(options.value == "float" ? bench_problem<float>(ctx, name, options)
                                                            : bench_problem<double>(ctx, name, options));
    }
    write_json(options.run.json, result);
  });
}

}  // namespace
}  // namespace amgsolve::bench

int main(int argc, char** argv) {
  CLI::App app("Sparse matrix products, beside Eigen on the host and cuSPARSE on a GPU");
  amgsolve::bench::Options options;
  amgsolve::bench::add_run_options(app, options.run);
  app.add_option("--value", options.value)->check(CLI::IsMember({"double", "float"}))->capture_default_str();
  app.add_option("--algorithm", options.algorithms, "host: auto, dense, hash; cuda: auto, hash, esc_global; several")
      ->check(CLI::IsMember({"auto", "dense", "hash", "esc_global"}))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    amgsolve::bench::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_spgemm: {}\n", error.what());
    return 1;
  }
  return 0;
}
