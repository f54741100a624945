#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/timer.hpp"
#include "problems/binary_input.hpp"
#include "problems/hdf5.hpp"
#include "problems/hdf5_file.hpp"
#include "problems/own_process.hpp"
#include "problems/sorted_matrix.hpp"
#include "problems/vector_file.hpp"
#include "problems/vectors_of_host.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {

bool is_hdf5(std::string_view bytes) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  constexpr std::size_t matlab_header = 512;
  return bytes.starts_with(signature) ||
         (bytes.size() > matlab_header && bytes.substr(matlab_header).starts_with(signature));
}

#if AMGSOLVE_HAVE_HDF5

namespace {

/// The one of these names, or the preferred one of several.
const std::string& chosen(const std::vector<std::string>& names, std::string_view preferred, const std::string& file,
                          std::string_view what) {
  if (names.size() == 1) {
    return names.front();
  }
  const auto found = std::ranges::find(names, preferred);
  if (found == names.end()) {
    refuse_file(file, names.empty() ? format_text("the file holds no {}", what)
                                    : format_text("the file holds several: {}; save one alone, or call one '{}'",
                                                  printable(format_text("{}", fmt::join(names, ", "))), preferred));
  }
  return *found;
}

template <class V>
void send_numbers(const ProcessSink& sink, const Hdf5Dataset& dataset) {
  std::vector<V> numbers(static_cast<std::size_t>(dataset.size()));
  dataset.read(numbers.data());
  sink.put(numbers.data(), numbers.size());
}

/// A sparse matrix of MATLAB's, of which nothing but sizes has been read.
class SparseGroup {
 public:
  SparseGroup(std::string_view bytes, const std::string& file)
      : file_(bytes, file), group_(chosen(file_.matrices(), "A", file, "sparse matrix of MATLAB's")) {
    const std::int64_t rows = file_.rows_of(group_);
    rows_ = index_in_file(rows, "rows", name());
    nnz_ = file_.has(group_ + "/data") ? part("data").size() : 0;
    refuse_empty_rows(name(), rows_, nnz_);
  }

  Index rows() const { return rows_; }
  Offset nnz() const { return nnz_; }

  /// Its name and columns, and then its three arrays.
  void send(const ProcessSink& sink) const {
    const Hdf5Dataset offsets = part("jc");
    const Hdf5Dataset indices = part("ir");
    if (offsets.size() < 1 || indices.size() != nnz_) {
      refuse_file(name(), format_text("'jc' has {}, 'ir' {} and 'data' {}", format_count(offsets.size(), "number"),
                                      indices.size(), nnz_));
    }
    const std::string text = name();
    sink.put(text.data(), text.size());
    sink.put(index_in_file(offsets.size() - 1, "columns", text));
    send_numbers<Offset>(sink, offsets);
    send_numbers<Index>(sink, indices);
    send_numbers<double>(sink, part("data"));
  }

 private:
  std::string name() const { return format_text("{}: {}", file_.name(), printable(group_)); }
  Hdf5Dataset part(const char* part) const { return file_.dataset(format_text("{}/{}", group_, part)); }

  Hdf5File file_;
  std::string group_;
  Index rows_ = 0;
  Offset nnz_ = 0;
};

/// Has HDF5 read bytes apart from us: work(sink) there, take(source) here.
template <class Work, class Take>
void by_hdf5(std::string_view bytes, const std::string& name, const std::function<void()>& poll, Work&& work,
             Take&& take) {
  in_own_process(name, "HDF5", ProcessBounds::of_file(bytes.size()), poll, work, take);
}

std::string take_text(const ProcessSource& source) {
  const std::vector<char> text = source.take_all<char>();
  return {text.begin(), text.end()};
}

void send_vectors(const ProcessSink& sink, const Hdf5File& file, std::optional<Index> rows) {
  const Hdf5Dataset dataset = file.dataset(chosen(file.datasets(), "b", file.name(), "dense array"));
  const std::vector<std::int64_t>& shape = dataset.shape();
  if (shape.empty() || shape.size() > 2) {
    refuse_file(dataset.name(),
                format_text("an array of {}; vectors have 1 or 2", format_count(std::ssize(shape), "dimension")));
  }
  const bool is_reversed = dataset.is_of_matlab() && shape.size() == 2;
  const Index n = index_in_file(is_reversed ? shape[1] : shape[0], "rows", dataset.name());
  const Index columns = index_in_file(shape.size() == 1 ? 1 : shape[is_reversed ? 0 : 1], "vectors", dataset.name());
  require_rows(dataset.name(), n, rows);
  sink.put(dataset.name().data(), dataset.name().size());
  sink.put(n);
  sink.put(columns);
  sink.put(is_reversed);
  send_numbers<double>(sink, dataset);
}

void no_poll() {}

MatrixSize hdf5_size(std::string_view bytes, const std::string& name) {
  MatrixSize size;
  by_hdf5(
      bytes, name, no_poll,
      [&](const ProcessSink& sink) {
        const SparseGroup group(bytes, name);
        sink.put(group.rows());
        sink.put(group.nnz());
      },
      [&](const ProcessSource& source) {
        size.rows = source.take<Index>();
        size.nnz = source.take<Offset>();
      });
  return size;
}

CsrMatrix<double, Host> parse_hdf5(Context<Host>& ctx, std::string_view bytes, const std::string& name,
                                   std::vector<std::string>& warnings) {
  const ScopedTimer timer(ctx, "parse");
  CsrMatrix<double, Host> A;
  std::string by_columns;
  by_hdf5(
      bytes, name, [&ctx] { ctx.poll(); },
      [&](const ProcessSink& sink) {
        const SparseGroup group(bytes, name);
        sink.put(group.rows());
        sink.put(group.nnz());
        group.send(sink);
      },
      [&](const ProcessSource& source) {
        const auto rows = source.take<Index>();
        const auto nnz = source.take<Offset>();
        by_columns = take_text(source) + " (by columns, transposed)";
        const auto columns = source.take<Index>();
        A = CsrMatrix<double, Host>(ctx, columns, rows, nnz);
        source.take_all(A.row_offsets.data(), A.row_offsets.size());
        source.take_all(A.col_indices.data(), A.col_indices.size());
        source.take_all(A.values.data(), A.values.size());
      });
  require_row_offsets(ctx, A, by_columns);
  return transpose(ctx, sorted_matrix(ctx, std::move(A), by_columns, warnings));
}

}  // namespace

bool has_hdf5() { return true; }

bool is_hdf5_of_vectors(std::string_view bytes, const std::string& name) {
  bool is_of_vectors = false;
  by_hdf5(
      bytes, name, no_poll,
      [&](const ProcessSink& sink) {
        const Hdf5File file(bytes, name);
        sink.put(file.matrices().empty() && !file.datasets().empty());
      },
      [&](const ProcessSource& source) { is_of_vectors = source.take<bool>(); });
  return is_of_vectors;
}

template <class T>
MultiVector<T, Host> parse_hdf5_vectors(Context<Host>& ctx, std::string_view bytes, const std::string& name,
                                        std::optional<Index> rows) {
  const ScopedTimer timer(ctx, "parse");
  std::string text;
  Index n = 0;
  Index columns = 0;
  bool is_reversed = false;
  Buffer<double, Host> numbers;
  by_hdf5(
      bytes, name, [&ctx] { ctx.poll(); },
      [&](const ProcessSink& sink) { send_vectors(sink, Hdf5File(bytes, name), rows); },
      [&](const ProcessSource& source) {
        text = take_text(source);
        n = source.take<Index>();
        columns = source.take<Index>();
        is_reversed = source.take<bool>();
        numbers =
            Buffer<double, Host>(ctx, checked_multiply(static_cast<std::size_t>(n), static_cast<std::size_t>(columns),
                                                       "numbers of vectors in a file"));
        source.take_all(numbers.data(), numbers.size());
      });
  return vectors_of<T>(ctx, n, columns, text, [&](std::int64_t i, std::int64_t j) {
    return numbers[static_cast<std::size_t>(is_reversed ? j * n + i : i * columns + j)];
  });
}

#else

namespace {

[[noreturn]] void refuse(const std::string& name) {
  refuse_file(name, "the build is without HDF5 (Debian's libhdf5-dev), which reads this file");
}

MatrixSize hdf5_size(std::string_view, const std::string& name) { refuse(name); }

CsrMatrix<double, Host> parse_hdf5(Context<Host>&, std::string_view, const std::string& name,
                                   std::vector<std::string>&) {
  refuse(name);
}

}  // namespace

bool has_hdf5() { return false; }

bool is_hdf5_of_vectors(std::string_view, const std::string& name) { refuse(name); }

template <class T>
MultiVector<T, Host> parse_hdf5_vectors(Context<Host>&, std::string_view, const std::string& name,
                                        std::optional<Index>) {
  refuse(name);
}

#endif

MatrixFormat hdf5_format() {
  return {.name = "MATLAB 7.3", .recognises = is_hdf5, .size = hdf5_size, .parse = parse_hdf5};
}

template MultiVector<float, Host> parse_hdf5_vectors(Context<Host>&, std::string_view, const std::string&,
                                                     std::optional<Index>);
template MultiVector<double, Host> parse_hdf5_vectors(Context<Host>&, std::string_view, const std::string&,
                                                      std::optional<Index>);

}  // namespace amgsolve
