#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <Eigen/Sparse>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/common.hpp"
#include "bench/hypre_matvec.hpp"
#include "core/errors.hpp"
#include "core/timer.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/random.hpp"
#include "spmv/spmv.hpp"
#include "spmv/statistics.hpp"

/// Sparse products and vector operations on the host beside Eigen (all threads) and, where it is installed, hypre (one
/// thread, as Debian builds it). Every operation repeats on the same data, so that what fits into the last-level cache
/// stays there, for us as for the peers; the copy bandwidth beside it is of as many bytes as the matrix has.
namespace amgsolve::bench {
namespace {

struct Options {
  std::vector<std::string> problems{"P1", "P3", "P4"};
  int threads = 0;
  std::string value = "double";
  std::string json;
};

/// Prints and collects the results of one problem.
class Table {
 public:
  Table(Context<Host>& ctx, const std::string& problem, double copy_bandwidth)
      : ctx_(ctx), problem_(problem), copy_bandwidth_(copy_bandwidth) {
    fmt::print("  {:<32}{:>12}{:>10}{:>10}{:>9}{:>8}\n", "operation", "time", "bytes", "GFLOP/s", "GB/s", "copy");
  }

  /// Time run(), whose bytes and flops are those that it books in the profile.
  void add(const std::string& operation, const std::function<void()>& run) {
    ctx_.profile().clear();
    {
      const ScopedTimer timer(ctx_, operation);
      run();
    }
    add(operation, ctx_.profile().nodes().front().work, run);
  }

  /// Time run(), which does the given work.
  void add(const std::string& operation, const Work& work, const std::function<void()>& run) {
    const double seconds = median_seconds(run);
    const double bandwidth = static_cast<double>(work.bytes) / seconds;
    const double flops = static_cast<double>(work.flops) / seconds;
    fmt::print("  {:<32}{:>9.4f} ms{:>7.1f} MB{:>10.2f}{:>9.2f}{:>8.2f}\n", operation, seconds * 1e3,
               static_cast<double>(work.bytes) * 1e-6, flops * 1e-9, bandwidth * 1e-9, bandwidth / copy_bandwidth_);
    rows_.push_back({{"problem", problem_},
                     {"operation", operation},
                     {"seconds", seconds},
                     {"bytes", work.bytes},
                     {"flops", work.flops},
                     {"fraction_of_copy", bandwidth / copy_bandwidth_}});
  }

  const nlohmann::json& rows() const { return rows_; }

 private:
  Context<Host>& ctx_;
  std::string problem_;
  double copy_bandwidth_;
  nlohmann::json rows_ = nlohmann::json::array();
};

template <class T>
FatVector<T, Host> random_vector(Context<Host>& ctx, Index rows, Index columns, std::uint64_t seed) {
  FatVector<T, Host> x(ctx, rows, columns);
  fill_random<T>(ctx, seed, x);
  return x;
}

/// What a product y = A x has to move and compute, for peers that do not say.
template <class T>
Work product_work(const CsrMatrix<T, Host>& A) {
  return {static_cast<std::int64_t>(A.bytes() + static_cast<std::size_t>(A.rows + A.cols) * sizeof(T)), 2 * A.nnz()};
}

template <class T>
void bench_products(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Table& table) {
  for (const Index k : {1, 2, 4, 8}) {
    const auto X = random_vector<T>(ctx, A.cols, k, 1);
    auto Y = random_vector<T>(ctx, A.rows, k, 2);
    table.add(fmt::format("spmv csr, {} columns", k), [&] { spmv(ctx, T{1}, A, X, T{0}, Y); });
  }
  const auto x = random_vector<T>(ctx, A.cols, 1, 1);
  const auto b = random_vector<T>(ctx, A.rows, 1, 2);
  auto y = random_vector<T>(ctx, A.rows, 1, 3);
  const EllMatrix<T, Host> ell = csr_to_ell(ctx, A);
  table.add("spmv ell", [&] { spmv(ctx, T{1}, ell, x, T{0}, y); });
  table.add("residual", [&] { residual(ctx, A, b, x, y); });
  Buffer<T, Host> diagonal(ctx, static_cast<std::size_t>(A.rows));
  extract_diagonal(ctx, A, diagonal.span());
  table.add("jacobi step", [&] { smoothing_step(ctx, A, diagonal, T(0.1), T{1}, T{0}, b, x, y); });
  table.add("chebyshev step", [&] { smoothing_step(ctx, A, diagonal, T(0.1), T(1.2), T(-0.2), b, x, y); });
}

template <class T>
void bench_peers(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Table& table) {
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  const std::vector<Index> row_offsets(A.row_offsets.data(), A.row_offsets.data() + A.row_offsets.size());
  const Eigen::Map<const Eigen::SparseMatrix<T, Eigen::RowMajor, Index>> eigen(
      A.rows, A.cols, static_cast<Index>(A.nnz()), row_offsets.data(), A.col_indices.data(), A.values.data());
  const Vector x = Vector::Ones(A.cols);
  Vector y = Vector::Zero(A.rows);
  Eigen::setNbThreads(ctx.threads());
  table.add("spmv Eigen", product_work(A), [&] { y.noalias() = eigen * x; });
  if constexpr (HypreMatvec::available && std::is_same_v<T, double>) {
    HypreMatvec hypre(A);
    table.add("spmv hypre, 1 thread", product_work(A), [&] { hypre.multiply(); });
    Context<Host> one(1);
    const auto x_one = random_vector<T>(one, A.cols, 1, 1);
    auto y_one = random_vector<T>(one, A.rows, 1, 2);
    table.add("spmv csr, 1 thread", product_work(A), [&] { spmv(one, T{1}, A, x_one, T{0}, y_one); });
  }
}

template <class T>
void bench_vectors(Context<Host>& ctx, Index n, Table& table) {
  const auto p = random_vector<T>(ctx, n, 1, 1);
  const auto q = random_vector<T>(ctx, n, 1, 2);
  auto x = random_vector<T>(ctx, n, 1, 3);
  auto r = random_vector<T>(ctx, n, 1, 4);
  Buffer<double, Host> scalars(ctx, 3);
  std::fill_n(scalars.data(), 3, 1e-3);
  const auto scalar = [&](std::size_t i) { return scalars.span().subspan(i, 1); };
  table.add("dot", [&] { dot<T>(ctx, p, q, scalar(2)); });
  table.add("cg update", [&] { cg_update<T>(ctx, scalar(0), scalar(1), p, q, x, r, scalar(2)); });
  table.add("cg direction", [&] { cg_direction<T>(ctx, scalar(0), scalar(1), p, r); });
}

template <class T>
nlohmann::json bench_problem(Context<Host>& ctx, const std::string& name) {
  const CsrMatrix<T, Host> A = generate_matrix<T>(ctx, problem(name));
  const double bandwidth = copy_bandwidth(ctx, A.bytes());
  fmt::print("{}: {} rows, {} entries, {:.1f} MB; copy {:.2f} GB/s\n", name, A.rows, A.nnz(),
             static_cast<double>(A.bytes()) * 1e-6, bandwidth * 1e-9);
  Table table(ctx, name, bandwidth);
  bench_products(ctx, A, table);
  bench_peers(ctx, A, table);
  bench_vectors<T>(ctx, A.rows, table);
  table.add("transpose", {2 * static_cast<std::int64_t>(A.bytes()), 0}, [&] { transpose(ctx, A); });
  table.add("symmetry defect", [&] { symmetry_defect(ctx, A); });
  return {
      {"problem", name}, {"rows", A.rows}, {"nnz", A.nnz()}, {"copy_bandwidth", bandwidth}, {"results", table.rows()}};
}

void run(const Options& options) {
  Context<Host> ctx(options.threads);
  nlohmann::json result = describe_run(ctx, "spmv");
  result["value"] = options.value;
  for (const std::string& name : options.problems) {
    result["problems"].push_back(options.value == "float" ? bench_problem<float>(ctx, name)
                                                          : bench_problem<double>(ctx, name));
  }
  if (!options.json.empty()) {
    write_json(options.json, result);
  }
}

}  // namespace
}  // namespace amgsolve::bench

int main(int argc, char** argv) {
  CLI::App app("Sparse products and vector operations on the host, beside their peers");
  amgsolve::bench::Options options;
  app.add_option("--problem", options.problems, "P1, P2, P3, P4, P6 or P7; several")->capture_default_str();
  app.add_option("--threads", options.threads, "0: all")->capture_default_str();
  app.add_option("--value", options.value)->check(CLI::IsMember({"double", "float"}))->capture_default_str();
  app.add_option("--json", options.json, "file to write the results to");
  CLI11_PARSE(app, argc, argv);
  try {
    amgsolve::bench::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_spmv: {}\n", error.what());
    return 1;
  }
  return 0;
}
