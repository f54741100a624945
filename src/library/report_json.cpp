#include "src/library/report_json.hpp"

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "src/library/build_info.hpp"
#include "src/library/machine.hpp"
#include "src/library/phase_tree.hpp"

namespace amgsolve {
namespace {

Json ratio_json(const RowRatio& ratio) {
  return {{"whole", ratio.whole},
          {"min", ratio.min},
          {"max", ratio.max},
          {"mean", ratio.mean},
          {"deviation", ratio.deviation}};
}

Json product_json(const char* name, const SpgemmStatistics& statistics) {
  return {{"product", name},
          {"rows", statistics.rows},
          {"nnz", statistics.a_entries},
          {"products", statistics.products},
          {"most_products", statistics.most_products},
          {"result_nnz", statistics.c_entries},
          {"histogram", statistics.histogram},
          {"expansion", ratio_json(statistics.expansion)},
          {"contraction", ratio_json(statistics.contraction)}};
}

Json products_json(const LevelSummary& level) {
  if (!level.products) {
    return nullptr;
  }
  return std::vector{product_json("AP", level.products->AP), product_json("R(AP)", level.products->RAP)};
}

Json levels_json(const HierarchySummary& hierarchy) {
  Json levels = Json::array();
  for (const LevelSummary& level : hierarchy.levels) {
    levels.push_back({{"rows", level.rows},
                      {"nnz", level.nnz},
                      {"bytes", level.bytes},
                      {"storage", name(level.storage)},
                      {"aggregates", level.aggregates},
                      {"mean_aggregate_size", level.mean_aggregate_size},
                      {"strength_threshold", level.strength_threshold},
                      {"dropped_weight", level.dropped_weight},
                      {"prolongator_steps", level.prolongator_steps},
                      {"truncation", level.truncation},
                      {"density", level.density},
                      {"spectral_radius", level.spectral_radius},
                      {"products", products_json(level)}});
  }
  return levels;
}

Json forecast_json(const MemoryPlan& plan) {
  const auto whole = [](double x) { return static_cast<std::int64_t>(x); };
  Json levels = Json::array();
  for (const LevelForecast& level : plan.forecast.levels) {
    levels.push_back({{"rows", whole(level.rows)}, {"nnz", whole(level.nnz)}, {"bytes", whole(level.bytes)}});
  }
  const bool is_known = plan.available.bytes < std::numeric_limits<std::size_t>::max();
  return {{"ranks", plan.ranks},
          {"shared_levels", plan.forecast.shared_levels},
          {"levels", std::move(levels)},
          {"system_bytes", whole(plan.forecast.system)},
          {"reading_bytes", whole(plan.forecast.reading)},
          {"setup_bytes", whole(plan.forecast.setup)},
          {"solve_bytes", whole(plan.forecast.solve)},
          {"slow_solve_bytes", whole(plan.forecast.slow_solve)},
          {"peak_bytes", whole(plan.forecast.peak())},
          {"available_bytes", is_known ? Json(plan.available.bytes) : Json()},
          {"limit", plan.available.limit}};
}

Json phases_json(const Profile& profile) {
  Json phases = Json::array();
  for (const Profile::Node& node : profile.nodes()) {
    phases.push_back({{"phase", path_of(profile, node)},
                      {"level", node.level == Profile::no_level ? Json() : Json(node.level)},
                      {"seconds", node.seconds()},
                      {"bytes", node.work.bytes},
                      {"flops", node.work.flops},
                      {"calls", node.calls},
                      {"timed_calls", node.timed_calls},
                      {"notes", node.notes}});
  }
  return phases;
}

Json ranks_json(const std::vector<RankStatistics>& ranks) {
  Json json = Json::array();
  for (const RankStatistics& rank : ranks) {
    json.push_back({{"rows", rank.rows},
                    {"ghosts", rank.ghosts},
                    {"bytes_sent", rank.bytes_sent},
                    {"seconds_waited", rank.seconds_waited}});
  }
  return json;
}

Json timeline_json(const MemoryTimeline& timeline) {
  Json json = Json::array();
  for (const MemoryTimeline::Sample& sample : timeline.samples()) {
    json.push_back({{"seconds", sample.seconds}, {"bytes", sample.bytes}, {"phase", sample.phase}});
  }
  return json;
}

/// Empty texts are what is not known.
Json known(std::string_view text) { return text.empty() ? Json() : Json(text); }

Json build_json() {
  const BuildInfo& build = build_info();
  return {{"version", build.version},
          {"compiler", build.compiler},
          {"flags", build.flags},
          {"cuda", known(build.cuda)},
          {"git_commit", known(build.git_commit)}};
}

Json device_json(const DeviceDescription& device) {
  return {{"id", device.id},
          {"name", device.name},
          {"compute_capability", device.compute_capability},
          {"multiprocessors", device.multiprocessors},
          {"memory_bytes", device.memory_bytes},
          {"driver", format_cuda_version(device.driver_version)},
          {"runtime", format_cuda_version(device.runtime_version)}};
}

Json measured(double speed) { return speed > 0.0 ? Json(speed) : Json(); }

Json machine_json(const Report& report) {
  const Machine machine = describe_machine();
  return {{"cpu", known(machine.cpu)},
          {"cores", machine.cores},
          {"threads", report.threads},
          {"memory_bytes", machine.memory_bytes},
          {"operating_system", machine.operating_system},
          {"copy_bytes_per_second", measured(report.copy_bytes_per_second)},
          {"double_flops_per_second", measured(report.double_flops_per_second)},
          {"float_flops_per_second", measured(report.float_flops_per_second)},
          {"device", report.device ? device_json(*report.device) : Json()}};
}

struct ToJson {
  Json operator()(const auto& x) const { return x; }
  Json operator()(const NamedNumbers& x) const {
    Json json = Json::object();
    for (const auto& [name, numbers] : x) {
      Json& items = json[name] = Json::array();
      for (const std::optional<double>& number : numbers) {
        items.push_back(number ? Json(*number) : Json(free_number));
      }
    }
    return json;
  }
};

}  // namespace

Json value_json(const Value& value) { return std::visit(ToJson{}, value); }

Json configuration_json(std::span<const SchemaEntry* const> entries) {
  Json result = Json::object();
  for (const SchemaEntry* entry : entries) {
    Json* section = &result;
    std::string_view key = entry->key;
    for (std::size_t dot; (dot = key.find('.')) != std::string_view::npos; key.remove_prefix(dot + 1)) {
      section = &(*section)[key.substr(0, dot)];
    }
    (*section)[key] = value_json(entry->get());
  }
  return result;
}

Json report_json(const Report& report, Json problem, Json configuration) {
  const auto of_result = [&](auto member) { return report.result ? Json((*report.result).*member) : Json(); };
  const auto of_hierarchy = [&](auto member) { return report.hierarchy ? Json((*report.hierarchy).*member) : Json(); };
  Json json;
  json["schema_version"] = report_schema_version;
  json["status"] = report.status ? Json(name(*report.status)) : Json();
  json["message"] = report.message;
  json["warnings"] = report.warnings;
  json["method"] = report.result ? Json(name(report.result->method)) : Json();
  json["is_negated"] = of_result(&SolveResult::is_negated);
  json["iterations"] = of_result(&SolveResult::iterations);
  json["relative_residual"] = of_result(&SolveResult::relative_residual);
  json["backward_error"] = of_result(&SolveResult::backward_error);
  json["jacobi_change"] = report.result && report.result->jacobi_change ? Json(*report.result->jacobi_change) : Json();
  json["outside_range"] = of_result(&SolveResult::outside_range);
  json["convergence_factor"] =
      report.result && report.result->iterations > 0 ? Json(report.result->convergence_factor) : Json();
  json["residual_history"] = of_result(&SolveResult::residual_history);
  json["column_iterations"] = of_result(&SolveResult::column_iterations);
  json["setup"]["seconds"] = report.hierarchy ? Json(report.profile.seconds("setup")) : Json();
  json["solve"]["seconds"] = report.result ? Json(report.profile.seconds("solve")) : Json();
  json["analysis"] = report.analysis ? analysis_json(*report.analysis, report.hints) : Json();
  json["operator_complexity"] = of_hierarchy(&HierarchySummary::operator_complexity);
  json["grid_complexity"] = of_hierarchy(&HierarchySummary::grid_complexity);
  json["coarse_solver"] = of_hierarchy(&HierarchySummary::coarse_solver);
  json["levels"] = report.hierarchy ? levels_json(*report.hierarchy) : Json();
  json["phases"] = phases_json(report.profile);
  json["backend"] = report.backend ? Json(to_string(report.backend->backend)) : Json();
  json["memory"]["peak_bytes"] = report.peak_bytes;
  json["memory"]["timeline"] = timeline_json(report.memory_timeline);
  json["ranks"] = report.ranks.empty() ? Json() : ranks_json(report.ranks);
  json["forecast"] = report.memory_plan ? forecast_json(*report.memory_plan) : Json();
  json["problem"] = std::move(problem);
  json["configuration"] = std::move(configuration);
  json["build"] = build_json();
  json["machine"] = machine_json(report);
  return json;
}

std::string serialize(Json report) {
  Json not_finite = report.take_not_finite();
  report["not_finite"] = std::move(not_finite);
  return report.dump() + "\n";
}

}  // namespace amgsolve
