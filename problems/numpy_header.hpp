#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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

}  // namespace amgsolve
