#pragma once

#include <string>
#include <string_view>

namespace amgsolve {

/// Whether this build holds the plotting library that pages need, Chart.js.
bool has_html_report();

/// A page that shows a JSON report (docs/report.md) with charts, light or dark, in any browser and without a network:
/// whatever it needs is in it. Where has_html_report() is false its charts are missing.
std::string html_report(std::string_view report_json);

/// The same of several runs beside each other.
/// @param reports_json  an array of {"file": a name to show, "report": a JSON report}
std::string html_comparison(std::string_view reports_json);

}  // namespace amgsolve
