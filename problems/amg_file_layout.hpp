#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/context.hpp"
#include "core/types.hpp"

/// How the bytes of an .amg file lie. docs/formats.md tells the same for other programs.
namespace amgsolve {

/// With a byte past ASCII and line ends of two systems, so that what translates text shows.
inline constexpr std::string_view amg_file_magic(
    "\x89"
    "AMG\r\n\x1a\n");

inline bool is_amg_file(std::string_view bytes) { return bytes.starts_with(amg_file_magic); }

/// The first 64 bytes, all numbers little-endian.
struct AmgFileHeader {
  static constexpr std::uint32_t known_version = 1;
  static constexpr std::uint32_t matrix_kind = 1;
  static constexpr std::uint32_t vectors_kind = 2;

  std::array<char, 8> magic{};
  std::uint32_t version = known_version;
  std::uint32_t kind = matrix_kind;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;        ///< of a matrix; rows × columns of vectors
  std::uint32_t offset_bytes = 0;  ///< of a row offset: 4 or 8; 0 for vectors
  std::uint32_t value_bytes = 8;   ///< 4 or 8
  std::uint64_t file_bytes = 0;
  std::uint64_t checksum = 0;  ///< checksum_of_words() of the file with 0 in this place

  /// Whether column indices have 64 bits.
  bool has_wide_columns() const { return kind == matrix_kind && columns > max_index; }
};
static_assert(sizeof(AmgFileHeader) == 64);

/// Where an array lies in the file.
struct AmgFilePart {
  std::size_t begin = 0;
  std::size_t size = 0;
};

/// The arrays behind the header, each at a multiple of 64 bytes, with zeros between them.
struct AmgFileLayout {
  static constexpr std::size_t alignment = 64;

  AmgFilePart row_offsets{};  ///< rows + 1 of a matrix; none for vectors
  AmgFilePart col_indices{};  ///< 32 bits each, or 64; none for vectors
  AmgFilePart values{};
  std::size_t end = 0;  ///< the size of the file, a multiple of 64
};

/// Of what checksums are sums over.
inline constexpr std::size_t word_bytes = sizeof(std::uint64_t);

/// There are to be less than 2⁵⁶ entries in the header.
AmgFileLayout layout_of(const AmgFileHeader& header);

/// Σ_k hash64(w_k + 0x9E3779B97F4A7C15 k) modulo 2⁶⁴ over the words w_k of 64 bits that `bytes` make up from word
/// `first` of the file on, zeros filling up the last one. Any one word that changes changes it, since hash64() is a
/// bijection. The same for any number of threads. A pass over the bytes.
std::uint64_t checksum_of_words(Context<Host>& ctx, std::size_t first, std::string_view bytes);

/// That of the header, with 0 for the checksum.
std::uint64_t checksum_of_header(Context<Host>& ctx, const AmgFileHeader& header);

/// That of the words behind an array before the next one, or the end of the file.
std::uint64_t checksum_of_filling(AmgFilePart array);

}  // namespace amgsolve
