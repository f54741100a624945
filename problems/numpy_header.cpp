#include "problems/numpy_header.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "problems/binary_input.hpp"
#include "problems/numpy.hpp"

namespace amgsolve {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t version_end = 8;

/// The Python dictionary of a header: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }, its keys in any
/// order.
class DictionaryParser {
 public:
  DictionaryParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void parse(NumpyHeader& header) {
    expect('{');
    for (int keys = 0; !accept('}'); ++keys) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr") {
        header.type = type();
      } else if (key == "fortran_order") {
        header.fortran_order = truth();
      } else if (key == "shape") {
        header.shape = shape();
        has_shape_ = true;
      } else {
        refuse_file(name_, format_text("expected 'descr', 'fortran_order' or 'shape' in the header, found '{}'",
                                       printable(key)));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (header.type.empty() || !has_shape_) {
      refuse_file(name_, "the header lacks 'descr' or 'shape'");
    }
  }

 private:
  std::string type() {
    skip_blanks();
    if (text_.starts_with('\'')) {
      return std::string(quoted());
    }
    refuse_file(name_,
                format_text("values of type '{}', which is a structure", printable(text_.substr(0, text_.find('\'')))));
  }

  bool truth() {
    skip_blanks();
    const bool is_true = text_.starts_with("True");
    if (!is_true && !text_.starts_with("False")) {
      fail_expecting("True or False");
    }
    text_.remove_prefix(is_true ? 4 : 5);
    return is_true;
  }

  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> sizes;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::int64_t size = -1;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error != std::errc{} || size < 0) {
        fail_expecting("a size");
      }
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      accept('L');  // of Python 2
      sizes.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  std::string_view quoted() {
    expect('\'');
    const std::size_t size = text_.find('\'');
    if (size == std::string_view::npos) {
      fail_expecting("a closing quote");
    }
    const std::string_view word = text_.substr(0, size);
    text_.remove_prefix(size + 1);
    return word;
  }

  bool accept(char c) {
    skip_blanks();
    if (!text_.starts_with(c)) {
      return false;
    }
    text_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) {
      fail_expecting(format_text("'{}'", c));
    }
  }

  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\n"), text_.size())); }

  [[noreturn]] void fail_expecting(std::string_view expected) const {
    refuse_file(name_, text_.empty()
                           ? format_text("expected {} in the header, found its end", expected)
                           : format_text("expected {} in the header, found '{}'", expected, printable(text_)));
  }

  static std::string printable(std::string_view text) {
    std::string result(text.substr(0, 20));
    std::replace_if(
        result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return result;
  }

  std::string_view text_;
  const std::string& name_;
  bool has_shape_ = false;
};

/// The little-endian number of `size` bytes at the front.
std::size_t take_size(std::string_view& bytes, std::size_t size) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), size);
  bytes.remove_prefix(size);
  return value;
}

}  // namespace

bool is_numpy(std::string_view bytes) { return bytes.starts_with(magic); }

std::size_t NumpyHeader::value_bytes() const {
  std::size_t bytes = 0;
  if (type.size() > 2) {
    std::from_chars(type.data() + 2, type.data() + type.size(), bytes);
  }
  return bytes;
}

NumpyHeader parse_numpy_header(std::string_view bytes, const std::string& name) {
  if (bytes.size() < version_end) {
    refuse_file(name, "the file ends in its header");
  }
  const int major = static_cast<unsigned char>(bytes[magic.size()]);
  const int minor = static_cast<unsigned char>(bytes[magic.size() + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    refuse_file(name, format_text("version {}.{} of the NumPy format; 1.0, 2.0 and 3.0 are known", major, minor));
  }
  bytes.remove_prefix(version_end);
  const std::size_t size_bytes = major == 1 ? 2 : 4;
  const std::size_t size = bytes.size() < size_bytes ? bytes.size() + 1 : take_size(bytes, size_bytes);
  if (bytes.size() < size) {
    refuse_file(name, "the file ends in its header");
  }
  NumpyHeader header;
  DictionaryParser(bytes.substr(0, size), name).parse(header);
  header.values = bytes.substr(size);
  return header;
}

void refuse_numbers_of(const std::string& type, const std::string& name) {
  refuse_file(name, format_text("values of type '{}'; they must be real, and if not of one byte, little-endian: "
                                "float64, float32, int64 to int8, uint64 to uint8 or bool",
                                printable(type)));
}

void check_size(const NumpyHeader& header, const std::string& name) {
  std::size_t wanted = header.value_bytes();
  for (const std::int64_t size : header.shape) {
    index_in_file(size, "numbers in one dimension", name);
    if (__builtin_mul_overflow(wanted, static_cast<std::size_t>(size), &wanted)) {
      refuse_file(name, "its shape says more bytes than 64 bits count");
    }
  }
  if (wanted != header.values.size()) {
    refuse_file(name, format_text("{} of values, but the shape says {}",
                                  format_count(std::ssize(header.values), "byte"), wanted));
  }
}

}  // namespace amgsolve
