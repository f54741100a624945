#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace amgsolve {

/// The JSON reports of runs beside each other, as text: what each is of, what came out and how it relates to the first,
/// the phases that take a hundredth of some run, the levels, and the keys whose values differ but for those of output.
/// Throws InputError naming the file that cannot be read, is no JSON, or no report of a version that is known.
std::string compare_reports(const std::vector<std::filesystem::path>& files);

/// The same as a page with charts; see html_report.hpp.
std::string compare_reports_as_page(const std::vector<std::filesystem::path>& files);

}  // namespace amgsolve
