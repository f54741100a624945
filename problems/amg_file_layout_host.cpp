#include <algorithm>
#include <bit>
#include <cstring>

#include "core/hash.hpp"
#include "core/parallel_host.hpp"
#include "problems/amg_file_layout.hpp"

namespace amgsolve {
namespace {

static_assert(std::endian::native == std::endian::little, "files are written and read as the memory is");

// What hash64() adds first: neighbours that exchange values and a small difference do not look alike.
constexpr std::uint64_t stride = 0x9E3779B97F4A7C15U;

std::uint64_t term_of(std::size_t k, std::uint64_t word) { return hash64(word + k * stride); }

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + AmgFileLayout::alignment - 1) / AmgFileLayout::alignment * AmgFileLayout::alignment;
}

}  // namespace

AmgFileLayout layout_of(const AmgFileHeader& header) {
  AmgFileLayout layout{.end = sizeof(AmgFileHeader)};
  const auto append = [&](std::int64_t count, std::size_t bytes) {
    const AmgFilePart part{layout.end, static_cast<std::size_t>(count) * bytes};
    layout.end = aligned(part.begin + part.size);
    return part;
  };
  if (header.kind == AmgFileHeader::matrix_kind) {
    layout.row_offsets = append(header.rows + 1, header.offset_bytes);
    layout.col_indices = append(header.entries, header.has_wide_columns() ? sizeof(std::int64_t) : sizeof(Index));
  }
  layout.values = append(header.entries, header.value_bytes);
  return layout;
}

std::uint64_t checksum_of_words(Context<Host>& ctx, std::size_t first, std::string_view bytes) {
  const auto term = [&](std::size_t k, std::size_t size) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + k * word_bytes, size);
    return term_of(first + k, word);
  };
  const std::size_t whole_words = bytes.size() / word_bytes;
  const std::size_t rest = bytes.size() % word_bytes;
  const std::uint64_t sum = parallel_reduce(
      ctx, static_cast<std::int64_t>(whole_words), std::uint64_t{0},
      [&](std::int64_t begin, std::int64_t end) {
        std::uint64_t part = 0;
        for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
          part += term(k, word_bytes);
        }
        return part;
      },
      [](std::uint64_t a, std::uint64_t b) { return a + b; });
  return rest == 0 ? sum : sum + term(whole_words, rest);
}

std::uint64_t checksum_of_header(Context<Host>& ctx, const AmgFileHeader& header) {
  AmgFileHeader without_checksum = header;
  without_checksum.checksum = 0;
  return checksum_of_words(ctx, 0, {reinterpret_cast<const char*>(&without_checksum), sizeof(without_checksum)});
}

std::uint64_t checksum_of_filling(AmgFilePart array) {
  const std::size_t end = array.begin + array.size;
  std::uint64_t sum = 0;
  for (std::size_t k = (end + word_bytes - 1) / word_bytes; k < aligned(end) / word_bytes; ++k) {
    sum += term_of(k, 0);
  }
  return sum;
}

}  // namespace amgsolve
