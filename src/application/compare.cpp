#include "src/application/compare.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "problems/text_file.hpp"
#include "src/application/html_report.hpp"
#include "src/library/report_json.hpp"
#include "src/library/table.hpp"

namespace amgsolve {
namespace {

using nlohmann::json;

// No report comes near it, and no file may have its reader run out of stack.
constexpr int deepest_nesting = 32;

/// Phases that take less than this part of every run are left out.
constexpr double least_share = 0.01;

json parse(const TextFile& file) {
  const auto limit_depth = [&](int depth, json::parse_event_t, json&) {
    if (depth > deepest_nesting) {
      throw InputError(format_text("{}: nested more than {} deep, as no report is", file.path(), deepest_nesting));
    }
    return true;
  };
  try {
    return json::parse(file.text(), limit_depth);
  } catch (const json::parse_error& error) {
    throw InputError(format_text("{}: no JSON: the mistake is at byte {}", file.path(), error.byte));
  } catch (const json::out_of_range& error) {
    throw InputError(format_text("{}: a number that is out of range, as no report has: {}", file.path(), error.what()));
  }
}

json read_report(const std::filesystem::path& path) {
  Context<Host> ctx(1);
  const TextFile file(ctx, path);
  json report = parse(file);
  const auto version = report.is_object() ? report.find("schema_version") : report.end();
  if (version == report.end() || !version->is_number_integer()) {
    throw InputError(format_text("{}: no report of amgsolve: it has no schema_version", file.path()));
  }
  if (*version != report_schema_version) {
    throw InputError(format_text("{}: a report of version {}; this amgsolve reads version {}", file.path(),
                                 version->dump(), report_schema_version));
  }
  if (!report.contains("status")) {  // as in what `bench` writes
    throw InputError(format_text("{}: no report of a run: it has no status", file.path()));
  }
  return report;
}

using Pointer = json::json_pointer;
using Number = std::optional<double>;

const json* find(const json& report, const char* pointer) {
  const Pointer place(pointer);
  return report.contains(place) ? &report.at(place) : nullptr;
}

Number number(const json& report, const char* pointer) {
  const json* const found = find(report, pointer);
  return found != nullptr && found->is_number() ? Number(found->get<double>()) : std::nullopt;
}

std::string text(const json& report, const char* pointer) {
  const json* const found = find(report, pointer);
  return found != nullptr && found->is_string() ? printable(found->get<std::string>()) : "";
}

Number total_seconds(const json& report) {
  const Number setup = number(report, "/setup/seconds");
  const Number solve = number(report, "/solve/seconds");
  return setup && solve ? Number(*setup + *solve) : std::nullopt;
}

/// A column for each report, by its number, and where they are wanted for how each but the first relates to that.
class Columns {
 public:
  Columns(std::string heading, std::size_t reports, bool ratios = true)
      : width_(ratios ? 2 * reports : reports + 1), table_(headings(std::move(heading), reports, ratios)) {}

  template <class Format>
  void add(std::string name, const std::vector<Number>& values, const Format& format) {
    std::vector<std::string> cells{std::move(name)};
    for (const Number& value : values) {
      cells.push_back(value ? format(*value) : "");
    }
    for (std::size_t i = 1; i < values.size(); ++i) {
      const bool has_ratio = values[i] && values[0] && *values[0] > 0.0;
      cells.push_back(has_ratio ? format_text("{:.3f}", *values[i] / *values[0]) : "");
    }
    table_.add_row(std::move(cells));
  }

  void add(std::string name, std::vector<std::string> words) {
    words.insert(words.begin(), std::move(name));
    words.resize(width_);
    table_.add_row(std::move(words));
  }

  std::string text() const { return table_.text(); }

 private:
  static std::vector<Table::Column> headings(std::string heading, std::size_t reports, bool ratios) {
    std::vector<Table::Column> columns{{std::move(heading), Table::Align::left}};
    for (std::size_t i = 1; i <= reports; ++i) {
      columns.push_back({format_text("{}", i)});
    }
    for (std::size_t i = 2; ratios && i <= reports; ++i) {
      columns.push_back({format_text("{}/1", i)});
    }
    return columns;
  }

  std::size_t width_;
  Table table_;
};

template <class Read>
std::vector<Number> numbers(const std::vector<json>& reports, const Read& read) {
  std::vector<Number> result;
  std::ranges::transform(reports, std::back_inserter(result), read);
  return result;
}

std::string describe(std::size_t index, const std::filesystem::path& file, const json& report) {
  const std::string device = text(report, "/machine/device/name");
  const json* const threads = find(report, "/machine/threads");
  const std::string commit = text(report, "/build/git_commit");
  std::string where = device;
  if (where.empty()) {
    const bool is_count = threads != nullptr && threads->is_number_integer();  // as reports have it
    where = is_count ? format_count(threads->get<std::int64_t>(), "thread") + ", " : "";
    where += text(report, "/machine/cpu");
  }
  return format_text("{}  {}: {}; {}; amgsolve {}{}\n", index + 1, printable(file.string()),
                     text(report, "/problem/description"), where, text(report, "/build/version"),
                     commit.empty() ? "" : format_text(" of {}", commit));
}

std::string outcome(const std::vector<json>& reports) {
  Columns columns("outcome", reports.size());
  std::vector<std::string> statuses;
  for (const json& report : reports) {
    statuses.push_back(text(report, "/status"));
  }
  columns.add("status", std::move(statuses));
  const auto add = [&](const char* name, const char* pointer, const auto& format) {
    columns.add(name, numbers(reports, [&](const json& report) { return number(report, pointer); }), format);
  };
  const auto count = [](double value) { return format_text("{:.0f}", value); };
  const auto plain = [](double value) { return format_text("{:.3f}", value); };
  const auto small = [](double value) { return format_text("{:.2e}", value); };
  const auto bytes = [](double value) { return format_bytes(static_cast<std::size_t>(std::clamp(value, 0.0, 1e18))); };
  add("iterations", "/iterations", count);
  add("relative residual", "/relative_residual", small);
  add("convergence factor", "/convergence_factor", plain);
  add("operator complexity", "/operator_complexity", plain);
  add("setup", "/setup/seconds", format_seconds);
  add("solve", "/solve/seconds", format_seconds);
  columns.add("total", numbers(reports, total_seconds), format_seconds);
  add("peak memory", "/memory/peak_bytes", bytes);
  return columns.text();
}

/// Seconds of the phases of a report, the levels together, by the names from the outermost inwards.
std::map<std::string, double> seconds_of_phases(const json& report, std::vector<std::string>& order) {
  std::map<std::string, double> seconds;
  const json* const phases = find(report, "/phases");
  if (phases == nullptr || !phases->is_array()) {
    return seconds;
  }
  for (const json& phase : *phases) {
    const std::string name = text(phase, "/phase");
    const Number time = number(phase, "/seconds");
    if (!name.empty() && time) {
      seconds[name] += *time;
      if (std::ranges::find(order, name) == order.end()) {
        order.push_back(name);
      }
    }
  }
  return seconds;
}

/// Below the phase it is in.
std::string indented(std::string_view path) {
  constexpr std::string_view into = " > ";
  std::string indent;
  for (std::size_t at = path.find(into); at != std::string_view::npos; at = path.find(into)) {
    path.remove_prefix(at + into.size());
    indent += "  ";
  }
  return indent += path;
}

std::string phases(const std::vector<json>& reports) {
  std::vector<std::string> order;
  std::vector<std::map<std::string, double>> seconds;
  for (const json& report : reports) {
    seconds.push_back(seconds_of_phases(report, order));
  }
  Columns columns("phase", reports.size());
  bool is_empty = true;
  for (const std::string& name : order) {
    std::vector<Number> times;
    bool matters = false;
    for (std::size_t i = 0; i < reports.size(); ++i) {
      const auto found = seconds[i].find(name);
      times.push_back(found != seconds[i].end() ? Number(found->second) : std::nullopt);
      matters = matters || (times.back() && *times.back() >= least_share * total_seconds(reports[i]).value_or(0.0));
    }
    if (matters) {
      columns.add(indented(name), times, format_seconds);
      is_empty = false;
    }
  }
  return is_empty ? "" : format_text("\n{}", columns.text());
}

std::string levels(const std::vector<json>& reports) {
  const auto count_of = [](const json& report) {
    const json* const levels = find(report, "/levels");
    return levels != nullptr && levels->is_array() ? levels->size() : 0;
  };
  std::size_t most = 0;
  for (const json& report : reports) {
    most = std::max(most, count_of(report));
  }
  if (most == 0) {
    return "";
  }
  Columns columns("nnz of level", reports.size());
  for (std::size_t l = 0; l < most; ++l) {
    const std::string pointer = format_text("/levels/{}/nnz", l);
    columns.add(format_text("{}", l),
                numbers(reports, [&](const json& report) { return number(report, pointer.c_str()); }),
                [](double value) { return format_text("{:.0f}", value); });
  }
  return format_text("\n{}", columns.text());
}

/// The keys of a configuration and the text of their values.
void flatten(const json& section, const std::string& prefix, std::map<std::string, std::string>& values) {
  for (const auto& [key, value] : section.items()) {
    const std::string name = prefix.empty() ? key : format_text("{}.{}", prefix, key);
    if (value.is_object()) {
      flatten(value, name, values);
    } else {
      values[name] = printable(value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
}

std::string settings(const std::vector<json>& reports) {
  std::vector<std::map<std::string, std::string>> values(reports.size());
  std::map<std::string, std::string> keys;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const json* const configuration = find(reports[i], "/configuration");
    if (configuration != nullptr && configuration->is_object()) {
      flatten(*configuration, "", values[i]);
      keys.insert(values[i].begin(), values[i].end());
    }
  }
  Columns columns("setting", reports.size(), false);
  bool is_empty = true;
  for (const auto& [key, first] : keys) {
    std::vector<std::string> words;
    for (const auto& of_report : values) {
      const auto found = of_report.find(key);
      words.push_back(found != of_report.end() ? found->second : "");
    }
    const bool differs = std::ranges::adjacent_find(words, std::not_equal_to<>()) != words.end();
    if (differs && !key.starts_with("output.")) {
      columns.add(printable(key), std::move(words));
      is_empty = false;
    }
  }
  return is_empty ? "" : format_text("\n{}", columns.text());
}

}  // namespace

Comparison compare_reports(const std::vector<std::filesystem::path>& files, bool with_page) {
  std::vector<json> reports;
  std::ranges::transform(files, std::back_inserter(reports), read_report);
  Comparison comparison;
  for (std::size_t i = 0; i < files.size(); ++i) {
    comparison.text += describe(i, files[i], reports[i]);
  }
  comparison.text += "\n" + outcome(reports) + phases(reports) + levels(reports) + settings(reports);
  if (with_page) {
    json runs = json::array();
    for (std::size_t i = 0; i < files.size(); ++i) {
      runs.push_back({{"file", files[i].string()}, {"report", std::move(reports[i])}});
    }
    comparison.page = html_comparison(runs.dump(-1, ' ', false, json::error_handler_t::replace));
  }
  return comparison;
}

}  // namespace amgsolve
