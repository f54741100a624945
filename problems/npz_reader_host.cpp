#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/parallel_host.hpp"
#include "core/timer.hpp"
#include "problems/binary_input.hpp"
#include "problems/npz.hpp"
#include "problems/numpy_header.hpp"
#include "problems/sorted_matrix.hpp"
#include "problems/zip_archive.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {
namespace {

/// An array of the archive.
class Array {
 public:
  Array(Context<Host>& ctx, const ZipArchive& archive, const std::string& member, const std::string& file)
      : name_(format_text("{}: {}", file, member)),
        bytes_(archive.read(ctx, member + ".npy")),
        header_(parse_numpy_header(bytes_.text(), name_)) {}

  /// `count` of its numbers, from number `first` on, where they are `all`.
  Array(Context<Host>& ctx, const ZipArchive& archive, const std::string& member, const std::string& file,
        std::int64_t all, std::int64_t first, std::int64_t count)
      : name_(format_text("{}: {}", file, member)),
        bytes_(archive.read(ctx, member + ".npy", longest_header)),
        header_(parse_numpy_header(bytes_.text(), name_)) {
    const std::size_t header_bytes = bytes_.text().size() - header_.values.size();
    const std::size_t number = header_.value_bytes();
    const std::size_t wanted = static_cast<std::size_t>(count) * number;
    if (header_.shape != std::vector{all} ||
        archive.size(member + ".npy") != header_bytes + static_cast<std::size_t>(all) * number) {
      refuse_file(name_, format_text("it has not the size of {}", format_count(all, "number")));
    }
    bytes_ =
        archive.read_between(ctx, member + ".npy", header_bytes + static_cast<std::size_t>(first) * number, wanted);
    header_.values = bytes_.text();
    if (header_.values.size() != wanted) {
      refuse_file(name_, "it ends early");
    }
  }

  static constexpr std::size_t longest_header = 4096;

  const std::string& name() const { return name_; }
  const std::string& type() const { return header_.type; }
  std::string_view bytes() const { return header_.values; }

  /// Its length, as of a vector of that type's numbers.
  std::int64_t size() const {
    if (header_.shape.size() != 1) {
      refuse_file(name_,
                  format_text("an array of {}; 1 is wanted", format_count(std::ssize(header_.shape), "dimension")));
    }
    check_size(header_, name_);
    return header_.shape[0];
  }

  void require_size(std::int64_t wanted, std::string_view what) const {
    if (size() != wanted) {
      refuse_file(name_, format_text("{} for {} {}", format_count(size(), "number"), wanted, what));
    }
  }

 private:
  std::string name_;
  GrowingText bytes_;
  NumpyHeader header_;
};

template <class V, class To>
void copy_numbers(Context<Host>& ctx, const Array& from, Buffer<To, Host>& to) {
  parallel_for(ctx, static_cast<std::int64_t>(to.size()), [&](std::int64_t k) {
    const V number = number_at<V>(from.bytes(), k);
    To& result = to[static_cast<std::size_t>(k)];
    result = static_cast<To>(number);
    if constexpr (std::is_integral_v<To>) {
      // One that is no index is outside any matrix.
      result = static_cast<V>(result) == number ? result : To{-1};
    }
  });
}

/// Calls work(V()) with the type of integers in an array.
template <class Work>
void with_integers(const Array& array, const Work& work) {
  if (array.type() == "<i4") {
    work(std::int32_t{});
  } else if (array.type() == "<i8") {
    work(std::int64_t{});
  } else {
    refuse_file(array.name(), format_text("numbers of type '{}'; they must be little-endian int32 or int64",
                                          printable(array.type())));
  }
}

void copy_integers(Context<Host>& ctx, const Array& from, auto& to) {
  with_integers(from, [&](auto type) { copy_numbers<decltype(type)>(ctx, from, to); });
}

/// Throws InputError for an integer that no double is equal to.
void copy_values(Context<Host>& ctx, const Array& from, Buffer<double, Host>& to) {
  with_numbers_of(from.type(), from.name(), [&]<class V>(V) {
    const auto numbers = static_cast<std::int64_t>(to.size());
    const std::int64_t first = parallel_reduce(
        ctx, numbers, numbers,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t k = begin; k < end; ++k) {
            const V number = number_at<V>(from.bytes(), k);
            to[static_cast<std::size_t>(k)] = static_cast<double>(number);
            if (!is_double(number)) {
              return k;
            }
          }
          return numbers;
        },
        [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
    if (first < numbers) {
      refuse_file(from.name(), format_text("number {}, counted from 1, is {}", first + 1, no_double));
    }
  });
}

/// The archive of a matrix, and what it says of itself.
class SparseFile {
 public:
  SparseFile(Context<Host>& ctx, ZipArchive archive, const std::string& name)
      : ctx_(ctx), name_(name), archive_(std::move(archive)) {
    if (!archive_.has("format.npy") || !archive_.has("shape.npy")) {
      refuse_file(name_, "the archive has no sparse matrix, whose 'format' and 'shape' scipy.sparse.save_npz() writes");
    }
    const Array shape = array("shape");
    shape.require_size(2, "dimensions of a matrix");
    with_integers(shape, [&](auto type) {
      rows_ = number_at<decltype(type)>(shape.bytes(), 0);
      cols_ = number_at<decltype(type)>(shape.bytes(), 1);
    });
    for (const auto& [size, what] : {std::pair(rows_, "rows"), std::pair(cols_, "columns")}) {
      if (size < 0 || size > std::numeric_limits<std::int64_t>::max() / 2) {
        refuse_file(name_, format_text("{} {} of a matrix of SciPy's", size, what));
      }
    }
  }

  /// Throws InputError where what the headers say has no room in the archive, whose arrays themselves are not read.
  MatrixSize size() const {
    require_few();
    const Offset nnz = this->nnz();
    const std::string format = this->format();
    const bool is_csr = format == "csr";
    if (is_csr) {
      require_offsets();
    } else if (format == "csc" || format == "coo") {
      refuse_empty_rows(name_, rows_, nnz);
    }
    // One array of the archive at a time, or a copy of all, which long rows take to be sorted, too.
    const double scratch = is_csr ? (sizeof(Index) + sizeof(double)) * static_cast<double>(nnz) : triplet_bytes(nnz);
    return {.rows = static_cast<Index>(rows_), .nnz = nnz, .scratch = scratch, .is_sorted = !is_csr};
  }

  /// Those of a reader, of csr.
  std::optional<MatrixPart> rows_of(const PartReader& reader) const {
    if (format() != "csr") {
      return {};
    }
    require_offsets();
    const Offset nnz = this->nnz();
    const auto part = [&](const char* member, std::int64_t all, std::int64_t first, const auto& to) {
      return Array(ctx_, archive_, member, name_, all, first, static_cast<std::int64_t>(to.size()));
    };
    const StoredRows stored{
        rows_,
        cols_,
        nnz,
        [&](std::int64_t first, auto& to) { copy_integers(ctx_, part("indptr", rows_ + 1, first, to), to); },
        [&](Offset first, auto& to) { copy_integers(ctx_, part("indices", nnz, first, to), to); },
        [&](Offset first, auto& to) { copy_values(ctx_, part("data", nnz, first, to), to); },
    };
    return rows_in_order(ctx_, stored, reader.rows(rows_));
  }

  CsrMatrix<double, Host> matrix(std::vector<std::string>& warnings) const {
    require_few();
    const std::string format = this->format();
    const auto rows = static_cast<Index>(rows_);
    const auto cols = static_cast<Index>(cols_);
    if (format == "csr") {
      return compressed(rows, cols, name_, warnings);
    }
    if (format != "csc" && format != "coo") {
      refuse_file(name_, format_text("a matrix in SciPy's format '{}'; csr, csc and coo are read: save A.tocsr()",
                                     printable(format)));
    }
    refuse_empty_rows(name_, rows_, nnz());
    if (format == "csc") {
      return transpose(ctx_, compressed(cols, rows, name_ + " (csc, transposed)", warnings));
    }
    return triplets(warnings);
  }

 private:
  Offset nnz() const { return numbers_in("data"); }

  /// Of an array, as its header says.
  Offset numbers_in(const std::string& array) const {
    const std::string member = array + ".npy";
    const GrowingText begin = archive_.read(ctx_, member, Array::longest_header);
    const NumpyHeader header = parse_numpy_header(begin.text(), name_);
    const Offset numbers = header.shape.size() == 1 ? header.shape[0] : 0;
    if (static_cast<std::size_t>(numbers) > archive_.size(member)) {
      refuse_file(name_, format_text("{}: {} by its header, which the archive does not hold", array,
                                     format_count(numbers, "number")));
    }
    return numbers;
  }

  Array array(const std::string& member) const { return {ctx_, archive_, member, name_}; }

  /// For who reads the whole.
  void require_few() const {
    index_in_file(rows_, "rows", name_);
    index_in_file(cols_, "columns", name_);
  }

  /// Before there is memory for them, of csr.
  void require_offsets() const {
    const std::int64_t wanted = rows_ + 1;
    if (const Offset offsets = numbers_in("indptr"); offsets != wanted) {
      refuse_file(name_, format_text("indptr: {} for {} offsets of rows and their end", format_count(offsets, "number"),
                                     wanted));
    }
  }

  /// A word in ASCII, of which NumPy's strings take one byte or four a character.
  std::string format() const {
    const Array word = array("format");
    std::string format;
    std::ranges::copy_if(word.bytes(), std::back_inserter(format), [](char c) { return c != '\0'; });
    return format;
  }

  /// Row by row of csr, column by column of csc.
  CsrMatrix<double, Host> compressed(Index rows, Index cols, const std::string& name,
                                     std::vector<std::string>& warnings) const {
    const Array values = array("data");
    const Array offsets = array("indptr");
    offsets.require_size(std::int64_t{rows} + 1, "offsets of rows and their end");
    Offset entries = 0;  // behind which SciPy lets others stand
    with_integers(offsets, [&](auto type) { entries = number_at<decltype(type)>(offsets.bytes(), rows); });
    CsrMatrix<double, Host> A(ctx_, rows, cols, std::clamp(entries, Offset{0}, values.size()));
    copy_integers(ctx_, offsets, A.row_offsets);
    require_row_offsets(ctx_, A, name);
    const Array columns = array("indices");
    columns.require_size(values.size(), "values");
    copy_integers(ctx_, columns, A.col_indices);
    copy_values(ctx_, values, A.values);
    return sorted_matrix(ctx_, std::move(A), name, warnings);
  }

  CsrMatrix<double, Host> triplets(std::vector<std::string>& warnings) const {
    const Array values = array("data");
    CooMatrix<double, Host> A(ctx_, static_cast<Index>(rows_), static_cast<Index>(cols_), values.size());
    for (const auto& [member, indices] : {std::pair("row", &A.row_indices), std::pair("col", &A.col_indices)}) {
      const Array from = array(member);
      from.require_size(values.size(), "values");
      copy_integers(ctx_, from, *indices);
    }
    copy_values(ctx_, values, A.values);
    return assembled_matrix(ctx_, A, name_, warnings);
  }

  Context<Host>& ctx_;
  const std::string& name_;
  ZipArchive archive_;
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
};

MatrixSize npz_size(std::string_view bytes, const std::string& name) {
  Context<Host> ctx(1);
  return SparseFile(ctx, ZipArchive(bytes, name), name).size();
}

CsrMatrix<double, Host> parse_npz(Context<Host>& ctx, std::string_view bytes, const std::string& name,
                                  std::vector<std::string>& warnings) {
  const ScopedTimer timer(ctx, "parse");
  return SparseFile(ctx, ZipArchive(bytes, name), name).matrix(warnings);
}

FilePart<MatrixPart> read_npz_part(Context<Host>& ctx, const std::filesystem::path& path, const PartReader& reader) {
  const std::string name = path.string();
  return {.rows = SparseFile(ctx, ZipArchive(path), name).rows_of(reader)};
}

}  // namespace

bool is_npz(std::string_view bytes) { return bytes.starts_with("PK\x03\x04"); }

MatrixFormat npz_format() {
  return {.name = "SciPy .npz", .recognises = is_npz, .size = npz_size, .parse = parse_npz, .read_part = read_npz_part};
}

}  // namespace amgsolve
