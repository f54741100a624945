#include <array>
#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/input_file.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "problems/binary_input.hpp"
#include "problems/numpy.hpp"
#include "problems/numpy_header.hpp"
#include "problems/vectors_of_host.hpp"

namespace amgsolve {
namespace {

static_assert(std::endian::native == std::endian::little, "values are taken as they are");

void check_vectors(const NumpyHeader& header, const std::string& name) {
  with_numbers_of(header.type, name, [](auto) {});
  if (header.shape.empty() || header.shape.size() > 2) {
    throw InputError(format_text("{}: an array of {}; vectors have 1 or 2", name,
                                 format_count(std::ssize(header.shape), "dimension")));
  }
}

std::int64_t columns_of(const NumpyHeader& header) { return header.shape.size() == 1 ? 1 : header.shape.back(); }

/// Vectors of that many rows from values as they lie in the file.
template <class T>
MultiVector<T, Host> take_values(Context<Host>& ctx, const NumpyHeader& header, std::string_view values,
                                 std::int64_t rows, const std::string& name) {
  const std::int64_t columns = columns_of(header);
  return with_numbers_of(header.type, name, [&]<class V>(V) {
    const auto value = [&](std::int64_t i, std::int64_t j) {
      const V number = number_at<V>(values, header.fortran_order ? j * rows + i : i * columns + j);
      return is_double(number) ? static_cast<double>(number) : std::numeric_limits<double>::quiet_NaN();
    };
    return vectors_of<T>(ctx, static_cast<Index>(rows), static_cast<Index>(columns), name, value,
                         std::is_integral_v<V> ? no_double : not_finite);
  });
}

/// Fills the room from byte `first` of the file on, as far as it goes.
std::string_view read_from(const InputFile& file, std::size_t first, Span<char, Host> room) {
  std::size_t size = 0;
  for (std::size_t count = 1; count > 0 && size < room.size(); size += count) {
    count = file.read_at(first + size, room.subspan(size, room.size() - size));
  }
  return {room.data(), size};
}

}  // namespace

template <class T>
MultiVector<T, Host> parse_numpy(Context<Host>& ctx, std::string_view bytes, const std::string& name) {
  const ScopedTimer timer(ctx, "parse");
  const NumpyHeader header = parse_numpy_header(bytes, name);
  check_vectors(header, name);
  check_size(header, name);
  return take_values<T>(ctx, header, header.values, header.shape.front(), name);
}

template <class T>
FilePart<MultiVector<T, Host>> read_part_of_numpy(Context<Host>& ctx, const std::filesystem::path& path,
                                                  const PartReader& reader) {
  const std::string name = path.string();
  const InputFile file(path);
  std::array<char, 4096> room;
  const std::string_view begin = read_from(file, 0, {room.data(), room.size()});
  const NumpyHeader header = parse_numpy_header(begin, name);
  check_vectors(header, name);
  const std::int64_t columns = columns_of(header);
  const std::size_t header_bytes = begin.size() - header.values.size();
  const std::size_t bytes = file.expected_size() - header_bytes;
  if (columns < 1 || static_cast<std::size_t>(columns) > bytes || (header.fortran_order && columns > 1)) {
    return {};
  }
  const std::size_t row_bytes = static_cast<std::size_t>(columns) * header.value_bytes();
  if (bytes % row_bytes != 0 || bytes / row_bytes != static_cast<std::size_t>(header.shape.front())) {
    return {};
  }
  const RowRange rows = reader.rows(header.shape.front());
  Buffer<char, Host> values(ctx, static_cast<std::size_t>(rows.count()) * row_bytes);
  const std::string_view own = read_from(file, header_bytes + static_cast<std::size_t>(rows.first) * row_bytes, values);
  if (own.size() != values.size()) {
    return {};
  }
  return {.rows = take_values<T>(ctx, header, own, rows.count(), name)};
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                           \
  template MultiVector<T, S> parse_numpy(Context<S>&, std::string_view, const std::string&); \
  template FilePart<MultiVector<T, S>> read_part_of_numpy(Context<S>&, const std::filesystem::path&, const PartReader&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
