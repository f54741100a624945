#pragma once

#include <string_view>

/// Files that the command holds as text, put there by cmake/Embed.cmake.
namespace amgsolve {

extern const std::string_view embedded_report_page;   ///< src/application/report_page.html
extern const std::string_view embedded_compare_page;  ///< src/application/compare_page.html
extern const std::string_view embedded_page_style;    ///< what both have in common: src/application/page_style.css,
extern const std::string_view embedded_page_licence;  ///< page_licence.html,
extern const std::string_view embedded_page_helpers;  ///< and page_helpers.js
extern const std::string_view embedded_chart_js;      ///< Chart.js, from the distribution; empty where it was not found

/// What `amgsolve bench` measured on machines, bench/results/*/*_machine.json, as an array of JSON.
extern const std::string_view embedded_recorded_machines;

}  // namespace amgsolve
