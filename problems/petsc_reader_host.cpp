#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <utility>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/input_file.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"
#include "core/timer.hpp"
#include "problems/binary_input.hpp"
#include "problems/petsc.hpp"
#include "problems/sorted_matrix.hpp"
#include "problems/vector_file.hpp"
#include "problems/vectors_of_host.hpp"

namespace amgsolve {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers of the file are turned round");

constexpr std::int64_t matrix_class = 1211216;
constexpr std::int64_t vector_class = 1211214;

/// The k-th of big-endian numbers of type V, at any address.
template <class V>
V big_endian_at(std::string_view bytes, std::size_t k) {
  std::array<char, sizeof(V)> number;
  std::ranges::copy_n(bytes.data() + k * sizeof(V), sizeof(V), number.begin());
  std::ranges::reverse(number);
  return std::bit_cast<V>(number);
}

/// Calls work(V()) with the integer type of that many bytes.
template <class Work>
auto with_integer(std::size_t bytes, const Work& work) {
  return bytes == 4 ? work(std::int32_t{}) : work(std::int64_t{});
}

struct Object {
  std::int64_t kind = 0;  ///< matrix_class or vector_class
  std::int64_t rows = 0;
  std::int64_t cols = 1;     ///< of a matrix
  std::int64_t entries = 0;  ///< of a matrix; the rows of a vector
  std::string_view lengths;  ///< of a matrix's rows
  std::string_view columns;
  std::string_view values;
};

/// Takes a file apart, object by object.
class Objects {
 public:
  Objects(std::string_view bytes, const std::string& name) : rest_(bytes), name_(name) {
    integer_bytes_ = rest_.size() >= 8 && big_endian_at<std::int32_t>(rest_, 0) == 0 ? 8 : 4;
  }

  std::size_t integer_bytes() const { return integer_bytes_; }
  bool at_end() const { return rest_.empty(); }

  Object next() {
    Object object;
    object.kind = integer();
    if (object.kind == vector_class) {
      object.rows = size("rows");
      object.entries = object.rows;
    } else if (object.kind == matrix_class) {
      object.rows = size("rows");
      object.cols = size("columns");
      object.entries = integer();
      if (object.entries < 0) {
        refuse_file(name_, "the matrix is stored densely; write it as a sparse one (MATAIJ)");
      }
      object.lengths = take(object.rows, integer_bytes_, "the lengths of rows");
      object.columns = take(object.entries, integer_bytes_, "columns");
    } else {
      refuse_file(name_, format_text("expected a matrix ({}) or a vector ({}) of PETSc, found an object of class {}",
                                     matrix_class, vector_class, object.kind));
    }
    object.values = take(object.entries, sizeof(double), "values");
    require_object_or_end(object.kind);
    return object;
  }

 private:
  std::int64_t integer() { return integer_of(take(1, integer_bytes_, "a header")); }

  std::int64_t integer_of(std::string_view bytes) const {
    return with_integer(integer_bytes_,
                        [&](auto type) -> std::int64_t { return big_endian_at<decltype(type)>(bytes, 0); });
  }

  /// No header tells of complex values, which have twice as many bytes.
  void require_object_or_end(std::int64_t kind) const {
    constexpr std::int64_t classes = 12112;  // without their last two digits
    if (!at_end() && (rest_.size() < integer_bytes_ || integer_of(rest_) / 100 != classes)) {
      refuse_file(name_,
                  format_text("{} behind the values of the {} are no object of PETSc's; files of a PETSc with "
                              "complex numbers are not read",
                              format_count(std::ssize(rest_), "byte"), kind == matrix_class ? "matrix" : "vector"));
    }
  }

  std::int64_t size(std::string_view what) {
    const std::int64_t count = integer();
    if (count < 0) {
      refuse_file(name_, format_text("{} {}", count, what));
    }
    return count;
  }

  std::string_view take(std::int64_t count, std::size_t bytes, std::string_view what) {
    const auto numbers = static_cast<std::size_t>(count);
    if (count < 0 || numbers > rest_.size() / bytes) {
      refuse_file(name_, format_text("the file ends in {}: {} wanted, {} left", what, format_count(count, "number"),
                                     format_count(std::ssize(rest_), "byte")));
    }
    const std::string_view taken = rest_.substr(0, numbers * bytes);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
  const std::string& name_;
  std::size_t integer_bytes_ = 4;
};

/// The class of a file's first object, of which the upper half is 0 where integers have 64 bits; 0 where there is none.
std::int64_t first_kind(std::string_view bytes) {
  const auto number = [&](std::size_t k) {
    return bytes.size() >= 4 * (k + 1) ? big_endian_at<std::int32_t>(bytes, k) : 0;
  };
  return number(0) != 0 ? number(0) : number(1);
}

/// The first object of that class.
Object first_object(std::int64_t kind, Objects& objects, const std::string& name) {
  Object object = objects.next();
  while (object.kind != kind) {
    if (objects.at_end()) {
      const bool is_vector = kind == vector_class;
      refuse_file(name, format_text("there is a {} of PETSc, and no {} behind it", is_vector ? "matrix" : "vector",
                                    is_vector ? "vector" : "matrix"));
    }
    object = objects.next();
  }
  return object;
}

MatrixSize petsc_size(std::string_view bytes, const std::string& name) {
  Objects objects(bytes, name);
  const Object object = first_object(matrix_class, objects, name);
  return {.rows = index_in_file(object.rows, "rows", name), .nnz = object.entries};
}

CsrMatrix<double, Host> parse_petsc(Context<Host>& ctx, std::string_view bytes, const std::string& name,
                                    std::vector<std::string>& warnings) {
  const ScopedTimer timer(ctx, "parse");
  Objects objects(bytes, name);
  const Object object = first_object(matrix_class, objects, name);
  CsrMatrix<double, Host> A(ctx, index_in_file(object.rows, "rows", name), index_in_file(object.cols, "columns", name),
                            object.entries);
  with_integer(objects.integer_bytes(), [&](auto type) {
    using I = decltype(type);
    Offset* const offsets = A.row_offsets.data();
    offsets[0] = 0;
    for (Index i = 0; i < A.rows; ++i) {
      const I length = big_endian_at<I>(object.lengths, static_cast<std::size_t>(i));
      if (length < 0 || length > object.entries - offsets[i]) {
        refuse_file(name, format_text("row {}, counted from 1, has {} entries of the {} there are", i + 1, length,
                                      object.entries));
      }
      offsets[i + 1] = offsets[i] + length;
    }
    if (offsets[A.rows] != object.entries) {
      refuse_file(name, format_text("the rows have {} of the {} entries there are", offsets[A.rows], object.entries));
    }
    parallel_for(ctx, object.entries, [&](std::int64_t k) {
      const auto entry = static_cast<std::size_t>(k);
      const I column = big_endian_at<I>(object.columns, entry);
      // One that is no index is outside any matrix.
      A.col_indices[entry] =
          static_cast<I>(static_cast<Index>(column)) == column ? static_cast<Index>(column) : Index{-1};
    });
  });
  parallel_for(ctx, object.entries, [&](std::int64_t k) {
    A.values[static_cast<std::size_t>(k)] = big_endian_at<double>(object.values, static_cast<std::size_t>(k));
  });
  return sorted_matrix(ctx, std::move(A), name, warnings);
}

/// A pass over the lengths of the rows before the reader's, and over its own rows.
FilePart<MatrixPart> read_petsc_part(Context<Host>& ctx, const std::filesystem::path& path, const PartReader& reader) {
  const MappedFile file = InputFile(path).map(false);
  const std::string name = path.string();
  Objects objects(file.bytes(), name);
  const Object object = first_object(matrix_class, objects, name);
  const auto integer_at = [&](std::string_view integers, std::int64_t k) {
    return with_integer(objects.integer_bytes(), [&](auto type) -> std::int64_t {
      return big_endian_at<decltype(type)>(integers, static_cast<std::size_t>(k));
    });
  };
  // Lengths that are wrong have any sum, modulo 2⁶⁴; whoever has their rows finds them.
  const auto sum_of_lengths = [&](std::int64_t begin, std::int64_t end) {
    std::uint64_t sum = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      sum += static_cast<std::uint64_t>(integer_at(object.lengths, i));
    }
    return sum;
  };
  const auto sum_offsets = [&](std::int64_t first, Buffer<Offset, Host>& to) {
    std::uint64_t offset = parallel_reduce(ctx, first, std::uint64_t{0}, sum_of_lengths, std::plus());
    for (Offset& row_offset : to.span()) {
      row_offset = static_cast<Offset>(offset);
      offset += first < object.rows ? sum_of_lengths(first, first + 1) : 0;
      ++first;
    }
  };
  const auto copy_columns = [&](Offset first, Buffer<std::int64_t, Host>& to) {
    parallel_for(ctx, std::ssize(to.span()),
                 [&](std::int64_t k) { to[static_cast<std::size_t>(k)] = integer_at(object.columns, first + k); });
  };
  const auto copy_values = [&](Offset first, Buffer<double, Host>& to) {
    parallel_for(ctx, std::ssize(to.span()), [&](std::int64_t k) {
      to[static_cast<std::size_t>(k)] = big_endian_at<double>(object.values, static_cast<std::size_t>(first + k));
    });
  };
  const StoredRows stored{object.rows, object.cols, object.entries, sum_offsets, copy_columns, copy_values};
  return {.rows = rows_in_order(ctx, stored, reader.rows(object.rows))};
}

/// Rows of a vector.
template <class T>
MultiVector<T, Host> values_of(Context<Host>& ctx, const Object& vector, RowRange rows, const std::string& name) {
  return vectors_of<T>(ctx, index_in_file(rows.count(), "rows", name), 1, name, [&](std::int64_t i, std::int64_t) {
    return big_endian_at<double>(vector.values, static_cast<std::size_t>(rows.first + i));
  });
}

}  // namespace

MatrixFormat petsc_format() {
  return {.name = "PETSc binary",
          .recognises = is_petsc,
          .size = petsc_size,
          .parse = parse_petsc,
          .read_part = read_petsc_part};
}

bool is_petsc(std::string_view bytes) {
  const std::int64_t kind = first_kind(bytes);
  return kind == matrix_class || kind == vector_class;
}

bool is_petsc_vector(std::string_view bytes) { return first_kind(bytes) == vector_class; }

template <class T>
MultiVector<T, Host> parse_petsc_vector(Context<Host>& ctx, std::string_view bytes, const std::string& name,
                                        std::optional<Index> rows) {
  const ScopedTimer timer(ctx, "parse");
  Objects objects(bytes, name);
  const Object object = first_object(vector_class, objects, name);
  require_rows(name, object.rows, rows);
  return values_of<T>(ctx, object, {0, object.rows}, name);
}

template <class T>
FilePart<MultiVector<T, Host>> read_part_of_petsc_vector(Context<Host>& ctx, const std::filesystem::path& path,
                                                         const PartReader& reader) {
  const MappedFile file = InputFile(path).map(false);
  const std::string name = path.string();
  Objects objects(file.bytes(), name);
  const Object object = first_object(vector_class, objects, name);
  return {.rows = values_of<T>(ctx, object, reader.rows(object.rows), name)};
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                          \
  template MultiVector<T, S> parse_petsc_vector(Context<S>&, std::string_view, const std::string&,          \
                                                std::optional<Index>);                                      \
  template FilePart<MultiVector<T, S>> read_part_of_petsc_vector(Context<S>&, const std::filesystem::path&, \
                                                                 const PartReader&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
