#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "problems/binary_output.hpp"
#include "problems/numpy.hpp"

namespace amgsolve {
namespace {

std::string header_of(std::int64_t rows, Index columns, std::size_t value_bytes) {
  const std::string shape = columns == 1 ? format_text("({},)", rows) : format_text("({}, {})", rows, columns);
  std::string dictionary =
      format_text("{{'descr': '<f{}', 'fortran_order': False, 'shape': {}, }}", value_bytes, shape);
  // Blanks and a newline bring the data to a multiple of 64 bytes.
  constexpr std::size_t preamble = 10;
  const std::size_t size = (preamble + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.resize(size - preamble - 1, ' ');
  dictionary += '\n';
  const auto dictionary_size = static_cast<std::uint16_t>(dictionary.size());
  return std::string("\x93NUMPY\x01\x00", 8).append(bytes_of(&dictionary_size, 1)) + dictionary;
}

}  // namespace

template <class T>
std::vector<RowsSection> numpy_file(Context<Host>& ctx, MultiVectorView<const T, Host> x) {
  const std::int64_t rows = rows_of_ranks(ctx.communicator(), x.rows).all;
  return {rows_in_memory(header_of(rows, x.columns, sizeof(T)), bytes_of(x.data, x.size()))};
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template std::vector<RowsSection> numpy_file(Context<S>&, MultiVectorView<const T, S>);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
