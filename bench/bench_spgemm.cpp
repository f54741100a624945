#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/common.hpp"
#include "bench/spgemm_peers.hpp"
#include "bench/spgemm_problems.hpp"
#include "bench/spgemm_small.hpp"
#include "bench/spgemm_table.hpp"
#include "spgemm/plan.hpp"
#include "spmv/spmv.hpp"

/// Sparse products of multigrid setups, graphs and random matrices; on the host beside Eigen (one thread) and AMGCL's
/// method, on a device beside cuSPARSE. Times include making and freeing the result. Where an algorithm fails, such as
/// for want of memory, its reason stands in its place.
namespace amgsolve::bench {
namespace {

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const SpgemmAlgorithm& algorithm : spgemm_algorithms()) {
    names.emplace_back(algorithm.name);
  }
  return names;
}

struct Options {
  RunOptions run{{"P1", "P2", "P3", "P4", "p1_2d", "p1_3d", "random_inner", "scale_free", "small"}, "host", 0, ""};
  std::vector<std::string> matrices;
  std::vector<std::string> values{"double", "float"};
  std::vector<std::string> algorithms{"auto"};
  std::vector<std::string> cusparse{"alg1"};
  int levels = 1;
  bool notes = false;
  bool plan = false;

  std::vector<std::pair<std::string, const SpgemmAlgorithm*>> chosen_algorithms() const {
    std::vector<std::pair<std::string, const SpgemmAlgorithm*>> result;
    for (const std::string& name : algorithms) {
      result.emplace_back(name, spgemm_algorithm(name));
    }
    return result;
  }
};

Context<Host> empty_context(const Context<Host>& ctx) { return Context<Host>(ctx.threads()); }
#if AMGSOLVE_HAVE_CUDA
Context<Cuda> empty_context(const Context<Cuda>& ctx) { return Context<Cuda>(ctx.device()); }
#endif

#if AMGSOLVE_HAVE_CUDA
/// Of products whose pattern is known; calls add(name, bytes kept beside A, B and C, run).
template <class T, class Add>
void add_reuse_peer(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, const Add& add) {
  const CusparseSpgemmReuse reuse = cusparse_spgemm_reuse(ctx, A, B);
  add("cuSPARSE reuse", reuse.bytes, reuse.update);
}
#endif
template <class T, class Add>
void add_reuse_peer(Context<Host>&, const CsrMatrix<T, Host>&, const CsrMatrix<T, Host>&, const Add&) {}

/// Measures the values of A B anew where its pattern is known; what is kept for that counts as extra memory.
template <class T, MemorySpace S>
void bench_plan(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B, SpgemmRows& rows) {
  double peer_seconds = SpgemmRows::no_peer;
  try {
    add_reuse_peer(ctx, A, B, [&](const std::string& name, std::size_t bytes, const auto& update) {
      const SpgemmResult result{name, measure(ctx, update), bytes};
      rows.add(result, SpgemmRows::no_peer);
      peer_seconds = result.measured.seconds;
    });
  } catch (const std::exception& error) {
    rows.add_failure("cuSPARSE reuse", error.what());
  }
  try {
    const SpgemmPlan<T, S> plan(ctx, A, B);
    CsrMatrix<T, S> C = plan.multiply(ctx, A, B);
    rows.add({"plan update", measure(ctx, [&] { plan.update(ctx, A, B, C); }), plan.bytes()}, peer_seconds);
  } catch (const std::exception& error) {
    rows.add_failure("plan update", error.what());
  }
}

/// Most memory that multiply(A, B) takes beside operands and result.
template <class T, MemorySpace S>
std::size_t extra_bytes(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                        const SpgemmOptions& options) {
  // In a context of its own, whose peak of memory is the product's; the operands are ready before it starts.
  ctx.synchronize();
  Context<S> empty = empty_context(ctx);
  const CsrMatrix<T, S> C = multiply(empty, A, B, options);
  return empty.memory().peak_bytes() - C.bytes();
}

template <class T, MemorySpace S>
nlohmann::json bench_product(Context<S>& ctx, SpgemmCase product, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                             const Options& options, PaperTable& paper_table) {
  {
    const CsrMatrix<T, S> C = multiply(ctx, A, B);
    product.statistics = spgemm_statistics(ctx, A, B, C);
    product.result_bytes = C.bytes();
    product.operand_bytes = A.bytes() + B.bytes();
  }
  SpgemmRows rows(product);
  const auto attempt = [&](const std::string& name, double peer_seconds, const auto& run, const auto& extra) {
    SpgemmResult result{name, {}};
    try {
      result.extra_bytes = extra();
      result.measured = measure(ctx, run);
      rows.add(result, peer_seconds);
    } catch (const std::exception& error) {
      rows.add_failure(name, error.what());
      result.measured.seconds = SpgemmRows::no_peer;
    }
    return result;
  };
  double peer_seconds = SpgemmRows::no_peer;
  for (const SpgemmPeer& peer : spgemm_peers(ctx, A, B, options.cusparse)) {
    const SpgemmResult result = attempt(peer.name, SpgemmRows::no_peer, peer.multiply,
                                        [&] { return peer.peak_bytes ? peer.peak_bytes() : std::size_t{0}; });
    peer_seconds = std::min(peer_seconds, result.measured.seconds);
  }
  SpgemmResult best;
  best.measured.seconds = SpgemmRows::no_peer;
  for (const auto& [name, algorithm] : options.chosen_algorithms()) {
    const SpgemmOptions how{.algorithm = algorithm};
    SpgemmResult result = attempt(
        name, peer_seconds, [&] { multiply(ctx, A, B, how); }, [&] { return extra_bytes(ctx, A, B, how); });
    if (options.notes) {
      for (const std::string& note : result.measured.notes) {
        fmt::print("      {}\n", note);
      }
    }
    if (result.measured.seconds < best.measured.seconds) {
      best = std::move(result);
    }
  }
  if (!best.algorithm.empty()) {
    paper_table.add(product, best, peer_seconds);
  }
  if (options.plan) {
    bench_plan(ctx, A, B, rows);
  }
  return rows.json();
}

template <class T, MemorySpace S>
nlohmann::json bench_operands(Context<S>& ctx, const std::string& name, const SpgemmOperands<T, S>& operands,
                              const std::string& value, const Options& options, PaperTable& paper_table) {
  const CsrMatrix<T, S>& A = operands.A;
  MultiVector<T, S> x(ctx, A.cols);
  MultiVector<T, S> y(ctx, A.rows);
  fill_constant_candidates<T>(ctx, x);
  SpgemmCase product{.matrix = name, .product = {}, .value = value, .statistics = {}};
  product.spmv_seconds = measure(ctx, [&] { spmv(ctx, T{1}, A, x, T{0}, y); }).seconds;
  product.copy_bandwidth = copy_bandwidth(ctx, A.bytes());
  fmt::print("{}, {}: {} x {}, {} entries; SpMV {:.3f} ms; copy {:.2f} GB/s\n", name, value, A.rows, A.cols, A.nnz(),
             product.spmv_seconds * 1e3, product.copy_bandwidth * 1e-9);
  nlohmann::json products = nlohmann::json::array();
  for_products(
      ctx, operands, options.levels,
      [&](const std::string& product_name, const CsrMatrix<T, S>& left, const CsrMatrix<T, S>& right) {
        product.product = product_name;
        products.push_back(bench_product(ctx, product, left, right, options, paper_table));
      },
      [&](const std::string& reason) { fmt::print("  no products of a setup: {}\n", reason); });
  return {{"problem", name},
          {"value", value},
          {"rows", A.rows},
          {"cols", A.cols},
          {"nnz", A.nnz()},
          {"spmv_seconds", product.spmv_seconds},
          {"copy_bandwidth", product.copy_bandwidth},
          {"products", std::move(products)}};
}

template <class T, MemorySpace S>
void bench_value(Context<S>& ctx, const std::string& value, const Options& options, PaperTable& paper_table,
                 nlohmann::json& result) {
  for (const std::string& name : options.run.problems) {
    if (name == "small") {
      fmt::print("small, {}\n", value);
      result["problems"].push_back({{"problem", name},
                                    {"value", value},
                                    {"results", bench_small<T>(ctx, options.chosen_algorithms(), options.cusparse)}});
    } else {
      result["problems"].push_back(bench_operands(ctx, name, make_operands<T>(ctx, name), value, options, paper_table));
    }
  }
  for (const std::string& path : options.matrices) {
    const std::string name = std::filesystem::path(path).filename().string();
    result["problems"].push_back(bench_operands(ctx, name, read_operands<T>(ctx, path), value, options, paper_table));
  }
}

void run(const Options& options) {
  with_context(options.run, [&](auto& ctx) {
    nlohmann::json result = describe_run(ctx, "spgemm");
    PaperTable paper_table;
    for (const std::string& value : options.values) {
      if (value == "float") {
        bench_value<float>(ctx, value, options, paper_table, result);
      } else {
        bench_value<double>(ctx, value, options, paper_table, result);
      }
    }
    fmt::print("\n{}", paper_table.text());
    write_json(options.run.json, result);
  });
}

}  // namespace
}  // namespace amgsolve::bench

int main(int argc, char** argv) {
  using namespace amgsolve::bench;
  CommandLine line("Sparse matrix products, beside Eigen and AMGCL's method on the host, and cuSPARSE on a GPU");
  Options options;
  add_run_options(line, options.run, spgemm_problem_names());
  line.add("--matrix", options.matrices,
           "Matrix Market files, several; instead of the problems unless these are given");
  line.add("--value", options.values, "several", {"double", "float"});
  line.add("--algorithm", options.algorithms, "several; host: auto, dense, hash; cuda: auto and all others but dense",
           algorithm_names());
  line.add("--cusparse", options.cusparse, "algorithms of cuSPARSE to compare with, several; alg1 is its default",
           {"alg1", "alg2", "alg3"});
  line.add_positive("--levels", options.levels, "of a hierarchy whose products are formed, the finest first");
  line.add("--plan", options.plan, "also form the values alone, where the pattern is known");
  line.add("--notes", options.notes, "print what the algorithms say of their choices");
  return line.run(argc, argv, [&] {
    if (!options.matrices.empty() && !line.has("--problem")) {
      options.run.problems.clear();
    }
    run(options);
  });
}
