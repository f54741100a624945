#include "src/application/machine_benchmark.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "core/device.hpp"
#include "core/format.hpp"
#include "problems/generate.hpp"
#include "src/library/backend.hpp"
#include "src/library/build_info.hpp"
#include "src/library/machine.hpp"
#include "src/library/table.hpp"

namespace amgsolve {
namespace {

using nlohmann::json;

constexpr int schema_version = 1;

json json_of(const MachineFigures::Speed& speed) {
  return {{"bytes", speed.bytes}, {"flops", speed.flops}, {"seconds", speed.seconds}};
}

template <MemorySpace S>
void measure(Context<S>& ctx, const BenchmarkSizes& sizes, json& result) {
  GeneratedProblem problem;
  problem.grid = {3, {sizes.grid, sizes.grid, sizes.grid}};
  const MachineFigures figures =
      measure_machine<S>(ctx, sizes.copied_values, [&] { return generate_matrix<double>(ctx, problem); });
  result["copy"] = json_of(figures.copy);
  result["double"] = json_of(figures.doubles);
  result["float"] = json_of(figures.floats);
  result["product"] = json_of(figures.product);
  result["solve"] = {{"rows", figures.rows},
                     {"nnz", figures.nnz},
                     {"setup_seconds", figures.setup_seconds},
                     {"solve_seconds", figures.solve_seconds},
                     {"iterations", figures.iterations}};
}

std::string now() { return format_text("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

/// Where the work was done.
std::string name_of(const json& figures) {
  return figures.at("device").is_string()
             ? figures.at("device").get<std::string>()
             : format_text("{}, {}", format_count(figures.at("threads").get<std::int64_t>(), "thread"),
                           figures.at("machine").at("cpu").get<std::string>());
}

double setup_and_solve_seconds(const json& figures) {
  return figures.at("solve").at("setup_seconds").get<double>() + figures.at("solve").at("solve_seconds").get<double>();
}

std::vector<std::string> row_of(const json& figures, const std::string& name) {
  // Not of all machines is everything recorded.
  const auto rate = [&](const char* what, const char* of, std::string_view unit) {
    return figures.contains(what)
               ? format_text(
                     "{:.1f}{}",
                     1e-9 * figures.at(what).at(of).get<double>() / figures.at(what).at("seconds").get<double>(), unit)
               : std::string();
  };
  const json& solve = figures.at("solve");
  return {printable(name),
          rate("copy", "bytes", " GB/s"),
          rate("product", "bytes", " GB/s"),
          rate("product", "flops", ""),
          rate("double", "flops", ""),
          rate("float", "flops", ""),
          format_seconds(solve.at("setup_seconds").get<double>()),
          format_seconds(solve.at("solve_seconds").get<double>()),
          format_text("{}", solve.at("iterations").get<int>())};
}

}  // namespace

std::string machine_figures(Backend backend, int threads, const BenchmarkSizes& sizes) {
  const Machine machine = describe_machine();
  json result{{"schema_version", schema_version},
              {"date", now()},
              {"version", build_info().version},
              {"git_commit", build_info().git_commit},
              {"machine",
               {{"cpu", machine.cpu},
                {"cores", machine.cores},
                {"memory_bytes", machine.memory_bytes},
                {"operating_system", machine.operating_system}}},
              {"device", nullptr}};
  if (choose_backend(backend).backend == Backend::host) {
    Context<Host> ctx(threads);
    result["threads"] = ctx.threads();
    measure(ctx, sizes, result);
  } else {
#if AMGSOLVE_HAVE_CUDA
    Context<Cuda> ctx;
    result["threads"] = 0;
    result["device"] = describe_device(ctx.device()).name;
    measure(ctx, sizes, result);
#endif
  }
  return result.dump(2) + "\n";
}

std::string machine_table(const std::string& measured, const std::string& recorded) {
  const json here = json::parse(measured);
  std::vector<json> others = json::parse(recorded).get<std::vector<json>>();
  std::ranges::sort(others, {}, setup_and_solve_seconds);
  Table table({{"machine", Table::Align::left},
               {"copy"},
               {"A x"},
               {"GFLOP/s"},
               {"double"},
               {"float"},
               {"setup"},
               {"solve"},
               {"iterations"}});
  table.add_row(row_of(here, "this one: " + name_of(here)));
  for (const json& other : others) {
    table.add_row(
        row_of(other, format_text("{}, {}", name_of(other), other.at("date").get<std::string>().substr(0, 10))));
  }
  const json& solve = here.at("solve");
  return format_text("Poisson's equation, 7-point, {}, {}, default options\n\n{}",
                     format_count(solve.at("rows").get<std::int64_t>(), "row"),
                     format_count(solve.at("nnz").get<std::int64_t>(), "nonzero"), table.text());
}

}  // namespace amgsolve
