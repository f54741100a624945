#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace amgsolve {

/// The JSON reports of runs beside each other: what each is of, what came out and how it relates to the first, the
/// phases that take a hundredth of some run, the levels, and the keys whose values differ but for those of output.
struct Comparison {
  std::string text;
  std::string page;  ///< with charts, where it was asked for; see html_report.hpp
};

/// Reads each file once. Throws InputError naming the file that cannot be read, is no JSON, or no report of a version
/// that is known.
Comparison compare_reports(const std::vector<std::filesystem::path>& files, bool with_page = false);

}  // namespace amgsolve
