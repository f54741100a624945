#include "src/application/job.hpp"

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "amg/machine_figures.hpp"
#include "core/collectively.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/output_file.hpp"
#include "dist/partition.hpp"
#include "dist/replicate.hpp"
#include "problems/manufactured.hpp"
#include "problems/matrix_market.hpp"
#include "problems/mesh_manufactured.hpp"
#include "spmv/transfer.hpp"
#include "src/application/agreed_stop.hpp"
#include "src/application/console.hpp"
#include "src/application/file_at_fault.hpp"
#include "src/application/html_report.hpp"
#include "src/application/idle_options.hpp"
#include "src/application/job_schema.hpp"
#include "src/application/linear_system.hpp"
#include "src/application/output_folder.hpp"
#include "src/application/solution_file.hpp"
#include "src/application/system_survey.hpp"
#include "src/library/matrix_advice.hpp"
#include "src/library/measured_communicator.hpp"
#include "src/library/report_json.hpp"
#include "src/library/report_text.hpp"
#include "src/library/session.hpp"
#include "src/library/table.hpp"

namespace amgsolve {
namespace {

std::string error_text(const std::vector<DiscretizationError>& errors) {
  Table table({{"column"}, {"L2"}, {"max"}});
  for (std::size_t j = 0; j < errors.size(); ++j) {
    table.add_row({format_text("{}", j), format_text("{:.3e}", errors[j].l2), format_text("{:.3e}", errors[j].max)});
  }
  return format_text("Discretisation error\n{}\n", table.text());
}

Json error_json(const std::vector<DiscretizationError>& errors) {
  Json json = Json::array();
  for (const DiscretizationError& error : errors) {
    json.push_back({{"l2", error.l2}, {"max", error.max}});
  }
  return json;
}

class JobRun {
 public:
  JobRun(const JobConfiguration& configuration, const Schema& schema, Verbosity verbosity,
         const std::function<bool()>& stop, const Communicator& ranks = Communicator::serial(),
         const std::function<void(int)>& meet = {})
      : configuration_(configuration),
        schema_(schema),
        detail_(verbosity == Verbosity::verbose ? Detail::complete : Detail::normal),
        console_(verbosity, !is_standard_output(configuration.output)),
        stop_(stop),
        ranks_(ranks),
        meet_(meet) {
    problem_ = {{"description", describe(configuration.problem)},
                {"rows", nullptr},
                {"nnz", nullptr},
                {"columns", nullptr},
                {"ranks", ranks.size()},
                {"discretization_error", nullptr}};
  }

  Status run() {
    return in_session([&](auto& session) { solve(session); });
  }

  Status analyse() {
    report_.message = "analysis: nothing was solved";
    return in_session([&](auto& session) {
      console_.print(place_text(report_));
      const auto require = [&](const MatrixSource& source) {
        session.require_analysis(source.size(configuration_.amg.block_size));
      };
      analyse(session, load(session, require, false));
      session.measure();
      console_.print(analysis_text(*report_.analysis, report_.hints));
    });
  }

  Status dry_run() {
    report_.message = "dry run: nothing was solved";
    return in_session([&](auto& session) {
      console_.print(place_text(report_));
      const SystemSize size =
          surveyed_size(configuration_, session.host(), ranks_, is_on_host(session), report_.warnings);
      report_.memory_plan = session.plan(size);
      if (is_to_be_rehearsed(size, *report_.memory_plan)) {
        rehearse(session, *report_.memory_plan);
      }
      print_warnings();
      console_.print(memory_text(*report_.memory_plan));
      session.require(*report_.memory_plan, size);
    });
  }

 private:
  /// Calls body(session), and writes the report whatever comes of it.
  template <class Body>
  Status in_session(const Body& body) {
    try {
      const AnySession<double> session =
          open_session<double>(configuration_, nullptr, report_, is_shared() ? measured_ : ranks_);
      warn_of_idle_options();
      std::visit(
          [&](auto& chosen) {
            chosen->context().set_records_work(true);  // no other thread of the process has to do with a device
            chosen->measured([&] { body(*chosen); });
          },
          session);
    } catch (const std::exception& error) {
      report_.set_error(error);
      console_.clear_progress();
      report_failure();
      if (console_.has_reader() || report_.status != Status::interrupted) {
        throw;
      }
      return Status::interrupted;
    }
    write_report();
    return report_.status.value_or(Status::converged);
  }

  bool is_shared() const { return ranks_.size() > 1; }

  template <MemorySpace S>
  static constexpr bool is_on_host(const Session<double, S>&) {
    return std::same_as<S, Host>;
  }

  /// Whether a setup tells more than its first steps: of a small system the first blocks of scratch count more than
  /// anything else, and of levels that grow denser each has to be there to tell of the next one.
  bool is_to_be_rehearsed(const SystemSize& size, const MemoryPlan& plan) const {
    const bool has_failed = size.steps.empty() && !configuration_.problem.matrix.empty();
    const bool may_grow = size.steps.size() == 1 && size.steps.front().coarse_nnz > size.nnz;
    return !is_shared() && !has_failed && can_be_read_again() && plan.fits_amply() &&
           (plan.forecast.peak() < least_planned_bytes || may_grow);
  }

  /// Whether none of the problem's files is a pipe.
  bool can_be_read_again() const {
    return std::ranges::all_of(schema_.entries(), [](const SchemaEntry& entry) {
      std::error_code error;
      return entry.type != ValueType::input_file ||
             !std::filesystem::is_other(std::filesystem::status(format(entry.get()), error));
    });
  }

  /// Makes the plan that of a setup and the first steps of a solve, which are let go.
  template <MemorySpace S>
  void rehearse(Session<double, S>& session, MemoryPlan& plan) {
    std::vector<std::string> warnings;  // which are known
    MatrixSource source(session.host(), configuration_.problem);
    LinearSystem<S> system = load_system(session.context(), session.host(), configuration_.problem, source, warnings);
    try {
      naming_the_file(configuration_.problem, [&] {
        session.rehearse(std::move(system.A), std::as_const(system.near_nullspace), std::as_const(system.coordinates),
                         std::as_const(system.b), system.x, plan.forecast);
      });
    } catch (const BreakdownError& error) {
      report_.warnings.push_back(failure_ahead(error));
    }
    session.reset();
  }

  /// Tells what memory it will take, and throws where there is not as much. Collective.
  template <MemorySpace S>
  void plan(Session<double, S>& session, const MatrixSource& source, bool is_there = false) {
    SystemSize size = source.size(configuration_.amg.block_size);
    report_.memory_plan = session.plan(size, is_there);
    if (configuration_.problem.is_generated() && ranks_.max(report_.memory_plan->fits_amply() ? 0 : 1) > 0) {
      try {
        size = measured_size(configuration_, session.host(), is_on_host(session), size);
      } catch (const InterruptedError&) {
        throw;
      } catch (const Error&) {  // so a guess has to do
      }
      report_.memory_plan = session.plan(size, is_there);
    }
    if (detail_ == Detail::complete) {
      console_.print(memory_text(*report_.memory_plan));
    }
    // Of a file that one rank reads, more will be known when its matrix is there.
    const bool is_guessed =
        source.is_file() && ranks_.size() == 1 &&
        report_.memory_plan->needed() < surely_too_much * static_cast<double>(report_.memory_plan->available.bytes);
    if (ranks_.max(report_.memory_plan->forecast.peak() >= least_planned_bytes && !is_guessed ? 1 : 0) > 0) {
      session.require(*report_.memory_plan, size);
    }
  }

  /// The system, once require(source) has not thrown: there is memory for what is to be done with it.
  /// @param solves  see load_system()
  template <MemorySpace S, class Require>
  LinearSystem<S> load(Session<double, S>& session, const Require& require, bool solves = true) {
    Context<S>& ctx = session.context();
    Context<Host>& host = session.host();
    ctx.set_progress_listener(console_.progress_listener());
    host.set_progress_listener(console_.progress_listener());
    host.set_stop([this] { return should_stop(); });
    ctx.set_stop([this, &ctx] {  // which may be the same
      look_at_memory(ctx);
      return should_stop();
    });
    MatrixSource source(host, configuration_.problem);
    require(source);
    source.require_memory(host);
    LinearSystem<S> system = load_system(ctx, host, configuration_.problem, source, report_.warnings, solves);
    describe_system(system, solves);
    return system;
  }

  /// This rank's rows of the system, with its forecast beforehand where something is known of it.
  template <MemorySpace S>
  LinearSystem<S> load_own_rows(Session<double, S>& session) {
    Context<S>& ctx = session.context();
    ctx.set_progress_listener(agreed_stop_.at_steps(console_.progress_listener()));
    session.host().set_stop([this] { return agreed_stop_.has_come(); });
    ctx.set_stop([this] { return agreed_stop_.has_come(); });  // which may be the same
    MatrixSource source(session.host(), configuration_.problem);
    if (!source.is_file()) {
      plan(session, source);
    }
    LinearSystem<S> system = load_system(ctx, session.host(), configuration_.problem, source, report_.warnings);
    if (source.is_file()) {
      plan(session, source, true);
    }
    describe_system(system);
    return system;
  }

  template <MemorySpace S>
  void solve(Session<double, S>& session) {
    Context<S>& ctx = session.context();
    SolutionFile file(configuration_, ranks_);  // which has memory of the session's
    console_.print(place_text(report_));
    LinearSystem<S> system = is_shared() ? load_own_rows(session)
                                         : load(session, [&](const MatrixSource& source) { plan(session, source); });
    if (detail_ == Detail::complete && !is_shared()) {
      analyse(session, system);
      console_.print(short_analysis_text(*report_.analysis, report_.hints));
    }
    const std::int64_t rows = ranks_.sum(system.rows.count());
    if (file.is_wanted() && file.is_reordered(system.mesh.get())) {
      checked_index(rows, "the number of rows for 'output.solution' of this kind, which every rank has");
    }
    file.read_points(ctx, session.host(), rows, system.coordinates);
    if (file.has_picture()) {
      session.keep_aggregates();
    }
    measured_.clear_counts();
    set_up(session, system);
    naming_the_file(configuration_.problem, [&] { session.solve(std::as_const(system.b), system.x); });
    warn_of_idle_options();
    if (is_shared()) {
      report_.ranks = all_statistics(measured_, system.rows.count(), session.ghosts());
    }
    session.measure();
    if (!is_shared()) {
      take_memory(ctx);
    }
    console_.print(history_text(*report_.result, detail_) + timing_text(report_.profile, detail_) +
                   notes_text(report_.profile, detail_) + ranks_text(report_.ranks));
    hand_over(session, system, file);
    measure_roofs(ctx);
  }

  /// What comes of the solution: the error that is known, how the solve ended, and files. A signal that comes now does
  /// not take it away; the next one ends the process.
  template <MemorySpace S>
  void hand_over(Session<double, S>& session, const LinearSystem<S>& system, const SolutionFile& file) {
    Context<S>& ctx = session.context();
    Context<Host>& host = session.host();
    const typename Context<S>::Uninterrupted on_device(ctx);
    const Context<Host>::Uninterrupted on_host(host);  // which may be the same
    const MeshProblem* const mesh = system.mesh.get();
    const bool has_error = has_known_solution(configuration_.problem);
    const bool has_found = report_.status != Status::interrupted || report_.result->iterations > 0;
    const bool is_written = file.is_wanted() && has_found;
    const bool is_gathered = (is_written && file.is_reordered(mesh)) || (has_error && mesh != nullptr);
    const MultiVector<double, Host> whole = is_gathered ? gather(session, system) : MultiVector<double, Host>{};
    if (has_error && mesh == nullptr) {
      tell_discretization_error(
          discretization_error<double>(ctx, configuration_.problem.generate, system.x.view(), system.rows));
    } else if (has_error) {
      const Context<Host>::Alone alone(host);
      tell_discretization_error(
          mesh_discretization_error(host, *mesh, values_at_nodes(host, *mesh, whole.view()).view()));
    }
    console_.print(conclusion_text(report_));
    warn_of_lost_right_hand_side();
    constexpr double much = 1e-2;  // of a right-hand side, to be left out without a word
    if (!console_.prints() && (report_.status != Status::converged || report_.result->outside_range > much)) {
      console_.complain(report_.message);
    }
    const auto write_solution = [&] {
      if (!is_written) {
        return;
      }
      const std::vector<std::vector<Index>> aggregates = session.aggregates();
      const Writers writers = is_gathered ? file.write(host, host, whole, system.rows, mesh, aggregates)
                                          : file.write(ctx, host, system.x, system.rows, mesh, aggregates);
      if (is_shared() && detail_ == Detail::complete) {
        console_.print(format_text(
            "{}: {}\n", configuration_.output.solution.string(),
            writers == Writers::all ? "every rank has written its rows" : "the first rank has written all rows"));
      }
    };
    each_of({write_solution, [&] { write_hierarchy(session); }});
  }

  /// Calls all, whatever comes of those before; then throws what the first that failed has thrown. Tells of the others.
  void each_of(std::initializer_list<std::function<void()>> writers) {
    std::exception_ptr first;
    for (const std::function<void()>& write : writers) {
      try {
        write();
      } catch (const std::exception& error) {
        if (first) {
          console_.complain(error.what());
        } else {
          first = std::current_exception();
        }
      }
    }
    if (first) {
      std::rethrow_exception(first);
    }
  }

  /// The whole solution, on the host of each rank.
  template <MemorySpace S>
  MultiVector<double, Host> gather(Session<double, S>& session, const LinearSystem<S>& system) const {
    MultiVector<double, Host> own;
    collectively(ranks_, [&] { own = download(session.context(), session.host(), system.x); });
    if (!is_shared()) {
      return own;
    }
    MultiVector<double, Host> whole;
    const Partition partition(ranks_, system.x.rows());
    collectively(ranks_, [&] {
      whole = MultiVector<double, Host>(session.host(), static_cast<Index>(partition.rows()), system.x.columns());
    });
    replicate_rows<double>(session.host(), partition, std::as_const(own), whole.view());
    return whole;
  }

  template <MemorySpace S>
  void analyse(Session<double, S>& session, const LinearSystem<S>& system) const {
    naming_the_file(configuration_.problem,
                    [&] { session.analyse(system.A, system.near_nullspace.view(), system.coordinates.view()); });
  }

  template <MemorySpace S>
  void set_up(Session<double, S>& session, LinearSystem<S>& system) {
    naming_the_file(configuration_.problem, [&] {
      const auto& near_nullspace = std::as_const(system.near_nullspace);
      const auto& coordinates = std::as_const(system.coordinates);
      if (is_shared()) {
        session.setup(std::move(system.strip), near_nullspace, coordinates);
      } else {
        session.setup(std::move(system.A), near_nullspace, coordinates);
      }
    });
    console_.print(hierarchy_text(*report_.hierarchy) + products_text(*report_.hierarchy));
    if (is_shared()) {
      console_.print(format_text("shared by the ranks: {} of {}\n\n", session.shared_levels(),
                                 format_count(static_cast<std::int64_t>(report_.hierarchy->levels.size()), "level")));
    }
  }

  /// Where nobody reads what is printed and no file will tell either, there is nobody to work for.
  bool should_stop() const {
    const auto& [report, html, solution, hierarchy] = configuration_.output;
    return (stop_ && stop_()) ||
           (!console_.has_reader() && report.empty() && html.empty() && solution.empty() && hierarchy.empty());
  }

  template <MemorySpace S>
  void look_at_memory(Context<S>& ctx) {
    const Memory<S>& memory = ctx.memory();
    if (!report_.result && report_.memory_timeline.is_news(memory.bytes_in_use(), memory.peak_bytes())) {
      take_memory(ctx);
    }
  }

  template <MemorySpace S>
  void take_memory(Context<S>& ctx) {
    const std::chrono::duration<double> since_begin = std::chrono::steady_clock::now() - begin_;
    report_.memory_timeline.add(since_begin.count(), ctx.memory().bytes_in_use(), ctx.memory().peak_bytes(),
                                ctx.profile().current_path());
  }

  /// What the page compares the speed of kernels with, once all else is done; not on several ranks, where there is no
  /// memory for that, or after a signal.
  template <MemorySpace S>
  void measure_roofs(Context<S>& ctx) {
    if (configuration_.output.html.empty() || is_shared() || report_.status == Status::interrupted) {
      return;
    }
    try {
      const MachineFigures::Speed doubles = measure_arithmetic<double>(ctx);
      report_.double_flops_per_second = static_cast<double>(doubles.flops) / doubles.seconds;
      const MachineFigures::Speed floats = measure_arithmetic<float>(ctx);
      report_.float_flops_per_second = static_cast<double>(floats.flops) / floats.seconds;
      const MachineFigures::Speed copies = measure_copy(ctx);
      report_.copy_bytes_per_second = static_cast<double>(copies.bytes) / copies.seconds;
    } catch (const OutOfMemoryError&) {
    } catch (const InterruptedError&) {
    } catch (const DeviceError&) {
    }
  }

  /// Those since the last call.
  void print_warnings() {
    for (; warnings_printed_ < report_.warnings.size(); ++warnings_printed_) {
      console_.warn(report_.warnings[warnings_printed_]);
    }
  }

  /// Of what is known so far.
  void warn_of_idle_options() {
    tell_idle_options(schema_, configuration_, ranks_.size(), report_);
    print_warnings();
  }

  /// Collective.
  template <MemorySpace S>
  void describe_system(const LinearSystem<S>& system, bool solves = true) {
    if (const MeshProblem* const mesh = system.mesh.get()) {
      console_.print(format_text("{}: {}\n", mesh->mesh.name, describe(mesh->mesh)));
    }
    const std::int64_t own_rows = system.rows.count();
    const std::int64_t rows = ranks_.sum(own_rows);
    const std::int64_t nnz = ranks_.sum(is_shared() ? system.strip.nnz() : system.A.nnz());
    problem_["rows"] = rows;
    problem_["nnz"] = nnz;
    std::string vectors;
    if (solves) {
      problem_["columns"] = system.b.columns();
      vectors = format_text(", {} ({})", format_count(system.b.columns(), "right-hand side"),
                            describe_right_hand_side(configuration_.problem));
    }
    print_warnings();
    const std::int64_t least_rows = -ranks_.max(-own_rows);
    const std::int64_t most_rows = ranks_.max(own_rows);
    console_.print(format_text("{}: {}, {}{}\n{}\n", describe(configuration_.problem), format_count(rows, "row"),
                               format_count(nnz, "nonzero"), vectors,
                               is_shared() ? share_text(least_rows, most_rows) : ""));
  }

  std::string share_text(std::int64_t least_rows, std::int64_t most_rows) const {
    return format_text(
        "on {} ranks of {} to {}{}\n", ranks_.size(), least_rows, format_count(most_rows, "row"),
        ranks_.transport().empty() ? "" : format_text(", messages between devices {}", ranks_.transport()));
  }

  void warn_of_lost_right_hand_side() {
    constexpr double nearly_all = 1.0 - 5e-5;  // the rest is a hundredth of the norm
    const SolveResult& result = *report_.result;
    if (result.outside_range > nearly_all) {
      const std::size_t columns = result.column_iterations.size();
      report_.warnings.push_back(format_text(
          "next to nothing of {} ({}) is in the range of the matrix, which is singular, and x solves for that alone: "
          "give another one as 'problem.rhs'",
          columns > 1 ? format_text("right-hand side {} of {}", result.outside_column + 1, columns)
                      : "the right-hand side",
          describe_right_hand_side(configuration_.problem)));
      print_warnings();
    }
  }

  void tell_discretization_error(const std::vector<DiscretizationError>& errors) {
    problem_["discretization_error"] = error_json(errors);
    console_.print(error_text(errors));
  }

  /// The matrices of the levels, each a file.
  template <MemorySpace S>
  void write_hierarchy(Session<double, S>& session) {
    const std::filesystem::path& folder = configuration_.output.hierarchy;
    if (folder.empty() || report_.status == Status::interrupted) {
      return;
    }
    const OutputFolder made(folder);
    const int levels = static_cast<int>(report_.hierarchy->levels.size());
    const auto write = [&](const char* name, int level, LevelPart part) {
      write_matrix_market<double>(session.host(), folder / format_text("{}{}.mtx", name, level),
                                  session.level_matrix(level, part));
    };
    for (int l = 0; l < levels; ++l) {
      write("A", l, LevelPart::A);
      if (l + 1 < levels) {
        write("P", l, LevelPart::P);
        write("R", l, LevelPart::R);
      }
    }
    if (const std::string older = format_text("P{}.mtx", levels - 1); std::filesystem::exists(folder / older)) {
      report_.warnings.push_back(
          format_text("{}: {}, and what is behind it on the way down, is of an earlier run", folder.string(), older));
      print_warnings();
    }
  }

  void write_report() {
    const std::filesystem::path& report = configuration_.output.report;
    const std::filesystem::path& html = configuration_.output.html;
    // All of them, while they can still talk: what joins devices goes from all ranks together.
    if (meet_) {
      meet_(static_cast<int>(report_.status.value_or(Status::converged)));
    }
    if ((report.empty() && html.empty()) || ranks_.rank() > 0) {
      return;
    }
    const std::string text =
        serialize(report_json(report_, problem_, configuration_json(effective_entries(schema_, configuration_))));
    const auto write_json = [&] {
      if (!report.empty()) {
        write_file_or_standard_output(report, text);
      }
    };
    const auto write_page = [&] {
      if (!html.empty()) {
        write_file_or_standard_output(html, html_report(text));
      }
    };
    each_of({write_json, write_page});
  }

  /// Not to hide the error at hand behind another one.
  void report_failure() {
    try {
      if (report_.status == Status::interrupted && !report_.result) {
        console_.print(timing_text(report_.profile, detail_));
      }
      write_report();
    } catch (const std::exception& error) {
      console_.complain(error.what());
    }
  }

  const JobConfiguration& configuration_;
  const Schema& schema_;
  Detail detail_;
  Console console_;
  std::function<bool()> stop_;
  const Communicator& ranks_;
  std::function<void(int)> meet_;
  MeasuredCommunicator measured_{ranks_};
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  // The first rank, which has the report to write, before the others end it.
  AgreedStop agreed_stop_{ranks_, [this] { return should_stop(); },
                          std::chrono::milliseconds(ranks_.rank() == 0 ? 200 : 500)};
  Report report_;
  std::size_t warnings_printed_ = 0;
  Json problem_;
};

}  // namespace

int run_job(const JobConfiguration& configuration, const Schema& schema, Verbosity verbosity,
            const std::function<bool()>& stop, const Communicator& ranks, const std::function<void(int)>& meet) {
  return static_cast<int>(JobRun(configuration, schema, verbosity, stop, ranks, meet).run());
}

int analyse_job(const JobConfiguration& configuration, const Schema& schema, Verbosity verbosity,
                const std::function<bool()>& stop) {
  return static_cast<int>(JobRun(configuration, schema, verbosity, stop).analyse());
}

int dry_run_job(const JobConfiguration& configuration, const Schema& schema, Verbosity verbosity,
                const Communicator& ranks, const std::function<void(int)>& meet) {
  return static_cast<int>(JobRun(configuration, schema, verbosity, {}, ranks, meet).dry_run());
}

}  // namespace amgsolve
