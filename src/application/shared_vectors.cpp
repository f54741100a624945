#include "src/application/shared_vectors.hpp"

#include <string>

#include "core/collectively.hpp"
#include "core/parallel_host.hpp"
#include "core/timer.hpp"
#include "dist/distribute_entries.hpp"
#include "problems/file_part.hpp"
#include "problems/vector_file.hpp"
#include "src/application/read_in_parts.hpp"
#include "src/application/shared_lines.hpp"

namespace amgsolve {
namespace {

/// The numbers of this rank's lines of an array file, which go column by column, as entries of a matrix.
GlobalEntries<double, Host> entries_of(Context<Host>& ctx, const SharedLines& file, const std::string& path) {
  const MatrixMarketHeader& header = file.header();
  const Offset first = file.lines().first_record;
  GlobalEntries<double, Host> entries;
  WrongRecords wrong;
  collectively(ctx.communicator(), [&] {
    entries = GlobalEntries<double, Host>(ctx, header.rows, header.cols, file.wanted());
    wrong = take_values<double>(ctx, file.lines(), header, path, entries.values);
    parallel_for(ctx, entries.nnz(), [&](std::int64_t e) {
      entries.row_indices.data()[e] = (first + e) % header.rows;
      entries.col_indices.data()[e] = (first + e) / header.rows;
    });
  });
  file.check(wrong);
  return entries;
}

std::optional<MultiVector<double, Host>> read_shared_array(Context<Host>& ctx, const std::filesystem::path& path,
                                                           const Partition& partition) {
  const std::string name = path.string();
  SharedLines file(ctx, name);
  const bool is_array = file.begin([&](const MatrixMarketHeader& header) {
    const bool is_plain = header.format == MatrixMarketFormat::array &&
                          header.symmetry == MatrixMarketSymmetry::general && header.cols > 0;
    if (is_plain) {
      require_rows(name, header.rows, partition.rows());
    }
    return is_plain;
  });
  if (!is_array) {
    return {};
  }
  note_reading(ctx, path, true);
  file.load();
  GlobalEntries<double, Host> entries;
  {
    const ScopedTimer timer(ctx, "parse");
    entries = entries_of(ctx, file, name);
  }
  const ScopedTimer timer(ctx, "distribute");
  const OwnEntries<double> own = distribute_entries(ctx, partition, entries);
  const std::int64_t cols = file.header().cols;
  MultiVector<double, Host> x;
  collectively(ctx.communicator(), [&] {
    const std::int64_t rows = partition.rows(ctx.communicator().rank());
    x = MultiVector<double, Host>(ctx, checked_index(rows, "rows of a rank"),
                                  checked_index(cols, "columns of vectors"));
    parallel_for(ctx, own.nnz(), [&](std::int64_t e) {
      x.data()[own.row_indices.data()[e] * cols + own.col_indices.data()[e]] = own.values.data()[e];
    });
  });
  return x;
}

}  // namespace

std::optional<MultiVector<double, Host>> read_shared_vectors(Context<Host>& ctx, const std::filesystem::path& path,
                                                             const Partition& partition) {
  if (auto x = read_shared_array(ctx, path, partition)) {
    return x;
  }
  const Communicator& ranks = ctx.communicator();
  return read_in_parts(ctx, path, [&] {
    const auto own_rows = [&](std::int64_t rows) {
      require_rows(path.string(), rows, partition.rows());
      return RowRange{partition.first(ranks.rank()), partition.end(ranks.rank())};
    };
    return read_part_of_vectors<double>(ctx, path, {ranks.rank(), ranks.size(), own_rows});
  });
}

}  // namespace amgsolve
