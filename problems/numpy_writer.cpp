#include "core/format.hpp"
#include "problems/binary_output.hpp"
#include "problems/numpy.hpp"

namespace amgsolve {

RowsFile numpy_file(std::int64_t rows, Index columns, std::size_t value_bytes) {
  const std::string shape = columns == 1 ? format_text("({},)", rows) : format_text("({}, {})", rows, columns);
  std::string dictionary =
      format_text("{{'descr': '<f{}', 'fortran_order': False, 'shape': {}, }}", value_bytes, shape);
  // Blanks and a newline bring the data to a multiple of 64 bytes.
  constexpr std::size_t preamble = 10;
  RowsFile file;
  file.begin = (preamble + dictionary.size() + 1 + 63) / 64 * 64;
  file.end = file.begin + static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * value_bytes;
  dictionary.resize(file.begin - preamble - 1, ' ');
  dictionary += '\n';
  const auto dictionary_size = static_cast<std::uint16_t>(dictionary.size());
  file.header = [header = std::string("\x93NUMPY\x01\x00", 8).append(bytes_of(&dictionary_size, 1)) +
                          dictionary](std::uint64_t) { return header; };
  return file;
}

}  // namespace amgsolve
