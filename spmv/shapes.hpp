#pragma once

#include "spmv/multi_vector.hpp"

/// The checks of sizes that operations of both memory spaces begin with. Unless a comment says otherwise they throw
/// std::invalid_argument naming both sizes.
namespace amgsolve {

/// Rows and columns of a matrix or a multivector.
struct Shape {
  Index rows;
  Index columns;

  friend bool operator==(const Shape&, const Shape&) = default;
};

template <class T, MemorySpace S>
Shape shape_of(MultiVectorView<T, S> x) {
  return {x.rows, x.columns};
}

template <class Matrix>
Shape shape_of(const Matrix& A) {
  return {A.rows, A.cols};
}

/// @param what  names the argument in the message
void expect_shape(const char* what, Shape actual, Shape expected);
void expect_length(const char* what, std::size_t actual, Index expected);

/// @param A  the shape of a matrix that must be square
void expect_square(Shape A);

/// @param A          the shape of consecutive rows of a square matrix, with the columns that they need
/// @param first_own  the column of its first row's diagonal entry
void expect_strip(Shape A, Index first_own);

/// Throws InputError that a triplet of a matrix lies outside it.
[[noreturn]] void throw_entry_outside(Offset entry, Index row, Index col, Shape A);

}  // namespace amgsolve
