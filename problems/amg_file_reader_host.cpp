#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/input_file.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"
#include "core/timer.hpp"
#include "problems/amg_file.hpp"
#include "problems/amg_file_layout.hpp"
#include "problems/binary_input.hpp"
#include "problems/sorted_matrix.hpp"
#include "problems/vector_file.hpp"
#include "problems/vectors_of_host.hpp"

namespace amgsolve {
namespace {

void require_size(const std::string& name, std::int64_t size, std::string_view what, std::int64_t most) {
  if (size < 0 || size > most) {
    refuse_file(name, format_text("its header says {} {}; 0 to {} are possible", size, what, most));
  }
}

constexpr std::int64_t most_rows = std::numeric_limits<Index>::max();  // of what one reader has
constexpr std::int64_t most_entries = std::int64_t{1} << 56;

/// The header of a file that is as long as it says. Reads nothing else.
/// @param most  rows and columns that a matrix may have
AmgFileHeader header_of(std::string_view bytes, const std::string& name, std::int64_t most) {
  AmgFileHeader header;
  if (bytes.size() < sizeof(header)) {
    refuse_file(name, format_text("the file ends in its header, after {}", format_count(std::ssize(bytes), "byte")));
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.version != AmgFileHeader::known_version) {
    refuse_file(name, format_text("version {} of amgsolve's files; this amgsolve reads version {}", header.version,
                                  AmgFileHeader::known_version));
  }
  const bool is_matrix = header.kind == AmgFileHeader::matrix_kind;
  if (!is_matrix && header.kind != AmgFileHeader::vectors_kind) {
    refuse_file(name, format_text("its header says kind {}; 1, a matrix, and 2, vectors, are known", header.kind));
  }
  require_size(name, header.rows, "rows", is_matrix ? most : most_entries);
  require_size(name, header.columns, "columns", is_matrix ? most : most_rows);
  require_size(name, header.entries, "entries", most_entries);
  const bool has_offsets = header.offset_bytes == 4 || header.offset_bytes == 8;
  if (has_offsets != is_matrix || (!is_matrix && header.offset_bytes != 0)) {
    refuse_file(name, format_text("its header says row offsets of {}", format_count(header.offset_bytes, "byte")));
  }
  if (header.value_bytes != 4 && header.value_bytes != 8) {
    refuse_file(name, format_text("its header says values of {}; 4 or 8 are possible",
                                  format_count(header.value_bytes, "byte")));
  }
  const bool overflows = header.columns > 0 && header.rows > most_entries / header.columns;
  if (!is_matrix && (overflows || header.entries != header.rows * header.columns)) {
    refuse_file(name,
                format_text("its header says {} entries of {} x {}", header.entries, header.rows, header.columns));
  }
  const std::size_t end = layout_of(header).end;
  if (bytes.size() != end || header.file_bytes != end) {
    refuse_file(name,
                format_text("the file has {}, and its header says {}", format_count(std::ssize(bytes), "byte"), end));
  }
  return header;
}

AmgFileHeader matrix_header(std::string_view bytes, const std::string& name, std::int64_t most = most_rows) {
  const AmgFileHeader header = header_of(bytes, name, most);
  if (header.kind != AmgFileHeader::matrix_kind) {
    refuse_file(name, "the file holds vectors; a matrix is wanted");
  }
  return header;
}

void require_checksum(Context<Host>& ctx, const AmgFileHeader& header, std::string_view bytes,
                      const std::string& name) {
  const std::uint64_t checksum =
      checksum_of_header(ctx, header) +
      checksum_of_words(ctx, sizeof(header) / sizeof(std::uint64_t), bytes.substr(sizeof(header)));
  if (checksum != header.checksum) {
    refuse_file(name,
                format_text("the file is damaged: its bytes have the checksum {:016x}, and its header says {:016x}",
                            checksum, header.checksum));
  }
}

std::string_view part_of(std::string_view bytes, AmgFilePart part) { return bytes.substr(part.begin, part.size); }

/// Calls work(V()) with the first type where `is_first`, else with the second.
template <class First, class Second, class Work>
auto with_either(bool is_first, const Work& work) {
  return is_first ? work(First{}) : work(Second{});
}

template <class V, class To>
void copy_numbers(Context<Host>& ctx, std::string_view bytes, Buffer<To, Host>& to, std::int64_t first = 0) {
  parallel_for(ctx, static_cast<std::int64_t>(to.size()), [&](std::int64_t k) {
    to[static_cast<std::size_t>(k)] = static_cast<To>(number_at<V>(bytes, first + k));
  });
}

MatrixSize amg_file_size(std::string_view bytes, const std::string& name) {
  const AmgFileHeader header = matrix_header(bytes, name);
  return {.rows = static_cast<Index>(header.rows), .nnz = header.entries};
}

CsrMatrix<double, Host> parse_amg_file(Context<Host>& ctx, std::string_view bytes, const std::string& name,
                                       std::vector<std::string>& warnings) {
  const ScopedTimer timer(ctx, "parse");
  const AmgFileHeader header = matrix_header(bytes, name);
  require_checksum(ctx, header, bytes, name);
  const AmgFileLayout layout = layout_of(header);
  CsrMatrix<double, Host> A(ctx, static_cast<Index>(header.rows), static_cast<Index>(header.columns), header.entries);
  with_either<std::int32_t, std::int64_t>(header.offset_bytes == 4, [&](auto type) {
    copy_numbers<decltype(type)>(ctx, part_of(bytes, layout.row_offsets), A.row_offsets);
  });
  require_row_offsets(ctx, A, name);
  copy_numbers<std::int32_t>(ctx, part_of(bytes, layout.col_indices), A.col_indices);
  with_either<float, double>(header.value_bytes == 4, [&](auto type) {
    copy_numbers<decltype(type)>(ctx, part_of(bytes, layout.values), A.values);
  });
  return sorted_matrix(ctx, std::move(A), name, warnings);
}

/// See FilePart. A pass over the reader's part of the file, which goes from one multiple of 64 bytes to another.
std::uint64_t difference_of(Context<Host>& ctx, const AmgFileHeader& header, std::string_view bytes,
                            const PartReader& reader) {
  constexpr std::size_t unit = AmgFileLayout::alignment;
  const auto begin_of = [&](int part) {
    const std::size_t units = bytes.size() / unit * static_cast<std::size_t>(part);
    return std::max(units / static_cast<std::size_t>(reader.parts) * unit, sizeof(AmgFileHeader));
  };
  const std::size_t begin = begin_of(reader.part);
  const std::uint64_t of_header = reader.part == 0 ? checksum_of_header(ctx, header) - header.checksum : 0;
  return of_header +
         checksum_of_words(ctx, begin / sizeof(std::uint64_t), bytes.substr(begin, begin_of(reader.part + 1) - begin));
}

FilePart<MatrixPart> read_amg_file_part(Context<Host>& ctx, const std::filesystem::path& path,
                                        const PartReader& reader) {
  const MappedFile file = InputFile(path).map(false);
  const std::string_view bytes = file.bytes();
  const AmgFileHeader header = matrix_header(bytes, path.string(), most_entries);
  const AmgFileLayout layout = layout_of(header);
  const auto copy_offsets = [&](std::int64_t first, Buffer<Offset, Host>& to) {
    with_either<std::int32_t, std::int64_t>(header.offset_bytes == 4, [&](auto type) {
      copy_numbers<decltype(type)>(ctx, part_of(bytes, layout.row_offsets), to, first);
    });
  };
  const auto copy_columns = [&](Offset first, Buffer<std::int64_t, Host>& to) {
    with_either<std::int32_t, std::int64_t>(!header.has_wide_columns(), [&](auto type) {
      copy_numbers<decltype(type)>(ctx, part_of(bytes, layout.col_indices), to, first);
    });
  };
  const auto copy_values = [&](Offset first, Buffer<double, Host>& to) {
    with_either<float, double>(header.value_bytes == 4, [&](auto type) {
      copy_numbers<decltype(type)>(ctx, part_of(bytes, layout.values), to, first);
    });
  };
  const StoredRows stored{header.rows, header.columns, header.entries, copy_offsets, copy_columns, copy_values};
  return {rows_in_order(ctx, stored, reader.rows(header.rows)), difference_of(ctx, header, bytes, reader)};
}

/// Rows of the vectors in a file, from row `first` on.
template <class T>
MultiVector<T, Host> vectors_from(Context<Host>& ctx, const AmgFileHeader& header, std::string_view bytes,
                                  const std::string& name, RowRange rows) {
  const std::string_view values = part_of(bytes, layout_of(header).values);
  return with_either<float, double>(header.value_bytes == 4, [&](auto type) {
    return vectors_of<T>(ctx, static_cast<Index>(rows.count()), static_cast<Index>(header.columns), name,
                         [&](std::int64_t i, std::int64_t j) {
                           return number_at<decltype(type)>(values, (rows.first + i) * header.columns + j);
                         });
  });
}

AmgFileHeader vectors_header(std::string_view bytes, const std::string& name) {
  const AmgFileHeader header = header_of(bytes, name, most_rows);
  if (header.kind != AmgFileHeader::vectors_kind) {
    refuse_file(name, "the file holds a matrix; vectors are wanted");
  }
  return header;
}

}  // namespace

MatrixFormat amg_file_format() {
  return {.name = "amgsolve binary",
          .recognises = is_amg_file,
          .size = amg_file_size,
          .parse = parse_amg_file,
          .read_part = read_amg_file_part};
}

bool is_amg_file_of_vectors(std::string_view bytes) {
  AmgFileHeader header;
  if (!is_amg_file(bytes) || bytes.size() < sizeof(header)) {
    return false;
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  return header.kind == AmgFileHeader::vectors_kind;
}

template <class T>
MultiVector<T, Host> parse_amg_file_vectors(Context<Host>& ctx, std::string_view bytes, const std::string& name,
                                            std::optional<Index> rows) {
  const ScopedTimer timer(ctx, "parse");
  const AmgFileHeader header = vectors_header(bytes, name);
  require_size(name, header.rows, "rows", most_rows);
  require_rows(name, header.rows, rows);
  require_checksum(ctx, header, bytes, name);
  return vectors_from<T>(ctx, header, bytes, name, {0, header.rows});
}

template <class T>
FilePart<MultiVector<T, Host>> read_part_of_amg_file_vectors(Context<Host>& ctx, const std::filesystem::path& path,
                                                             const PartReader& reader) {
  const MappedFile file = InputFile(path).map(false);
  const std::string name = path.string();
  const AmgFileHeader header = vectors_header(file.bytes(), name);
  return {vectors_from<T>(ctx, header, file.bytes(), name, reader.rows(header.rows)),
          difference_of(ctx, header, file.bytes(), reader)};
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                              \
  template MultiVector<T, S> parse_amg_file_vectors(Context<S>&, std::string_view, const std::string&,          \
                                                    std::optional<Index>);                                      \
  template FilePart<MultiVector<T, S>> read_part_of_amg_file_vectors(Context<S>&, const std::filesystem::path&, \
                                                                     const PartReader&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
