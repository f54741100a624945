#include <bit>
#include <cstring>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/timer.hpp"
#include "problems/numpy.hpp"
#include "problems/numpy_header.hpp"
#include "problems/vectors_of_host.hpp"

namespace amgsolve {
namespace {

static_assert(std::endian::native == std::endian::little, "values are taken as they are");

void check_vectors(const NumpyHeader& header, const std::string& name) {
  if (header.type != "<f8" && header.type != "<f4") {
    throw InputError(
        format_text("{}: values of type '{}'; they must be little-endian float64 ('<f8') or float32 ('<f4')", name,
                    printable(header.type)));
  }
  if (header.shape.empty() || header.shape.size() > 2) {
    throw InputError(format_text("{}: an array of {}; vectors have 1 or 2", name,
                                 format_count(std::ssize(header.shape), "dimension")));
  }
  check_size(header, name);
}

/// Values of type V as they lie in the file, which may be at any address.
template <class V, class T>
MultiVector<T, Host> take_values(Context<Host>& ctx, const NumpyHeader& header, const std::string& name) {
  const std::int64_t rows = header.shape.front();
  const std::int64_t columns = header.shape.size() == 1 ? 1 : header.shape.back();
  return vectors_of<T>(
      ctx, static_cast<Index>(rows), static_cast<Index>(columns), name, [&](std::int64_t i, std::int64_t j) {
        V value;
        const std::int64_t place = header.fortran_order ? j * rows + i : i * columns + j;
        std::memcpy(&value, header.values.data() + static_cast<std::size_t>(place) * sizeof(V), sizeof(V));
        return value;
      });
}

}  // namespace

template <class T>
MultiVector<T, Host> parse_numpy(Context<Host>& ctx, std::string_view bytes, const std::string& name) {
  const ScopedTimer timer(ctx, "parse");
  const NumpyHeader header = parse_numpy_header(bytes, name);
  check_vectors(header, name);
  return header.value_bytes() == 8 ? take_values<double, T>(ctx, header, name)
                                   : take_values<float, T>(ctx, header, name);
}

template MultiVector<float, Host> parse_numpy(Context<Host>&, std::string_view, const std::string&);
template MultiVector<double, Host> parse_numpy(Context<Host>&, std::string_view, const std::string&);

}  // namespace amgsolve
