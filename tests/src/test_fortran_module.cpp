#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/reference/temporary_directory.hpp"

/// The Fortran module says by hand what the C header says: these tests compare the two, as texts.
namespace amgsolve {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string header(const std::string& name) {
  return reference::bytes_of_file(std::string(AMGSOLVE_SOURCE_DIR) + "/include/amgsolve/" + name);
}

/// The C header without its comments.
std::string c_header() { return std::regex_replace(header("amgsolve.h"), std::regex(R"(/\*[\s\S]*?\*/)"), ""); }

/// Calls visit(match) for all matches.
template <class Visit>
void for_each_match(const std::string& text, const std::string& pattern, const Visit& visit) {
  const std::regex expression(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match) {
    visit(*match);
  }
}

using Constants = std::map<std::string, std::string>;
using Members = std::vector<std::pair<std::string, std::string>>;  ///< name and kind

/// By the kinds of iso_c_binding.
std::string kind_of(const std::string& c_type) {
  return c_type.find('*') != std::string::npos ? "c_ptr"
         : c_type == "int64_t"                 ? "c_int64_t"
         : c_type == "double"                  ? "c_double"
                                               : "c_int";  // int, and what amgsolve_* are by typedef
}

Members members_in_c(const std::string& text, const std::string& type) {
  Members members;
  std::smatch body;
  EXPECT_TRUE(std::regex_search(text, body, std::regex("struct " + type + R"( \{([^}]*)\})"))) << type;
  for_each_match(body.str(1), R"(([^;]+);)", [&](const std::smatch& line) {
    std::smatch parts;
    const std::string declaration = line.str(1);
    if (std::regex_search(declaration, parts, std::regex(R"(\(\*(\w+)\)\()"))) {
      members.emplace_back(lower(parts.str(1)), "c_funptr");
    } else if (std::regex_search(declaration, parts, std::regex(R"(\s*(?:const )?(\w+\*?) (\w+)\s*$)"))) {
      members.emplace_back(lower(parts.str(2)), kind_of(parts.str(1)));
    } else {
      ADD_FAILURE() << declaration;
    }
  });
  return members;
}

TEST(FortranModule, ConstantsAreThoseOfC) {
  Constants of_c;
  for_each_match(c_header(), R"((AMGSOLVE_\w+) = (\d+))",
                 [&](const std::smatch& match) { of_c[lower(match.str(1))] = match.str(2); });
  Constants of_fortran;
  for_each_match(header("amgsolve.f90"), R"(parameter :: (\w+) = (\d+))",
                 [&](const std::smatch& match) { of_fortran[match.str(1)] = match.str(2); });
  EXPECT_GE(of_fortran.size(), 18U);
  EXPECT_EQ(of_fortran, of_c);
}

TEST(FortranModule, TypesHaveTheMembersOfC) {
  const std::string c = c_header();
  int types = 0;
  for_each_match(header("amgsolve.f90"), R"(type, bind\(c\) :: (\w+)\n([\s\S]*?)end type)",
                 [&](const std::smatch& type) {
                   Members members;
                   for_each_match(type.str(2), R"((?:integer|real|type)\((\w+)\) :: (\w+) =)",
                                  [&](const std::smatch& line) { members.emplace_back(line.str(2), line.str(1)); });
                   EXPECT_EQ(members, members_in_c(c, type.str(1))) << type.str(1);
                   ++types;
                 });
  EXPECT_EQ(types, 5);
}

TEST(FortranModule, HasAllFunctionsWithAsManyArgumentsAsInC) {
  const auto count = [](const std::string& arguments) {
    return arguments == "void" || arguments.empty() ? 0 : 1 + std::ranges::count(arguments, ',');
  };
  std::map<std::string, std::ptrdiff_t> of_c;
  // A function that is an argument has its own in brackets, which are left out.
  const std::string c = std::regex_replace(c_header(), std::regex(R"(\(\*(\w+)\)\([^)]*\))"), "$1");
  for_each_match(c, R"((amgsolve_\w+)\(([^)]*)\);)",
                 [&](const std::smatch& match) { of_c[match.str(1)] = count(match.str(2)); });
  std::map<std::string, std::ptrdiff_t> of_fortran;
  for_each_match(header("amgsolve.f90"), R"~((?:function|subroutine) (\w+)\(([^)]*)\) bind\(c(?:, name="(\w+)")?\))~",
                 [&](const std::smatch& match) {
                   of_fortran[match[3].matched ? match.str(3) : match.str(1)] = count(match.str(2));
                 });
  EXPECT_EQ(of_c.erase("amgsolve_settings_init"), 1U);  // the module's type has these values from the start
  EXPECT_GE(of_fortran.size(), 26U);
  EXPECT_EQ(of_fortran, of_c);
}

}  // namespace
}  // namespace amgsolve
