#include "src/library/report_text.hpp"

#include <algorithm>

#include "core/format.hpp"
#include "src/library/phase_tree.hpp"
#include "src/library/table.hpp"

namespace amgsolve {
namespace {

// Rows of a shortened history at its beginning and at its end.
constexpr std::size_t shown_iterations = 5;

// Tables of less are in microseconds.
constexpr double shortest_in_seconds = 1.0;

// Levels that get a column of their own in a table that must stay narrow.
constexpr int shown_levels = 3;

std::string titled(std::string_view title, const std::string& table) { return format_text("{}\n{}\n", title, table); }

void add_product(Table& table, std::size_t level, const char* name, const SpgemmStatistics& statistics) {
  std::vector<std::string> cells = {format_text("{}", level),
                                    name,
                                    format_text("{}", statistics.rows),
                                    format_text("{}", statistics.a_entries),
                                    format_text("{}", statistics.products),
                                    format_text("{}", statistics.most_products),
                                    format_text("{}", statistics.c_entries)};
  for (const RowRatio& ratio : {statistics.expansion, statistics.contraction}) {
    cells.push_back(format_text("{:.2f}", ratio.whole));
    cells.push_back(format_text("{:.2f}-{:.2f}", ratio.min, ratio.max));
    cells.push_back(format_text("{:.2f}", ratio.deviation));
  }
  table.add_row(std::move(cells));
}

/// The rows of a timing table.
class TimingTable {
 public:
  TimingTable(const std::vector<Phase>& top, Detail detail) : detail_(detail) {
    for (const Phase& phase : top) {
      whole_ += phase.seconds;
      count_levels(phase);
    }
    in_seconds_ = whole_ >= shortest_in_seconds;
    columns_ = detail == Detail::normal && levels_ > shown_levels + 1 ? shown_levels + 1 : levels_;
  }

  std::string text(const std::vector<Phase>& top) const {
    std::vector<Table::Column> columns = {
        {"phase", Table::Align::left}, {in_seconds_ ? "seconds" : "us"}, {"share"}, {"GB/s"}};
    for (int column = 0; column < columns_; ++column) {
      const bool pools = column == columns_ - 1 && columns_ < levels_;
      columns.push_back({format_text("level {}{}", column, pools ? "+" : "")});
    }
    Table table(std::move(columns));
    for (const Phase& phase : top) {
      add(table, phase, 0);
    }
    return table.text();
  }

 private:
  void count_levels(const Phase& phase) {
    if (!phase.seconds_of_level.empty()) {
      levels_ = std::max(levels_, phase.seconds_of_level.rbegin()->first + 1);
    }
    for (const Phase& inner : phase.phases) {
      count_levels(inner);
    }
  }

  void add(Table& table, const Phase& phase, std::size_t depth) const {
    add_row(table, phase, depth);
    if (phase.phases.empty() || (detail_ == Detail::normal && depth > 0)) {
      return;
    }
    Phase other{.name = "other", .seconds = phase.seconds, .bytes = -1};
    for (const Phase& inner : phase.phases) {
      add(table, inner, depth + 1);
      other.seconds -= inner.seconds;
    }
    other.seconds = std::max(other.seconds, 0.0);  // of phases that were not timed at each call
    add_row(table, other, depth + 1);
  }

  void add_row(Table& table, const Phase& phase, std::size_t depth) const {
    std::vector<std::string> cells = {
        std::string(2 * depth, ' ') + phase.name, time(phase.seconds),
        whole_ > 0.0 ? format_text("{:.1f} %", 100.0 * phase.seconds / whole_) : "",
        phase.bytes > 0 && phase.seconds > 0.0
            ? format_text("{:.1f}", static_cast<double>(phase.bytes) / phase.seconds * 1e-9)
            : ""};
    std::vector<double> seconds(static_cast<std::size_t>(columns_), 0.0);
    std::vector<bool> present(seconds.size(), false);
    for (const auto& [level, level_seconds] : phase.seconds_of_level) {
      const auto column = static_cast<std::size_t>(std::min(level, columns_ - 1));
      seconds[column] += level_seconds;
      present[column] = true;
    }
    for (std::size_t column = 0; column < seconds.size(); ++column) {
      cells.push_back(present[column] ? time(seconds[column]) : "");
    }
    table.add_row(std::move(cells));
  }

  std::string time(double seconds) const {
    return in_seconds_ ? format_text("{:.4f}", seconds) : format_text("{:.0f}", seconds * 1e6);
  }

  Detail detail_;
  double whole_ = 0.0;
  bool in_seconds_ = true;  ///< else in microseconds
  int levels_ = 0;          ///< in the profile
  int columns_ = 0;         ///< in the table; fewer where the last one pools the coarsest
};

}  // namespace

std::string place_text(const Report& report) {
  if (report.device) {
    return format_text("Device {}: {}\n", report.device->id, to_string(*report.device));
  }
  if (!report.backend) {
    return {};
  }
  const std::string& reason = report.backend->reason;
  return format_text("Host, {}{}\n", format_count(report.threads, "thread"),
                     reason.empty() ? "" : format_text(" ({})", reason));
}

std::string memory_text(const MemoryPlan& plan) {
  const auto whole = [](double x) { return format_text("{:.0f}", x); };
  const auto bytes = [](double x) { return format_bytes(static_cast<std::size_t>(x)); };
  const MemoryForecast& forecast = plan.forecast;
  Table levels({{"level"}, {"rows"}, {"nnz"}, {"memory"}});
  for (std::size_t l = 0; l < forecast.levels.size(); ++l) {
    const LevelForecast& level = forecast.levels[l];
    levels.add_row({format_text("{}", l), whole(level.rows), whole(level.nnz), bytes(level.bytes)});
  }
  Table sums({{"", Table::Align::left}, {"memory"}, {"", Table::Align::left}});
  sums.add_row({"system", bytes(forecast.system), "matrix, right-hand sides, solutions"});
  if (forecast.reading > forecast.system) {
    sums.add_row({"reading", bytes(forecast.reading), "of the matrix, at most"});
  }
  sums.add_row({"setup", bytes(forecast.setup), "at most, with the system"});
  sums.add_row({"solve", bytes(forecast.solve), "with the system and the levels"});
  if (forecast.slow_solve > forecast.solve) {
    sums.add_row({"slow solve", bytes(forecast.slow_solve), "with all vectors of 'solver.restart'"});
  }
  sums.add_row({"needed", bytes(plan.needed()), plan.fits() ? "" : "more than there is"});
  sums.add_row({"available", format_bytes(plan.available.bytes), plan.available.limit});
  if (plan.ranks == 1) {
    return titled("Forecast of memory", levels.text() + "\n" + sums.text());
  }
  return titled(format_text("Forecast of memory: {} of all {} ranks, {} shared by them",
                            format_count(static_cast<std::int64_t>(forecast.levels.size()), "level"), plan.ranks,
                            forecast.shared_levels),
                levels.text() + "\n" + titled("of each rank", sums.text()));
}

std::string hierarchy_text(const HierarchySummary& hierarchy) {
  Table table({{"level"}, {"rows"}, {"nnz"}, {"nnz/row"}, {"aggregate size"}, {"memory"}});
  for (std::size_t l = 0; l < hierarchy.levels.size(); ++l) {
    const LevelSummary& level = hierarchy.levels[l];
    table.add_row(
        {format_text("{}", l), format_text("{}", level.rows), format_text("{}", level.nnz),
         level.rows > 0 ? format_text("{:.2f}", static_cast<double>(level.nnz) / static_cast<double>(level.rows)) : "",
         level.aggregates > 0 ? format_text("{:.2f}", level.mean_aggregate_size) : "", format_bytes(level.bytes)});
  }
  return titled(format_text("Hierarchy: operator complexity {:.3f}, grid complexity {:.3f}, coarsest level: {}",
                            hierarchy.operator_complexity, hierarchy.grid_complexity, hierarchy.coarse_solver),
                table.text());
}

std::string coarsening_text(const HierarchySummary& hierarchy) {
  if (hierarchy.levels.size() < 2) {
    return {};
  }
  Table table({{"level"}, {"strength threshold"}, {"dropped weight"}, {"steps"}, {"truncation"}, {"density"}});
  for (std::size_t l = 0; l + 1 < hierarchy.levels.size(); ++l) {
    const LevelSummary& level = hierarchy.levels[l];
    table.add_row({format_text("{}", l), format_text("{:.3g}", level.strength_threshold),
                   format_text("{:.3f}", level.dropped_weight), format_text("{}", level.prolongator_steps),
                   format_text("{:.1f}", level.truncation), format_text("{:.3f}", level.density)});
  }
  return titled(
      "Coarsening: weight that the filter dropped, smoothing steps and truncation of the prolongator, coarse "
      "entries / entries",
      table.text());
}

std::string products_text(const HierarchySummary& hierarchy) {
  Table table({{"level"},
               {"product", Table::Align::left},
               {"rows"},
               {"nnz"},
               {"products"},
               {"longest row"},
               {"result nnz"},
               {"expansion"},
               {"rows' range"},
               {"deviation"},
               {"contraction"},
               {"rows' range"},
               {"deviation"}});
  bool any = false;
  for (std::size_t l = 0; l < hierarchy.levels.size(); ++l) {
    if (const std::optional<GalerkinStatistics>& products = hierarchy.levels[l].products) {
      any = true;
      add_product(table, l, "AP", products->AP);
      add_product(table, l, "R(AP)", products->RAP);
    }
  }
  return any ? titled("Sparse products: expansion is products / nnz, contraction products / result nnz", table.text())
             : std::string{};
}

namespace {

/// Of a residual that explodes digits say nothing.
std::string format_factor(double factor) {
  constexpr double most_digits = 1e4;
  return factor < most_digits ? format_text("{:.3f}", factor) : format_text("{:.1e}", factor);
}

}  // namespace

std::string history_text(const SolveResult& result, Detail detail) {
  const std::vector<double>& history = result.residual_history;
  if (history.empty()) {
    return {};
  }
  Table table({{"iteration"}, {"relative residual"}, {"factor"}});
  const bool shorten = detail == Detail::normal && history.size() > 2 * shown_iterations + 2;
  for (std::size_t k = 0; k < history.size(); ++k) {
    if (shorten && k == shown_iterations + 1) {
      table.add_row({"...", "", ""});
      k = history.size() - shown_iterations;
    }
    table.add_row({format_text("{}", k), format_text("{:.3e}", history[k]),
                   k > 0 ? format_factor(history[k] / history[k - 1]) : ""});
  }
  const std::size_t columns = result.column_iterations.size();
  return titled(columns > 1 ? format_text("Residual, the largest of {} right-hand sides", columns) : "Residual",
                table.text());
}

std::string timing_text(const Profile& profile, Detail detail) {
  const std::vector<Phase> top = phases_of(profile);
  if (top.empty()) {
    return {};
  }
  std::string table = TimingTable(top, detail).text(top);
  if (std::ranges::any_of(profile.nodes(), [](const Profile::Node& node) { return node.timed_calls < node.calls; })) {
    table += "Phases of an iteration are timed in every sixteenth one, and count as long in the others.\n";
  }
  return titled("Time", table);
}

std::string notes_text(const Profile& profile, Detail detail) {
  if (detail != Detail::complete) {
    return {};
  }
  std::string text;
  for (const Profile::Node& node : profile.nodes()) {
    for (const std::string& note : node.notes) {
      const std::string level = node.level == Profile::no_level ? "" : format_text(", level {}", node.level);
      text += format_text("{}{}: {}\n", path_of(profile, node), level, note);
    }
  }
  return text.empty() ? text : titled("Choices", text);
}

std::string ranks_text(const std::vector<RankStatistics>& ranks) {
  if (ranks.empty()) {
    return {};
  }
  Table table({{format_count(static_cast<std::int64_t>(ranks.size()), "rank"), Table::Align::left},
               {"min"},
               {"mean"},
               {"max"}});
  const auto add = [&](const char* what, auto value_of, auto format) {
    double sum = 0.0;
    for (const RankStatistics& rank : ranks) {
      sum += static_cast<double>(value_of(rank));
    }
    const auto [least, most] = std::ranges::minmax_element(ranks, {}, value_of);
    table.add_row({what, format(static_cast<double>(value_of(*least))), format(sum / static_cast<double>(ranks.size())),
                   format(static_cast<double>(value_of(*most)))});
  };
  const auto whole = [](double x) { return format_text("{:.0f}", x); };
  const auto bytes = [](double x) { return format_bytes(static_cast<std::size_t>(x)); };
  add(
      "rows", [](const RankStatistics& rank) { return rank.rows; }, whole);
  add(
      "ghosts", [](const RankStatistics& rank) { return rank.ghosts; }, whole);
  add(
      "sent", [](const RankStatistics& rank) { return rank.bytes_sent; }, bytes);
  add(
      "waited", [](const RankStatistics& rank) { return rank.seconds_waited; }, format_seconds);
  return titled("Ranks", table.text());
}

std::string conclusion_text(const Report& report) {
  std::string text = report.message.empty() ? "" : report.message + "\n";
  if (report.result) {
    const SolveResult& result = *report.result;
    text +=
        format_text("{} of {}, true relative residual {:.3e} (asked for: {:.1e}), backward error {:.1e}{}\n",
                    format_count(result.iterations, "iteration"), name(result.method), result.relative_residual,
                    report.tolerance, result.backward_error,
                    result.iterations > 0 ? ", convergence factor " + format_factor(result.convergence_factor) : "");
    if (result.column_iterations.size() > 1) {
      const auto [fewest, most] = std::ranges::minmax(result.column_iterations);
      text += format_text("{} right-hand sides, {} to {} iterations\n", result.column_iterations.size(), fewest, most);
    }
  }
  std::size_t levels = 0;
  for (const LevelSummary& level : report.hierarchy ? report.hierarchy->levels : std::vector<LevelSummary>{}) {
    levels += level.bytes;
  }
  text += format_text("setup {}, solve {}, peak {}memory {}{}, {}\n", format_seconds(report.profile.seconds("setup")),
                      format_seconds(report.profile.seconds("solve")), report.device ? "device " : "",
                      format_bytes(report.peak_bytes),
                      levels > 0 ? format_text(" (the levels keep {})", format_bytes(levels)) : "",
                      report.device ? report.device->name : format_count(report.threads, "thread"));
  return text;
}

std::string report_text(const Report& report, Detail detail) {
  std::string text = place_text(report);
  if (report.hierarchy) {
    text += hierarchy_text(*report.hierarchy) + coarsening_text(*report.hierarchy) + products_text(*report.hierarchy);
  }
  if (report.result) {
    text += history_text(*report.result, detail);
  }
  return text + timing_text(report.profile, detail) + notes_text(report.profile, detail) + ranks_text(report.ranks) +
         conclusion_text(report);
}

}  // namespace amgsolve
