#include "problems/vector_file.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/input_file.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "problems/amg_file.hpp"
#include "problems/amg_file_layout.hpp"
#include "problems/hdf5.hpp"
#include "problems/matrix_market.hpp"
#include "problems/matrix_market_header.hpp"
#include "problems/numpy.hpp"
#include "problems/petsc.hpp"

namespace amgsolve {

template <class T>
MultiVector<T, Host> read_vectors(Context<Host>& ctx, const std::filesystem::path& path,
                                  std::vector<std::string>* warnings, std::optional<Index> rows) {
  const ScopedTimer timer(ctx, "read");
  return parse_vector_file<T>(ctx, TextFile(ctx, path), warnings, rows);
}

template <class T>
MultiVector<T, Host> parse_vector_file(Context<Host>& ctx, const TextFile& file, std::vector<std::string>* warnings,
                                       std::optional<Index> rows) {
  if (is_numpy(file.text())) {
    MultiVector<T, Host> x = parse_numpy<T>(ctx, file.text(), file.path());
    require_rows(file.path(), x.rows(), rows);
    return x;
  }
  if (is_petsc(file.text())) {
    return parse_petsc_vector<T>(ctx, file.text(), file.path(), rows);
  }
  if (is_hdf5(file.text())) {
    return parse_hdf5_vectors<T>(ctx, file.text(), file.path(), rows);
  }
  if (is_amg_file(file.text())) {
    return parse_amg_file_vectors<T>(ctx, file.text(), file.path(), rows);
  }
  MatrixMarketNotes notes;
  MultiVector<T, Host> x = parse_vectors<T>(ctx, file.text(), file.path(), &notes, rows);
  if (warnings != nullptr) {
    std::ranges::move(describe(notes, file.path()), std::back_inserter(*warnings));
  }
  return x;
}

template <class T>
FilePart<MultiVector<T, Host>> read_part_of_vectors(Context<Host>& ctx, const std::filesystem::path& path,
                                                    const PartReader& reader) {
  std::array<char, 16> room{};
  const std::size_t size = InputFile(path).read_at(0, {room.data(), room.size()});
  const std::string_view begin(room.data(), size);
  if (is_numpy(begin)) {
    return read_part_of_numpy<T>(ctx, path, reader);
  }
  if (is_petsc(begin)) {
    return read_part_of_petsc_vector<T>(ctx, path, reader);
  }
  return is_amg_file(begin) ? read_part_of_amg_file_vectors<T>(ctx, path, reader) : FilePart<MultiVector<T, Host>>();
}

bool holds_vectors(const TextFile& file) {
  const std::string_view text = file.text();
  const auto is_matrix_market_of_vectors = [&] {
    if (!is_matrix_market(text)) {
      return false;
    }
    const MatrixMarketHeader header = parse_matrix_market_header(text, file.path());
    return header.format == MatrixMarketFormat::array || (header.rows > 1 && header.cols == 1);
  };
  return (is_hdf5(text) && is_hdf5_of_vectors(text, file.path())) || is_numpy(text) || is_petsc_vector(text) ||
         is_amg_file_of_vectors(text) || is_matrix_market_of_vectors();
}

void require_rows(const std::string& name, std::int64_t rows, std::optional<std::int64_t> wanted) {
  if (wanted && rows != *wanted) {
    throw InputError(format_text("{}: vectors of {} for a matrix of {}", name, format_count(rows, "row"),
                                 format_count(*wanted, "row")));
  }
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                              \
  template MultiVector<T, S> read_vectors(Context<S>&, const std::filesystem::path&, std::vector<std::string>*, \
                                          std::optional<Index>);                                                \
  template MultiVector<T, S> parse_vector_file(Context<S>&, const TextFile&, std::vector<std::string>*,         \
                                               std::optional<Index>);                                           \
  template FilePart<MultiVector<T, S>> read_part_of_vectors(Context<S>&, const std::filesystem::path&,          \
                                                            const PartReader&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
