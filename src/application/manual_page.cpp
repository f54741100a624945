#include "src/application/manual_page.hpp"

#include <string_view>

#include "core/format.hpp"
#include "src/application/documentation.hpp"
#include "src/application/presets.hpp"
#include "src/library/status.hpp"

namespace amgsolve {
namespace {

/// Text as roff prints it: a hyphen is a minus to copy, a backslash none of roff's, and a line begins no request.
std::string escaped_for_troff(std::string_view text) {
  std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    result += c == '-' ? "\\-" : c == '\\' ? "\\e" : std::string(1, c);
  }
  return result;
}

/// A paragraph that hangs on a term.
std::string tagged(std::string_view term, std::string_view text) {
  return format_text(".TP\n{}\n{}\n", term, escaped_for_troff(text));
}

std::string bold(std::string_view text) { return format_text("\\fB{}\\fR", escaped_for_troff(text)); }
std::string italic(std::string_view text) { return format_text("\\fI{}\\fR", escaped_for_troff(text)); }

std::string option_term(const CommandOption& option) {
  std::string term = option.short_name.empty() ? "" : bold("-" + option.short_name) + ", ";
  term += bold("--" + option.long_name);
  return option.argument.empty() ? term : term + " " + italic(option.argument);
}

constexpr std::string_view beginning = R"(.SH NAME
amgsolve \- solve sparse linear systems by smoothed\-aggregation algebraic multigrid
.SH SYNOPSIS
.B amgsolve
.RI [ option " ...] " problem.yaml
.br
.B amgsolve
.RI [ option " ...] " A.mtx
.br
.B amgsolve compare
.I report.json report.json ...
.br
.B amgsolve convert
.I A.mtx A.amg
.br
.B amgsolve bench
.RI [ option " ...]"
.SH DESCRIPTION
Solves the linear system that a YAML file describes, or that of a matrix with a right\-hand side of ones or of
.I A_b.mtx
beside it, on CPU cores or an NVIDIA GPU, and prints how it was coarsened, how the residual fell and where the time went.
)";

constexpr std::string_view environment = R"(.SH ENVIRONMENT
.TP
.B OMP_NUM_THREADS
Threads where
.B solver.threads
is 0; as many as cores where neither is given.
.TP
.BR OMP_WAIT_POLICY ", " GOMP_SPINCOUNT
How long waiting threads spin. Where neither is set amgsolve has them sleep after a microsecond.
.SH EXAMPLES
.TP
.B amgsolve \-\-preset poisson\-3d
Solve a model problem.
.TP
.B amgsolve A.mtx \-\-set solver.tolerance=1e\-10 \-\-json report.json
Solve a matrix to ten digits and keep a report.
.TP
.B amgsolve \-\-preset jumps \-\-print\-config > problem.yaml
Begin a file.
)";

}  // namespace

std::string manual_page(const CommandDescription& command, const Schema& schema) {
  std::string page =
      format_text(".TH AMGSOLVE 1 \"\" \"amgsolve {}\" \"User Commands\"\n{}.SH OPTIONS\n", version(), beginning);
  for (const CommandOption& option : command.options) {
    page += tagged(option_term(option), option.help);
  }
  page += ".SH SUBCOMMANDS\n";
  for (const Subcommand& subcommand : command.subcommands) {
    page += tagged(bold(subcommand.name), subcommand.help);
    page += subcommand.options.empty() ? "" : ".RS\n";
    for (const CommandOption& option : subcommand.options) {
      page += tagged(option_term(option), option.help);
    }
    page += subcommand.options.empty() ? "" : ".RE\n";
  }
  page += ".SH PRESETS\n";
  for (const Preset& preset : presets()) {
    page += tagged(bold(preset.name), preset.help);
  }
  page += ".SH KEYS OF PROBLEM.YAML\n";
  for (const SchemaEntry& entry : schema.entries()) {
    page += tagged(bold(entry.key), format_text("{}. Values: {}. Default: {}.", entry.help, describe_values(entry),
                                                describe_default(entry)));
  }
  page += ".SH EXIT STATUS\n";
  for (const StatusText& entry : statuses()) {
    page += tagged(bold(format_text("{}", static_cast<int>(entry.status))), entry.meaning);
  }
  return page + std::string(environment);
}

}  // namespace amgsolve
