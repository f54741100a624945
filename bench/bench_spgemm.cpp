#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <Eigen/SparseCore>
#include <cstdio>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "amg/prolongator.hpp"
#include "amg/spectral_radius.hpp"
#include "amg/strength.hpp"
#include "bench/common.hpp"
#include "core/timer.hpp"
#include "problems/generate.hpp"
#include "spgemm/galerkin.hpp"
#include "spmv/conversions.hpp"
#include "spmv/spmv.hpp"
#include "spmv/statistics.hpp"

/// The sparse products of a multigrid setup on the host, A P and R (A P) with the smoothed prolongator P of the finest
/// level and R = Pᵀ, and A A, beside Eigen (one thread). Times include making and freeing the result.
namespace amgsolve::bench {
namespace {

const std::map<std::string, SpgemmAlgorithm> algorithms{
    {"auto", SpgemmAlgorithm::automatic}, {"dense", SpgemmAlgorithm::dense}, {"hash", SpgemmAlgorithm::hash}};

struct Options {
  std::vector<std::string> problems{"P1", "P3", "P4"};
  int threads = 0;
  std::string value = "double";
  std::string algorithm = "auto";
  std::string json;
};

/// The prolongator that a multigrid setup with the default options makes of A.
template <class T>
CsrMatrix<T, Host> prolongator(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  Buffer<T, Host> diagonal(ctx, static_cast<std::size_t>(A.rows));
  extract_diagonal<T>(ctx, A, diagonal);
  const Aggregates<Host> aggregates = aggregate(ctx, strength_graph<T>(ctx, A, diagonal, 0.0));
  FatVector<T, Host> candidates(ctx, A.rows);
  fill_constant_candidates<T>(ctx, candidates);
  const Tentative<T, Host> tentative = tentative_prolongator<T>(ctx, aggregates, 1, candidates);
  const double rho = spectral_radius<T, Host>(ctx, A, diagonal, 10);
  return smoothed_prolongator<T>(ctx, A, nullptr, aggregates, 1, tentative, static_cast<T>(4.0 / 3.0 / rho));
}

/// Prints and collects the results of one problem.
class Table {
 public:
  /// @param spmv_seconds  one product of the problem's matrix with a vector: what setups are counted in
  Table(double copy_bandwidth, double spmv_seconds) : copy_bandwidth_(copy_bandwidth), spmv_seconds_(spmv_seconds) {
    fmt::print("  {:<14}{:>12}{:>11}{:>10}{:>9}{:>9}{:>8}{:>8}\n", "product", "time", "products", "nnz", "GFLOP/s",
               "GB/s", "copy", "SpMVs");
  }

  void add(const std::string& product, const Work& work, Offset nnz, const std::function<void()>& run) {
    const double seconds = median_seconds(run);
    const double bandwidth = static_cast<double>(work.bytes) / seconds;
    const auto products = static_cast<double>(work.flops) / 2.0;
    fmt::print("  {:<14}{:>9.2f} ms{:>9.2f} M{:>8.2f} M{:>9.2f}{:>9.2f}{:>8.3f}{:>8.1f}\n", product, seconds * 1e3,
               products * 1e-6, static_cast<double>(nnz) * 1e-6, 2e-9 * products / seconds, bandwidth * 1e-9,
               bandwidth / copy_bandwidth_, seconds / spmv_seconds_);
    rows_.push_back({{"product", product},
                     {"seconds", seconds},
                     {"bytes", work.bytes},
                     {"flops", work.flops},
                     {"nnz", nnz},
                     {"fraction_of_copy", bandwidth / copy_bandwidth_},
                     {"spmvs", seconds / spmv_seconds_}});
  }

  const nlohmann::json& rows() const { return rows_; }

 private:
  double copy_bandwidth_;
  double spmv_seconds_;
  nlohmann::json rows_ = nlohmann::json::array();
};

template <class T>
using EigenMatrix = Eigen::SparseMatrix<T, Eigen::RowMajor, Index>;

template <class T>
EigenMatrix<T> to_eigen(const CsrMatrix<T, Host>& A) {
  const std::vector<Index> row_offsets(A.row_offsets.data(), A.row_offsets.data() + A.row_offsets.size());
  return Eigen::Map<const EigenMatrix<T>>(A.rows, A.cols, static_cast<Index>(A.nnz()), row_offsets.data(),
                                          A.col_indices.data(), A.values.data());
}

/// Times A B as ours and as Eigen's.
template <class T>
void bench_product(Context<Host>& ctx, const std::string& name, const CsrMatrix<T, Host>& A,
                   const CsrMatrix<T, Host>& B, const SpgemmOptions& options, Table& table) {
  ctx.profile().clear();
  Offset nnz = 0;
  {
    const ScopedTimer timer(ctx, name);
    nnz = multiply(ctx, A, B, options).nnz();
  }
  const Work work = ctx.profile().nodes().front().work;
  table.add(name, work, nnz, [&] { multiply(ctx, A, B, options); });
  const EigenMatrix<T> eigen_A = to_eigen(A);
  const EigenMatrix<T> eigen_B = to_eigen(B);
  table.add(name + " Eigen", work, nnz, [&] { const EigenMatrix<T> C = eigen_A * eigen_B; });
}

template <class T>
nlohmann::json bench_problem(Context<Host>& ctx, const std::string& name, const SpgemmOptions& options) {
  const CsrMatrix<T, Host> A = generate_matrix<T>(ctx, problem(name));
  const CsrMatrix<T, Host> P = prolongator(ctx, A);
  const CsrMatrix<T, Host> R = transpose(ctx, P);
  const CsrMatrix<T, Host> AP = multiply(ctx, A, P, options);
  FatVector<T, Host> x(ctx, A.cols);
  FatVector<T, Host> y(ctx, A.rows);
  fill_constant_candidates<T>(ctx, x);
  const double spmv_seconds = median_seconds([&] { spmv(ctx, T{1}, A, x, T{0}, y); });
  const double bandwidth = copy_bandwidth(ctx, A.bytes());
  fmt::print("{}: {} rows, {} entries; P {} columns, {} entries; SpMV {:.2f} ms; copy {:.2f} GB/s\n", name, A.rows,
             A.nnz(), P.cols, P.nnz(), spmv_seconds * 1e3, bandwidth * 1e-9);
  Table table(bandwidth, spmv_seconds);
  bench_product(ctx, "A P", A, P, options, table);
  bench_product(ctx, "R (A P)", R, AP, options, table);
  bench_product(ctx, "A A", A, A, options, table);
  return {{"problem", name},
          {"rows", A.rows},
          {"nnz", A.nnz()},
          {"spmv_seconds", spmv_seconds},
          {"copy_bandwidth", bandwidth},
          {"results", table.rows()}};
}

void run(const Options& options) {
  Context<Host> ctx(options.threads);
  nlohmann::json result = describe_run(ctx, "spgemm");
  result["value"] = options.value;
  result["algorithm"] = options.algorithm;
  const SpgemmOptions spgemm{algorithms.at(options.algorithm)};
  for (const std::string& name : options.problems) {
    result["problems"].push_back(options.value == "float" ? bench_problem<float>(ctx, name, spgemm)
                                                          : bench_problem<double>(ctx, name, spgemm));
  }
  if (!options.json.empty()) {
    write_json(options.json, result);
  }
}

}  // namespace
}  // namespace amgsolve::bench

int main(int argc, char** argv) {
  CLI::App app("Sparse matrix products on the host, beside Eigen");
  amgsolve::bench::Options options;
  app.add_option("--problem", options.problems, "P1, P2, P3, P4, P6 or P7; several")->capture_default_str();
  app.add_option("--threads", options.threads, "0: all")->capture_default_str();
  app.add_option("--value", options.value)->check(CLI::IsMember({"double", "float"}))->capture_default_str();
  app.add_option("--algorithm", options.algorithm)
      ->check(CLI::IsMember({"auto", "dense", "hash"}))
      ->capture_default_str();
  app.add_option("--json", options.json, "file to write the results to");
  CLI11_PARSE(app, argc, argv);
  try {
    amgsolve::bench::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_spgemm: {}\n", error.what());
    return 1;
  }
  return 0;
}
