#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace amgsolve {

/// What a .npy file says of its array before its values.
struct NumpyHeader {
  std::string type;  ///< "<f8": byte order, kind and bytes of a value; the beginning of what is no such word
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::string_view values;  ///< the bytes after the header

  /// Bytes of a value, as a simple type's name ends; 0 where it does not.
  std::size_t value_bytes() const;
};

/// The header of versions 1 to 3 of the format. Throws InputError "name: ..." for what is none.
/// @param bytes  the file, or its beginning as far as behind the header
NumpyHeader parse_numpy_header(std::string_view bytes, const std::string& name);

/// Whether there are as many values as the shape says. Throws InputError "name: ...".
void check_size(const NumpyHeader& header, const std::string& name);

/// Throws InputError "name: ...": that no values of this type are read, and of which they are.
[[noreturn]] void refuse_numbers_of(const std::string& type, const std::string& name);

/// Calls work(V()) with the type V of the real numbers, integers or truths of a word like "<f8", in little-endian
/// order. Throws InputError for any other.
template <class Work>
decltype(auto) with_numbers_of(const std::string& type, const std::string& name, const Work& work) {
  if (type == "<f8") {
    return work(double{});
  }
  if (type == "<f4") {
    return work(float{});
  }
  if (type == "<i8") {
    return work(std::int64_t{});
  }
  if (type == "<i4") {
    return work(std::int32_t{});
  }
  if (type == "<i2") {
    return work(std::int16_t{});
  }
  if (type == "|i1") {
    return work(std::int8_t{});
  }
  if (type == "<u8") {
    return work(std::uint64_t{});
  }
  if (type == "<u4") {
    return work(std::uint32_t{});
  }
  if (type == "<u2") {
    return work(std::uint16_t{});
  }
  if (type == "|u1" || type == "|b1") {
    return work(std::uint8_t{});
  }
  refuse_numbers_of(type, name);
}

/// Whether a double is equal to the number: not to integers of more than 53 bits between the first 1 and the last.
template <class V>
constexpr bool is_double(V number) {
  if constexpr (std::is_integral_v<V> && sizeof(V) == sizeof(std::uint64_t)) {
    const auto bits = static_cast<std::uint64_t>(number);
    const std::uint64_t size = number < V{0} ? 0 - bits : bits;
    return size == 0 || size >> std::countr_zero(size) >> std::numeric_limits<double>::digits == 0;
  }
  return true;
}

/// What is wrong with one that none is equal to.
inline constexpr std::string_view no_double = "an integer that no number in double is equal to";

}  // namespace amgsolve
