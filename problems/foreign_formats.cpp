#include "problems/foreign_formats.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "problems/numpy.hpp"
#include "problems/parse_number.hpp"

namespace amgsolve {
namespace {

/// Whether the line has numbers alone, of which there are some.
bool has_numbers_alone(std::string_view line) {
  return line.find_first_of("0123456789") != std::string_view::npos &&
         line.find_first_not_of("0123456789 \t\r") == std::string_view::npos;
}

/// Of Harwell and Boeing, or Rutherford and Boeing: a title, the sizes of the parts of the file, and a line that begins
/// with the three letters of a type, as RUA.
bool is_harwell_boeing(std::string_view text) {
  take_line(text);
  const std::string_view parts = take_line(text);
  const std::string_view sizes = take_line(text);
  const std::string_view type = first_token(sizes);
  constexpr std::array<std::string_view, 3> letters{"RCPIQrcpiq", "SUHZRsuhzr", "AEae"};
  const auto is_one_of = [](std::string_view known, char letter) { return known.find(letter) != known.npos; };
  return std::ranges::equal(letters, type, is_one_of) && has_numbers_alone(parts) &&
         has_numbers_alone(sizes.substr(type.size()));
}

}  // namespace

std::string_view describe_foreign_format(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> beginnings{
      {{"MATLAB 5.0", "a file of MATLAB's before version 7.3; save it with '-v7.3', or a matrix by SciPy's save_npz"},
       {"BZh", "compressed by bzip2; plain files are read, and those that gzip or xz compresses"},
       {"\x28\xb5\x2f\xfd", "compressed by zstd; plain files are read, and those that gzip or xz compresses"}}};
  for (const auto& [beginning, description] : beginnings) {
    if (text.starts_with(beginning)) {
      return description;
    }
  }
  if (is_numpy(text)) {
    return "an array of NumPy's, which vectors are read from; a matrix is to be sparse, as SciPy's save_npz writes it";
  }
  return is_harwell_boeing(text)
             ? "a Harwell-Boeing file; write it as Matrix Market, in SciPy mmwrite('A.mtx', hb_read('A.rua'))"
             : "";
}

}  // namespace amgsolve
