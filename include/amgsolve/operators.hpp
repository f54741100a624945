#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <amgsolve/amgsolve.hpp>

/// Operators as MFEM and deal.II call theirs: y = A x is Mult(x, y) there and vmult(y, x) here. Known by the names of
/// their calls alone, so nothing of these libraries is needed, and whatever is called so will do. On the host.
///
/// A vector has its values, in what the solver has, one behind the other from GetData() on (MFEM), from begin() on
/// (deal.II) or from data() on (the standard library's), and a Size() or size().
namespace amgsolve {

namespace detail {

template <class Vector, class = void>
struct HasGetData : std::false_type {};
template <class Vector>
struct HasGetData<Vector, std::void_t<decltype(std::declval<Vector&>().GetData())>> : std::true_type {};

template <class Vector, class = void>
struct HasData : std::false_type {};
template <class Vector>
struct HasData<Vector, std::void_t<decltype(std::declval<Vector&>().data())>> : std::true_type {};

template <class Operator, class Vector, class = void>
struct HasMult : std::false_type {};
template <class Operator, class Vector>
struct HasMult<
    Operator, Vector,
    std::void_t<decltype(std::declval<const Operator&>().Mult(std::declval<const Vector&>(), std::declval<Vector&>()))>>
    : std::true_type {};

/// The values of a vector, as the solver takes them: of T, or the compiler says so.
template <class T, class Vector>
ArrayView<T> values_of(Vector& x) {
  if constexpr (HasGetData<Vector>::value) {
    return {x.GetData(), static_cast<std::size_t>(x.Size())};
  } else if constexpr (HasData<Vector>::value) {
    return {x.data(), static_cast<std::size_t>(x.size())};
  } else {
    return {x.begin(), static_cast<std::size_t>(x.size())};
  }
}

/// Options of a cycle that is linear to the last digits, unless the program chose another: methods that are not
/// flexible trust M⁻¹ to be one matrix, and with a K-cycle, or one in single precision, report residuals that b − A x
/// does not have.
inline Options linear_cycle(Options options) {
  for (const auto& [key, value] : {std::pair{"amg.cycle", "V"}, std::pair{"amg.precision", "same"}}) {
    if (options.get(key) == "auto") {
      options.set(key, value);
    }
  }
  return options;
}

}  // namespace detail

/// One multigrid cycle, z = M⁻¹ r, as a preconditioner for methods of those libraries: deal.II's take it as it is,
///
///     amgsolve::CycleOperator<double> M(solver);
///     dealii::SolverCG<dealii::Vector<double>>(control).solve(A, x, b, M);
///
/// and MFEM's a class of the program that derives from mfem::Solver and hands its Mult() on. Methods that are neither
/// conjugate gradients nor flexible, such as GMRES, BiCGStab and MINRES, need a solver with 'amg.precision' same and
/// 'amg.cycle' V: the cycle of the defaults may be in single precision or vary, and they then end far from the
/// solution. Its vectors are those of one process, in one array: deal.II's distributed ones are not taken. Throws what
/// Solver::precondition() throws.
/// @tparam T  float or double
template <class T>
class CycleOperator {
 public:
  /// @param solver  outlives it; set up before it is called
  explicit CycleOperator(Solver<T>& solver) : solver_(&solver) {}

  template <class Vector>
  void Mult(const Vector& r, Vector& z) const {
    solver_->precondition(detail::values_of<const T>(r), detail::values_of<T>(z));
  }

  template <class Vector>
  void vmult(Vector& z, const Vector& r) const {
    Mult(r, z);
  }

 private:
  Solver<T>* solver_;
};

/// A whole solve, x = A⁻¹ b, as an operator, for instance of a block of a larger system. It begins with the x at hand,
/// as MFEM's solvers in iterative_mode do. Throws what Solver::solve() throws; result() says how the last one ended.
template <class T>
class InverseOperator {
 public:
  /// @param solver  outlives it; set up before it is called
  explicit InverseOperator(Solver<T>& solver) : solver_(&solver) {}

  template <class Vector>
  void Mult(const Vector& b, Vector& x) const {
    result_ = solver_->solve(detail::values_of<const T>(b), detail::values_of<T>(x));
  }

  template <class Vector>
  void vmult(Vector& x, const Vector& b) const {
    Mult(b, x);
  }

  const Result& result() const { return result_; }

 private:
  Solver<T>* solver_;
  mutable Result result_;
};

/// An operator of a program in the place of the matrix that was set up: for SolveSettings::product. Its vectors are
/// made by Vector(rows), and x and y are copied to and fro.
///
///     settings.product = amgsolve::product_of<double, mfem::Vector>(bilinear_form, rows);
///
/// @param A     outlives the solve; its calls must not throw
/// @param rows  of A
template <class T, class Vector, class Operator>
ProductCallback<T> product_of(const Operator& A, std::int64_t rows) {
  return [&A, rows](const T* x, T* y, int columns, void* /*stream*/) {
    const auto n = static_cast<std::size_t>(rows);
    const auto stride = static_cast<std::size_t>(columns);
    // Each library counts in a type of its own.
    using Size = std::conditional_t<detail::HasGetData<Vector>::value, int, std::size_t>;
    Vector x_column(static_cast<Size>(rows));
    Vector y_column(static_cast<Size>(rows));
    const ArrayView<T> in = detail::values_of<T>(x_column);
    const ArrayView<T> out = detail::values_of<T>(y_column);
    for (std::size_t k = 0; k < stride; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        in.data()[i] = x[i * stride + k];
      }
      if constexpr (detail::HasMult<Operator, Vector>::value) {
        A.Mult(x_column, y_column);
      } else {
        A.vmult(y_column, x_column);
      }
      for (std::size_t i = 0; i < n; ++i) {
        y[i * stride + k] = out.data()[i];
      }
    }
  };
}

/// A sparse matrix of MFEM, finalised and with sorted columns (SortColumnIndices()), in its own arrays, which must stay
/// as they are while they are used.
template <class Matrix>
auto view_of_mfem(const Matrix& A) {
  using T = std::remove_const_t<std::remove_pointer_t<decltype(A.GetData())>>;
  const auto rows = static_cast<std::size_t>(A.Height());
  const auto entries = static_cast<std::size_t>(A.GetI()[rows]);
  return CsrView<T, std::int32_t>{
      A.Height(), A.Width(), {A.GetI(), rows + 1}, {A.GetJ(), entries}, {A.GetData(), entries}};
}

/// A sparse matrix of deal.II, which stores diagonals first, copied with ascending columns: anything with m(), n() and
/// iterators begin(row) to end(row) over entries with column() and value(). Throws Exception, bad_input, where it has
/// more than 2³¹ − 1 rows or columns.
template <class T, class Matrix>
CsrArrays<T> copy_of_dealii(const Matrix& A) {
  if (A.m() >= (std::uint64_t{1} << 31) || A.n() >= (std::uint64_t{1} << 31)) {
    throw Exception(Status::bad_input, "a matrix of 2^31 rows or columns, or more");
  }
  CsrArrays<T> result;
  result.rows = static_cast<std::int64_t>(A.m());
  result.cols = static_cast<std::int64_t>(A.n());
  result.row_offsets.push_back(0);
  std::vector<std::pair<std::int32_t, T>> row;
  for (decltype(A.m()) i = 0; i < A.m(); ++i) {
    row.clear();
    for (auto entry = A.begin(i); entry != A.end(i); ++entry) {
      row.emplace_back(static_cast<std::int32_t>(entry->column()), static_cast<T>(entry->value()));
    }
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [column, value] : row) {
      result.col_indices.push_back(column);
      result.values.push_back(value);
    }
    result.row_offsets.push_back(static_cast<std::int64_t>(result.values.size()));
  }
  return result;
}

/// Arrays as a matrix to set up; they must stay as they are while they are used.
template <class T>
CsrView<T, std::int64_t> view_of(const CsrArrays<T>& A) {
  return {A.rows, A.cols, A.row_offsets, A.col_indices, A.values};
}

}  // namespace amgsolve
