#include "src/application/shared_matrix.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/collectively.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/input_file.hpp"
#include "core/parallel_host.hpp"
#include "core/reduction.hpp"
#include "core/timer.hpp"
#include "dist/local_matrix.hpp"
#include "problems/file_part.hpp"
#include "problems/line_blocks.hpp"
#include "problems/matrix_formats.hpp"
#include "problems/matrix_market.hpp"
#include "problems/matrix_market_entries.hpp"
#include "problems/matrix_market_header.hpp"
#include "problems/triplets.hpp"
#include "src/application/read_in_parts.hpp"
#include "src/application/shared_lines.hpp"

namespace amgsolve {
namespace {

void require_square(const std::string& path, std::int64_t rows, std::int64_t cols) {
  if (rows != cols) {
    throw InputError(format_text("{}: the matrix is not square: {} x {}", path, rows, cols));
  }
}

/// Of what ranks have found or not, the first in the file; nothing where none has.
std::optional<Offset> first_of(const Communicator& ranks, std::optional<Offset> own) {
  constexpr Offset none = std::numeric_limits<Offset>::max();
  const Offset first = -ranks.max(-own.value_or(none));
  return first == none ? std::nullopt : std::optional(first);
}

/// Reads a coordinate file together with the other ranks.
class SharedReader {
 public:
  SharedReader(Context<Host>& ctx, const std::string& path)
      : ctx_(ctx), ranks_(ctx.communicator()), path_(path), file_(ctx, path) {}

  /// Whether the file is one to be read together. Throws what is wrong with its header.
  bool begin() {
    return file_.begin([&](const MatrixMarketHeader& header) {
      if (header.format != MatrixMarketFormat::coordinate) {
        return false;
      }
      refuse_empty_rows(header, path_);
      require_square(path_, header.rows, header.cols);
      return true;
    });
  }

  /// The rows of this rank.
  GlobalRows<double, Host> read(std::vector<std::string>& warnings) {
    file_.load();
    const MatrixMarketHeader& header = file_.header();
    const LineBlocks& lines = file_.lines();
    CoordinateEntries<Entries> entries;
    MatrixMarketNotes notes;
    {
      const ScopedTimer timer(ctx_, "parse");
      collectively(ranks_, [&] { entries = take_entries<Entries>(ctx_, lines, file_.wanted(), header, path_); });
      file_.check(entries.wrong);
      const UpperEntries upper = mirror(ctx_, lines, header, entries);
      notes.upper_entries = ranks_.sum(upper.count);
      notes.first_upper_line =
          first_of(ranks_, upper.count > 0 ? std::optional(upper.first_line) : std::nullopt).value_or(0);
    }
    const RowRange rows = shared_rows(ranks_, header.rows);
    checked_index(ranks_.max(rows.count()), "rows of a rank");
    const Partition partition(ranks_, rows.count());
    OwnEntries<double> own;
    OwnEntries<double> images;
    {
      const ScopedTimer timer(ctx_, "distribute");
      own = distribute_entries(ctx_, partition, entries_between(entries.triplets, 0, entries.of_file));
      images = distribute_entries(ctx_, partition, entries_between(entries.triplets, entries.of_file, entries.count));
    }
    // Rows alone tell of which line a duplicate is.
    entries.triplets.col_indices = {};
    entries.triplets.values = {};
    const ScopedTimer timer(ctx_, "sort");
    const std::vector<Offset> first = std::move(own.first);
    GlobalRows<double, Host> A;
    DuplicateEntries duplicates;
    collectively(ranks_, [&] { A = assemble_rows(ctx_, partition, std::move(own), std::move(images), duplicates); });
    notes.duplicates = ranks_.sum(duplicates.entries);
    if (notes.duplicates > 0) {
      notes.first_duplicate_line = line_of_first(duplicates, first, partition, entries, lines);
    }
    std::ranges::move(describe(notes, path_), std::back_inserter(warnings));
    return A;
  }

  /// That each of `ranks` takes at most in read(), where all have as many entries.
  double bytes(int ranks) const {
    const MatrixMarketHeader& header = file_.header();
    const bool has_images = header.symmetry != MatrixMarketSymmetry::general;
    const double rows = static_cast<double>(header.rows) / ranks;
    const double records = static_cast<double>(header.entries) / ranks;
    const double images = has_images ? std::max(records - rows, 0.0) : 0.0;
    const double entries = records + images;
    const double room = has_images ? 2.0 * records : records;
    // Of an entry: as it is parsed, as it is sent, and what of that is sent and received at a time.
    constexpr double row = sizeof(std::int64_t);
    constexpr double parsed = row + sizeof(std::int64_t) + sizeof(double);
    constexpr double sent = sizeof(Index) + sizeof(std::int64_t) + sizeof(double);
    constexpr double on_its_way = sent + sizeof(double);
    const double distributed = parsed * room + std::max(on_its_way * records, sent * records + on_its_way * images);
    // Then as triplets, in 64 bits a column and without columns as they came, or with the matrix and what it is sorted
    // by: each thread counts all rows, as far as that takes no more than the entries.
    constexpr double triplet = 2.0 * sizeof(Index) + sizeof(double);
    constexpr double joined = triplet + sizeof(std::int64_t) + sizeof(Index) + sizeof(double);
    constexpr double sorted = triplet + sizeof(Index) + sizeof(double);
    const double counts = 2.0 * rows + std::min(entries, rows * ctx_.threads());
    const double in_place = std::max(joined * entries, sorted * entries + sizeof(Offset) * counts);
    return file_.body_bytes() / ranks + std::max(distributed, row * room + in_place);
  }

 private:
  using Entries = GlobalEntries<double, Host>;

  /// The line of the first duplicate in the file, of those that ranks have found among their own entries.
  Offset line_of_first(const DuplicateEntries& found, const std::vector<Offset>& first, const Partition& partition,
                       const CoordinateEntries<Entries>& entries, const LineBlocks& lines) const {
    // By its place among those that the rank it comes from has sent here.
    std::array<Offset, 2> origin{-1, 0};
    if (found.entries > 0) {
      const auto after = std::ranges::upper_bound(first, found.first_entry);
      origin = {std::distance(first.begin(), after) - 1, found.first_entry - *std::prev(after)};
    }
    const std::vector<std::array<Offset, 2>> origins = ranks_.all_gather(origin);
    std::vector<Offset> sent(origins.size());
    std::optional<Offset> line;
    for (Offset e = 0; e < entries.of_file && !line; ++e) {
      const auto owner =
          static_cast<std::size_t>(partition.owner(entries.triplets.row_indices[static_cast<std::size_t>(e)]));
      if (origins[owner][0] == ranks_.rank() && origins[owner][1] == sent[owner]) {
        line = line_of_record(lines, lines.first_record + e);
      }
      ++sent[owner];
    }
    return first_of(ranks_, line).value_or(0);
  }

  Context<Host>& ctx_;
  const Communicator& ranks_;
  const std::string& path_;
  SharedLines file_;
};

/// Rows as a rank has them.
double bytes_of_rows(double rows, double nnz) {
  return sizeof(Offset) * rows + (sizeof(std::int64_t) + sizeof(double)) * nnz;
}

/// That each rank takes at most which reads its rows alone: with an array as the file has it.
double bytes_to_read_own_rows(double rows, double nnz, int ranks) {
  return (bytes_of_rows(rows, nnz) + sizeof(double) * nnz) / ranks;
}

/// That each rank takes at most which reads the whole file and has its rows of that.
double bytes_to_read_whole(double alone, double rows, double nnz, int ranks) {
  const double whole = sizeof(Offset) * rows + (sizeof(Index) + sizeof(double)) * nnz;
  return std::max(alone, whole + bytes_of_rows(rows, nnz) / ranks);
}

/// The rows of A from `rows.first` on.
GlobalRows<double, Host> strip_of(Context<Host>& ctx, const CsrMatrix<double, Host>& A, RowRange rows) {
  const Offset* const offsets = A.row_offsets.data() + rows.first;
  const Offset begin = offsets[0];
  const auto nnz = static_cast<std::size_t>(offsets[rows.count()] - begin);
  GlobalRows<double, Host> strip{Buffer<Offset, Host>(ctx, static_cast<std::size_t>(rows.count()) + 1),
                                 Buffer<std::int64_t, Host>(ctx, nnz), Buffer<double, Host>(ctx, nnz)};
  std::transform(offsets, offsets + rows.count() + 1, strip.row_offsets.data(),
                 [begin](Offset offset) { return offset - begin; });
  std::copy_n(A.col_indices.data() + begin, nnz, strip.col_indices.data());
  std::copy_n(A.values.data() + begin, nnz, strip.values.data());
  return strip;
}

/// The format of a plain file, by its first bytes.
const MatrixFormat& format_of_file(const std::string& path) {
  std::array<char, 64> room{};
  const std::size_t size = InputFile(path).read_at(0, {room.data(), room.size()});
  return format_of({room.data(), size});
}

/// This rank's rows of a file whose format lets ranks read parts, or nothing on all ranks.
std::optional<MatrixPart> read_own_rows(Context<Host>& ctx, const std::string& path) {
  const Communicator& ranks = ctx.communicator();
  return read_in_parts(ctx, path, [&] {
    const MatrixFormat& format = format_of_file(path);
    FilePart<MatrixPart> part;
    if (format.read_part != nullptr) {
      std::int64_t all_rows = 0;
      part = format.read_part(ctx, path, {ranks.rank(), ranks.size(), [&](std::int64_t rows) {
                                            all_rows = rows;
                                            return shared_rows(ranks, rows);
                                          }});
      if (part.rows && part.rows->cols != all_rows) {
        part = {};
      }
    }
    return part;
  });
}

}  // namespace

RowRange shared_rows(const Communicator& ranks, std::int64_t rows) {
  constexpr std::int64_t many_blocks = 16;
  const std::int64_t size = ranks.size();
  // Nodes may have so many unknowns, or any number that divides them.
  const std::int64_t node = std::gcd(rows, std::int64_t{12});
  std::int64_t unit = std::lcm(reduction_block, node);
  for (const std::int64_t smaller : {node, std::int64_t{1}}) {
    unit = rows / unit >= many_blocks * size ? unit : smaller;
  }
  const auto first = [&](std::int64_t rank) { return rank < size ? rows / unit * rank / size * unit : rows; };
  return {first(ranks.rank()), first(ranks.rank() + 1)};
}

GlobalRows<double, Host> shared_rows_of(Context<Host>& ctx, const CsrMatrix<double, Host>& A) {
  return strip_of(ctx, A, shared_rows(ctx.communicator(), A.rows));
}

GlobalRows<double, Host> assemble_rows(Context<Host>& ctx, const Partition& partition, OwnEntries<double> own,
                                       OwnEntries<double> images, DuplicateEntries& duplicates) {
  const int rank = ctx.communicator().rank();
  const std::int64_t first = partition.first(rank);
  const auto rows = static_cast<Index>(partition.rows(rank));
  const Offset of_file = own.nnz();
  const auto join = [](const auto& first_ones, const auto& others, auto& to) {
    std::ranges::copy(others.span(), std::ranges::copy(first_ones.span(), to.data()).out);
  };
  Buffer<std::int64_t, Host> columns(ctx, own.col_indices.size() + images.col_indices.size());
  join(own.col_indices, images.col_indices, columns);
  own.col_indices = {};
  images.col_indices = {};
  CooMatrix<double, Host> all(ctx, rows, 0, of_file + images.nnz());
  join(own.row_indices, images.row_indices, all.row_indices);
  join(own.values, images.values, all.values);
  own = {};
  images = {};

  // Where 32 bits do not count all columns, those are counted that there are entries in, in the same order.
  Buffer<std::int64_t, Host> ghosts;
  WindowColumns window{};
  if (partition.rows() <= max_index) {
    window.own_rows = static_cast<Index>(partition.rows());
  } else {
    ghosts = foreign_rows<std::int64_t, Host>(ctx, std::as_const(columns).span(), partition).rows;
    const auto below =
        std::distance(ghosts.data(), std::lower_bound(ghosts.data(), ghosts.data() + ghosts.size(), first));
    const std::ptrdiff_t count = std::ssize(ghosts.span());
    checked_index(rows + count, "columns that the rows of a rank have entries in");
    window = {first, static_cast<Index>(below), rows, ghosts.data(), static_cast<Index>(count)};
  }
  all.cols = window.own_rows + window.ghost_count;
  parallel_for(ctx, all.nnz(),
               [&](std::int64_t e) { all.col_indices.data()[e] = window.column_of(columns.data()[e]); });
  columns = {};
  CsrMatrix<double, Host> A = assemble(ctx, all, of_file, duplicates);
  all = {};
  GlobalRows<double, Host> result{std::move(A.row_offsets), Buffer<std::int64_t, Host>(ctx, A.col_indices.size()),
                                  std::move(A.values)};
  parallel_for(ctx, result.nnz(),
               [&](std::int64_t e) { result.col_indices.data()[e] = window.row_of(A.col_indices.data()[e]); });
  return result;
}

double bytes_to_read_shared(Context<Host>& ctx, const std::filesystem::path& path, double alone, double rows,
                            double nnz, int ranks) {
  const std::string name = path.string();
  if (SharedReader reader(ctx, name); reader.begin()) {
    return reader.bytes(ranks);
  }
  const MatrixFormat& format = format_of_file(name);
  const bool is_in_parts = format.read_part != nullptr && !format.size(InputFile(path).map().bytes(), name).is_sorted;
  return is_in_parts ? bytes_to_read_own_rows(rows, nnz, ranks) : bytes_to_read_whole(alone, rows, nnz, ranks);
}

GlobalRows<double, Host> read_shared_matrix(Context<Host>& ctx, const std::filesystem::path& path,
                                            std::vector<std::string>& warnings, double& bytes_expected) {
  const Communicator& ranks = ctx.communicator();
  const std::string name = path.string();
  {
    const ScopedTimer timer(ctx, "read");
    if (SharedReader reader(ctx, name); reader.begin()) {
      note_reading(ctx, path, true);
      bytes_expected = reader.bytes(ranks.size());
      return reader.read(warnings);
    }
    if (auto own_rows = read_own_rows(ctx, name)) {
      const auto rows = static_cast<double>(ranks.sum(std::int64_t{own_rows->A.rows()}));
      bytes_expected = bytes_to_read_own_rows(rows, static_cast<double>(ranks.sum(own_rows->A.nnz())), ranks.size());
      return std::move(own_rows->A);
    }
  }
  GlobalRows<double, Host> strip;
  all_alike(ranks, [&] {
    CsrMatrix<double, Host> A;
    {
      const Context<Host>::Alone alone(ctx);
      const MatrixFile file(ctx, path);
      bytes_expected = file.bytes_to_read(ctx);
      A = file.parse(ctx, warnings);
    }
    require_square(name, A.rows, A.cols);
    bytes_expected = bytes_to_read_whole(bytes_expected, A.rows, static_cast<double>(A.nnz()), ranks.size());
    strip = shared_rows_of(ctx, A);
  });
  return strip;
}

}  // namespace amgsolve
