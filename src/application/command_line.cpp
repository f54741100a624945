#include "src/application/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <amgsolve/amgsolve.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/context.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/output_file.hpp"
#include "src/application/compare.hpp"
#include "src/application/completion.hpp"
#include "src/application/console.hpp"
#include "src/application/convert.hpp"
#include "src/application/documentation.hpp"
#include "src/application/embedded.hpp"
#include "src/application/exit_code.hpp"
#include "src/application/html_report.hpp"
#include "src/application/json_schema.hpp"
#include "src/application/machine_benchmark.hpp"
#include "src/application/manual_page.hpp"
#include "src/application/presets.hpp"
#include "src/application/signals.hpp"
#include "src/application/yaml_reader.hpp"
#include "src/application/yaml_writer.hpp"
#include "src/library/status.hpp"

namespace amgsolve {
namespace {

std::string footer() {
  std::string text = "Exit codes:";
  for (const StatusText& entry : statuses()) {
    text += format_text("\n  {:>2}  {}", static_cast<int>(entry.status), entry.meaning);
  }
  return text;
}

struct Arguments {
  std::filesystem::path problem;
  std::vector<std::filesystem::path> compared;
  std::vector<std::filesystem::path> converted;
  std::vector<std::string> settings;
  std::string threads;
  int bench_threads = 0;
  std::string bench_backend = "auto";
  std::string json;
  std::string html;
  std::string hierarchy;
  std::string preset;
  std::string explained_key;
  std::string completed_shell;
  bool quiet = false;
  bool verbose = false;
  bool print_config = false;
  bool dry_run = false;
  bool analyse = false;
  bool list = false;
  bool version = false;
  bool manual_page = false;
  bool json_schema = false;
  bool configuration_reference = false;

  bool informs_only() const {
    return !explained_key.empty() || !completed_shell.empty() || list || version || manual_page || json_schema ||
           configuration_reference;
  }
};

[[noreturn]] void fail_usage(std::string_view problem) {
  throw ConfigurationError(format_text("amgsolve: {}\nTry 'amgsolve --help'.", problem));
}

/// Words that no option and no file takes.
void refuse_extras(const CLI::App& app, const Arguments& arguments) {
  std::vector<std::string> words = app.remaining(true);
  std::erase(words, "--");  // what follows is a file, as it would be
  std::error_code error;
  if (arguments.problem.string().find('=') != std::string::npos && !std::filesystem::exists(arguments.problem, error)) {
    words.insert(words.begin(), arguments.problem.string());
  }
  if (words.empty()) {
    return;
  }
  const std::string& word = words.front();
  if (!word.starts_with('-') && word.find('=') != std::string::npos) {
    fail_usage(format_text("'{0}' needs a --set of its own: --set {0}", word));
  }
  fail_usage(format_text("The following argument was not expected: {}", word));
}

/// Options and files of a run in front of a subcommand, and empty words, as of a shell's variable that is not set.
void refuse_ignored(const CLI::App& app) {
  std::vector<const CLI::Option*> given;
  const auto collect = [&](const CLI::App& of) {
    for (const CLI::Option* option : of.get_options()) {
      if (option->count() > 0) {
        given.push_back(option);
      }
    }
  };
  collect(app);
  for (const CLI::App* subcommand : app.get_subcommands()) {
    if (!given.empty()) {
      fail_usage(format_text("{} does not go with '{}' after it", given.front()->get_name(), subcommand->get_name()));
    }
    collect(*subcommand);
  }
  for (const CLI::Option* option : given) {
    if (std::ranges::any_of(option->results(), &std::string::empty)) {
      fail_usage(format_text("{}: the value is empty", option->get_name()));
    }
  }
}

/// Too few files of a subcommand, or too many, where CLI11 would not say which it wants.
void refuse_other_numbers(const CLI::App& app, const Arguments& arguments) {
  if (app.got_subcommand("compare") && arguments.compared.size() < 2) {
    fail_usage(format_text("compare takes two reports or more, FILE FILE ..., not {}", arguments.compared.size()));
  }
  if (app.got_subcommand("convert") && arguments.converted.size() != 2) {
    fail_usage(format_text("convert takes two files, FROM and TO, not {}", arguments.converted.size()));
  }
}

/// Two that each say what to do in place of a solve.
void refuse_two_tasks(const CLI::App& app) {
  std::string_view first;
  for (const char* const task : {"--dry-run", "--analyse", "--print-config", "--explain", "--list", "--completion",
                                 "--man-page", "--json-schema", "--version", "--configuration-reference"}) {
    if (app.get_option(task)->count() > 0) {
      if (!first.empty()) {
        fail_usage(format_text("{} and {} do not go together", first, task));
      }
      first = task;
    }
  }
}

/// Files that are missing are what CLI11 complains of first.
bool asks_for_help(const CLI::App& app) {
  return app.get_help_ptr()->count() > 0 || std::ranges::any_of(app.get_subcommands(), [](const CLI::App* subcommand) {
           return subcommand->get_help_ptr()->count() > 0;
         });
}

void declare(CLI::App& app, Arguments& arguments) {
  app.footer(footer());
  app.set_help_flag("-h,--help", "Print this help");
  app.add_option("problem", arguments.problem,
                 "What to solve and how: a YAML file (docs/configuration.md), or a matrix, as .mtx, .npz, .mat, .petsc "
                 "or .amg, also "
                 ".gz or .xz")
      ->type_name("FILE");
  app.allow_extras();
  CLI::App* compare = app.add_subcommand(
      "compare", "Print the JSON reports of runs beside each other, and how they relate to the first");
  compare->add_option("reports", arguments.compared)->option_text("FILE FILE ...");
  compare
      ->add_option("--report", arguments.html,
                   "Write that as a page with charts, too, or - to the standard output instead")
      ->type_name("FILE");
  app.add_subcommand("convert", "Write the matrix or the vectors of the first file into the second, as its name ends")
      ->add_option("files", arguments.converted)
      ->option_text("FROM TO");
  CLI::App* bench =
      app.add_subcommand("bench", "Measure what this machine can do, and print it beside machines that were recorded");
  bench->add_option("--json", arguments.json, "Write the figures, - to the standard output and nothing else")
      ->type_name("FILE");
  bench->add_option("--threads", arguments.bench_threads, "Of the host; 0: as many as cores")
      ->check(CLI::Range(0, 4096))
      ->type_name("N");
  bench->add_option("--backend", arguments.bench_backend, "auto, host or cuda")
      ->check(CLI::IsMember({"auto", "host", "cuda"}))
      ->type_name("BACKEND");
  app.add_option("--set", arguments.settings, "Set a key over the file's value; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--preset", arguments.preset,
                 "Solve a problem that --list names instead of a file's, for example poisson-3d")
      ->type_name("PRESET");
  app.add_option("--threads", arguments.threads, "Short for --set solver.threads=N")->type_name("N");
  app.add_option("--json", arguments.json,
                 "Write the JSON report, - to the standard output; short for --set output.report=FILE")
      ->type_name("FILE");
  app.add_option("--report", arguments.html,
                 "Write the report as a page with charts, - to the standard output; short for --set output.html=FILE")
      ->type_name("FILE");
  app.add_option("--write-hierarchy", arguments.hierarchy,
                 "Write the matrices of the levels into a directory; short for --set output.hierarchy=DIR")
      ->type_name("DIR");
  CLI::Option* quiet = app.add_flag("-q,--quiet", arguments.quiet, "Print errors only");
  app.add_flag("-v,--verbose", arguments.verbose, "Print more detail")->excludes(quiet);
  app.add_flag("--dry-run", arguments.dry_run,
               "Print how much memory a run would take, level by level, and whether there is as much, and stop");
  app.add_flag("--analyse", arguments.analyse,
               "Print what the matrix is like, and which keys to change because of it, and stop");
  app.add_flag("--print-config", arguments.print_config, "Print the complete configuration as YAML and stop");
  app.add_option("--explain", arguments.explained_key, "Print values, default and meaning of a key or a section")
      ->type_name("KEY");
  app.add_flag("--list", arguments.list, "Print the choices there are: equations, methods, smoothers, ...");
  app.add_option("--completion", arguments.completed_shell,
                 "Print what has a shell, bash, zsh or fish, complete the command")
      ->type_name("SHELL");
  app.add_flag("--man-page", arguments.manual_page, "Print the manual page, for man -l");
  app.add_flag("--json-schema", arguments.json_schema, "Print a JSON schema of problem.yaml, for editors");
  app.add_flag("--version", arguments.version, "Print the version");
  app.add_flag("--configuration-reference", arguments.configuration_reference, "Print docs/configuration.md")
      ->group("");
}

std::vector<Override> overrides(const Arguments& arguments) {
  std::vector<Override> result;
  if (!arguments.preset.empty()) {
    for (const Preset::Setting& setting : preset(arguments.preset).settings) {
      result.push_back({std::string(setting.key), std::string(setting.value), "--preset " + arguments.preset});
    }
  }
  for (const std::string& setting : arguments.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      fail_usage(format_text("--set takes key=value, not '{}'", setting));
    }
    result.push_back({setting.substr(0, equals), setting.substr(equals + 1), "--set " + setting});
  }
  if (!arguments.threads.empty()) {
    result.push_back({"solver.threads", arguments.threads, "--threads " + arguments.threads});
  }
  if (!arguments.json.empty()) {
    result.push_back({"output.report", arguments.json, "--json " + arguments.json});
  }
  if (!arguments.html.empty()) {
    result.push_back({"output.html", arguments.html, "--report " + arguments.html});
  }
  if (!arguments.hierarchy.empty()) {
    result.push_back({"output.hierarchy", arguments.hierarchy, "--write-hierarchy " + arguments.hierarchy});
  }
  return result;
}

/// The options that --help shows, but for that itself.
CommandOptions options_of(const CLI::App& app) {
  CommandOptions result;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_lnames().empty() && !option->get_group().empty()) {
      const std::vector<std::string>& short_names = option->get_snames();
      result.push_back({.long_name = option->get_lnames().front(),
                        .short_name = short_names.empty() ? "" : short_names.front(),
                        .argument = option->get_expected_min() == 0 ? "" : option->get_type_name(),
                        .help = option->get_description()});
    }
  }
  return result;
}

CommandDescription description_of(const CLI::App& app) {
  CommandDescription result{.options = options_of(app), .subcommands = {}};
  for (const CLI::App* subcommand : app.get_subcommands({})) {
    const std::vector<const CLI::Option*> all = subcommand->get_options();
    result.subcommands.push_back({.name = subcommand->get_name(),
                                  .help = subcommand->get_description(),
                                  .takes_files = std::ranges::any_of(all, &CLI::Option::get_positional),
                                  .options = options_of(*subcommand)});
  }
  return result;
}

void inform(const CLI::App& app, const Arguments& arguments, const Schema& schema) {
  if (arguments.version) {
    write_standard_output(format_text("amgsolve {}\n", version()));
  } else if (arguments.list) {
    write_standard_output(list_choices(schema));
  } else if (!arguments.completed_shell.empty()) {
    write_standard_output(completion(arguments.completed_shell, description_of(app), schema));
  } else if (arguments.manual_page) {
    write_standard_output(manual_page(description_of(app), schema));
  } else if (arguments.json_schema) {
    write_standard_output(json_schema(schema));
  } else if (arguments.configuration_reference) {
    write_standard_output(configuration_reference(schema));
  } else {
    write_standard_output(explain(schema, arguments.explained_key));
  }
}

void bench_machine(const Arguments& arguments) {
  const Backend backend = arguments.bench_backend == "host"   ? Backend::host
                          : arguments.bench_backend == "cuda" ? Backend::cuda
                                                              : Backend::automatic;
  try {
    validate_threads(arguments.bench_threads);
  } catch (const ConfigurationError& error) {
    throw ConfigurationError(format_text("--threads {}: {}", arguments.bench_threads, error.what()));
  }
  const std::filesystem::path file = arguments.json;
  if (!file.empty() && file != standard_output) {  // before the work
    if (const std::string reason = reason_not_to_write(file); !reason.empty()) {
      throw OutputError(format_text("{}: cannot write: {}", file.string(), reason));
    }
  }
  const std::string figures = machine_figures(backend, arguments.bench_threads);
  if (!file.empty()) {
    write_file_or_standard_output(file, figures);
  }
  if (!is_standard_output(file)) {
    write_standard_output(machine_table(figures, std::string(embedded_recorded_machines)));
  }
}

/// Refuses to write the page over a report that is compared.
void require_other_file(const std::filesystem::path& page, const std::vector<std::filesystem::path>& reports) {
  std::error_code error;
  for (const std::filesystem::path& report : reports) {
    if (std::filesystem::weakly_canonical(page, error) == std::filesystem::weakly_canonical(report, error)) {
      throw ConfigurationError(format_text("--report {}: is one of the reports that are compared", page.string()));
    }
  }
}

void write_page(const std::filesystem::path& file, const std::string& page) {
  if (!has_html_report()) {
    throw ConfigurationError("--report: this build is without Chart.js (libjs-chart.js), which pages need");
  }
  write_file_or_standard_output(file, page);
}

/// Whether one process does it, however many there are.
bool is_for_one(const CLI::App& app, const Arguments& arguments) {
  return !app.get_subcommands().empty() || arguments.informs_only() || arguments.print_config || arguments.analyse;
}

int run(const CLI::App& app, const Arguments& arguments, const Job& job) {
  if (app.got_subcommand("bench")) {
    bench_machine(arguments);
    return 0;
  }
  if (!arguments.compared.empty()) {
    if (!arguments.html.empty()) {
      require_other_file(arguments.html, arguments.compared);
    }
    const Comparison comparison = compare_reports(arguments.compared, !arguments.html.empty());
    if (!is_standard_output(arguments.html)) {
      write_standard_output(comparison.text);
    }
    if (!arguments.html.empty()) {
      write_page(arguments.html, comparison.page);
    }
    return 0;
  }
  if (!arguments.converted.empty()) {
    Console console(Verbosity::normal);
    const SignalHandlers handlers;
    for (const std::string& warning :
         convert_file(arguments.converted[0], arguments.converted[1], SignalHandlers::asked_to_stop)) {
      console.warn(warning);
    }
    return 0;
  }
  JobConfiguration configuration;
  const Schema schema = job_schema(configuration);
  if (arguments.informs_only()) {
    inform(app, arguments, schema);
    return 0;
  }
  if (!arguments.problem.empty() && !arguments.preset.empty()) {
    fail_usage(
        format_text("--preset {} and '{}' are two problems; give one", arguments.preset, arguments.problem.string()));
  }
  const KeyPositions positions = read_configuration(arguments.problem, overrides(arguments), schema, configuration);
  if (arguments.print_config) {
    write_standard_output(
        (!configuration.problem.is_given()
             ? "# Give problem.generate.grid, or problem.mesh, or problem.matrix in place of problem.generate.\n"
             : "") +
        write_configuration(schema, configuration));
    return 0;
  }
  if (!configuration.problem.is_given()) {
    fail_usage("which problem? Give a YAML file, for example examples/poisson3d.yaml, a matrix, A.mtx, or a --preset");
  }
  const Verbosity verbosity = arguments.quiet     ? Verbosity::quiet
                              : arguments.verbose ? Verbosity::verbose
                                                  : Verbosity::normal;
  const Task task = arguments.analyse ? Task::analyse : arguments.dry_run ? Task::forecast : Task::solve;
  try {
    return job(configuration, schema, verbosity, task);
  } catch (const ConfigurationError& error) {  // which only the machine or the matrix could tell
    const std::string position = positions.of(error.what());
    throw ConfigurationError(position.empty() ? error.what() : format_text("{}: {}", position, error.what()));
  }
}

}  // namespace

int run_command_line(int argc, const char* const* argv, const Job& job, bool is_first) {
  return guard([&] {
    CLI::App app("Solves sparse linear systems by smoothed-aggregation algebraic multigrid", "amgsolve");
    Arguments arguments;
    declare(app, arguments);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (!asks_for_help(app)) {
        fail_usage(error.what());
      }
      write_standard_output(app.help());
      return 0;
    }
    refuse_extras(app, arguments);
    refuse_ignored(app);
    refuse_other_numbers(app, arguments);
    refuse_two_tasks(app);
    return is_first || !is_for_one(app, arguments) ? run(app, arguments, job) : 0;
  });
}

}  // namespace amgsolve
