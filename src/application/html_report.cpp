#include "src/application/html_report.hpp"

#include "src/application/embedded.hpp"

namespace amgsolve {
namespace {

/// JSON that an HTML parser takes for nothing else.
std::string escaped_for_script(std::string_view json) {
  std::string result;
  for (const char c : json) {
    result += c == '<' ? std::string("\\u003c") : std::string(1, c);
  }
  return result;
}

/// Appends the page up to a place to fill in, and what belongs there.
void fill(std::string& text, std::string_view& page, std::string_view place, std::string_view content) {
  const std::size_t begin = page.find(place);
  text += page.substr(0, begin);
  text += content;
  page.remove_prefix(begin + place.size());
}

/// A page with what its scripts show.
std::string filled(std::string_view page, std::string_view json) {
  std::string text;
  fill(text, page, "@STYLE@", embedded_page_style);
  fill(text, page, "@LICENCE@", embedded_page_licence);
  fill(text, page, "@REPORT@", escaped_for_script(json));
  fill(text, page, "@CHART_JS@", embedded_chart_js);
  fill(text, page, "@HELPERS@", embedded_page_helpers);
  return text += page;
}

}  // namespace

bool has_html_report() { return !embedded_chart_js.empty(); }

std::string html_report(std::string_view report_json) { return filled(embedded_report_page, report_json); }

std::string html_comparison(std::string_view reports_json) { return filled(embedded_compare_page, reports_json); }

}  // namespace amgsolve
