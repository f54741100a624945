#include "bench/spgemm_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/format.hpp"
#include "src/library/table.hpp"

namespace amgsolve::bench {
namespace {

double millions(Offset n) { return static_cast<double>(n) * 1e-6; }

nlohmann::json to_json(const RowRatio& ratio) {
  return {{"whole", ratio.whole},
          {"min", ratio.min},
          {"max", ratio.max},
          {"mean", ratio.mean},
          {"deviation", ratio.deviation}};
}

std::string describe(const RowRatio& ratio) {
  return fmt::format("{:.2f} (rows {:.2f} to {:.2f}, mean {:.2f}, deviation {:.2f})", ratio.whole, ratio.min, ratio.max,
                     ratio.mean, ratio.deviation);
}

/// The deviation, minimum, maximum and mean as cells.
void append_cells(std::vector<std::string>& cells, const RowRatio& ratio) {
  for (const double x : {ratio.min, ratio.max, ratio.mean, ratio.deviation}) {
    cells.push_back(fmt::format("{:.1f}", x));
  }
}

}  // namespace

nlohmann::json to_json(const SpgemmStatistics& statistics) {
  return {{"rows", statistics.rows},
          {"a_entries", statistics.a_entries},
          {"c_entries", statistics.c_entries},
          {"products", statistics.products},
          {"most_products", statistics.most_products},
          {"histogram", statistics.histogram},
          {"expansion", to_json(statistics.expansion)},
          {"contraction", to_json(statistics.contraction)}};
}

SpgemmRows::SpgemmRows(const SpgemmCase& product) : product_(product) {
  const SpgemmStatistics& s = product.statistics;
  fmt::print("  {}: {:.2f} M products, {} in a row at most; {:.2f} M entries, {}; floor {:.3f} ms\n", product.product,
             millions(s.products), s.most_products, millions(s.c_entries), format_bytes(product.result_bytes),
             product.floor_seconds() * 1e3);
  fmt::print("    expansion {}\n    contraction {}\n", describe(s.expansion), describe(s.contraction));
  fmt::print("    {:<16}{:>12}{:>10}{:>9}{:>8}{:>11}{:>8}{:>8}{:>11}  phases in ms\n", "algorithm", "ms", "GFLOP/s",
             "GB/s", "floor", "extra", "/ C", "SpMVs", "peer/ours");
  json_ = {
      {"product", product.product},           {"statistics", to_json(s)}, {"operand_bytes", product.operand_bytes},
      {"result_bytes", product.result_bytes}, {"flops", 2 * s.products},  {"floor_seconds", product.floor_seconds()},
      {"results", nlohmann::json::array()}};
}

void SpgemmRows::add(const SpgemmResult& result, double peer_seconds) {
  const double seconds = result.measured.seconds;
  const double flops = 2.0 * static_cast<double>(product_.statistics.products);
  const auto bytes = static_cast<double>(product_.operand_bytes + product_.result_bytes);
  const double floor = product_.floor_seconds() / seconds;
  const double extra = static_cast<double>(result.extra_bytes) / static_cast<double>(product_.result_bytes);
  fmt::print("    {:<16}{:>12.4f}{:>10.2f}{:>9.1f}{:>8.3f}{:>11}{:>8}{:>8.1f}{:>11}", result.algorithm, seconds * 1e3,
             flops / seconds * 1e-9, bytes / seconds * 1e-9, floor,
             result.extra_bytes == 0 ? "" : format_bytes(result.extra_bytes),
             result.extra_bytes == 0 ? "" : fmt::format("{:.2f}", extra), seconds / product_.spmv_seconds,
             peer_seconds == no_peer ? "" : fmt::format("{:.2f}", peer_seconds / seconds));
  nlohmann::json phases = nlohmann::json::object();
  const char* separator = "  ";
  for (const auto& [phase, phase_seconds] : result.measured.phases) {
    fmt::print("{}{} {:.3f}", separator, phase, phase_seconds * 1e3);
    separator = ", ";
    phases[phase] = phase_seconds;
  }
  fmt::print("\n");
  nlohmann::json row = {{"algorithm", result.algorithm},    {"seconds", seconds},
                        {"gflops", flops / seconds * 1e-9}, {"gbytes_per_second", bytes / seconds * 1e-9},
                        {"fraction_of_floor", floor},       {"spmvs", seconds / product_.spmv_seconds},
                        {"phases", std::move(phases)},      {"notes", result.measured.notes}};
  if (result.extra_bytes > 0) {
    row["extra_bytes"] = result.extra_bytes;
    row["extra_over_result"] = extra;
  }
  if (peer_seconds != no_peer) {
    row["peer_over_ours"] = peer_seconds / seconds;
  }
  json_["results"].push_back(std::move(row));
}

void SpgemmRows::add_failure(const std::string& algorithm, const std::string& reason) {
  fmt::print("    {:<16}{}\n", algorithm, reason);
  json_["results"].push_back({{"algorithm", algorithm}, {"failure", reason}});
}

void PaperTable::add(const SpgemmCase& product, const SpgemmResult& result, double peer_seconds) {
  const SpgemmStatistics& s = product.statistics;
  Row row{{product.matrix, product.product, product.value, fmt::format("{}", s.rows), fmt::format("{}", s.a_entries),
           fmt::format("{}", s.products), fmt::format("{}", s.c_entries)},
          result.measured.phases,
          result.measured.seconds,
          peer_seconds / result.measured.seconds};
  append_cells(row.cells, s.expansion);
  append_cells(row.cells, s.contraction);
  for (const auto& [phase, seconds] : row.phases) {
    if (std::ranges::find(phases_, phase) == phases_.end()) {
      phases_.push_back(phase);
    }
  }
  rows_.push_back(std::move(row));
}

std::string PaperTable::text() const {
  if (rows_.empty()) {
    return {};
  }
  using enum Table::Align;
  std::vector<Table::Column> columns{{"matrix", left}, {"product", left}, {"value", left}, {"rows"},
                                     {"nnz(A)"},       {"products"},      {"nnz(C)"}};
  for (const char* factor : {"exp.", "con."}) {
    for (const char* what : {"min", "max", "mean", "dev"}) {
      columns.push_back({fmt::format("{} {}", factor, what)});
    }
  }
  for (const std::string& phase : phases_) {
    columns.push_back({phase});
  }
  columns.push_back({"ms"});
  columns.push_back({"speedup"});
  Table table(std::move(columns));
  for (const Row& row : rows_) {
    std::vector<std::string> cells = row.cells;
    for (const std::string& phase : phases_) {
      const auto found = std::ranges::find(row.phases, phase, &std::pair<std::string, double>::first);
      cells.push_back(found == row.phases.end() ? "" : fmt::format("{:.3f}", found->second * 1e3));
    }
    cells.push_back(fmt::format("{:.3f}", row.seconds * 1e3));
    cells.push_back(std::isfinite(row.speedup) ? fmt::format("{:.2f}", row.speedup) : "");
    table.add_row(std::move(cells));
  }
  return table.text();
}

}  // namespace amgsolve::bench
