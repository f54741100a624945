#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "problems/structured_grid.hpp"
#include "spmv/global_rows.hpp"

/// Files that several readers read together, each some of the rows that are in them.
namespace amgsolve {

/// One of the readers.
struct PartReader {
  int part = 0;  ///< from 0 on
  int parts = 1;
  std::function<RowRange(std::int64_t all_rows)> rows;  ///< its own, of as many as the file has
};

/// Rows of a matrix.
struct MatrixPart {
  GlobalRows<double, Host> A;
  std::int64_t cols = 0;  ///< of the whole one
};

/// What one of them has read.
template <class X>
struct FilePart {
  std::optional<X> rows{};  ///< nothing where they cannot be read apart from others
  /// What its part of the bytes adds to the difference of their checksum and the one in the file: those of all readers
  /// add up to 0, modulo 2⁶⁴, where the file is intact.
  std::uint64_t difference = 0;
};

}  // namespace amgsolve
