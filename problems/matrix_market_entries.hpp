#pragma once

#include <string>
#include <vector>

#include "core/context.hpp"
#include "core/span.hpp"
#include "problems/line_blocks.hpp"
#include "problems/matrix_market_header.hpp"
#include "spmv/coo_matrix.hpp"
#include "spmv/global_entries.hpp"

/// The records of a Matrix Market file, all of them or those of consecutive lines, as one of several ranks reads them.
namespace amgsolve {

/// Records that are wrong.
struct WrongRecords {
  static constexpr std::size_t most_told = 10;

  std::vector<std::string> first{};  ///< a sentence "path:line: expected ..., found ..." for each, at most most_told
  Offset count = 0;
};

/// Throws InputError that tells of them, a line each, where there are any.
void refuse(const WrongRecords& wrong, const std::string& path);

/// Throws InputError where a file has other than the records that its size line says.
/// @param line  where that shows: the last line where records are missing, else that of the first one too many
void check_count(Offset records, Offset wanted, Offset line, const std::string& path);

/// Entries of a coordinate file.
/// @tparam M  CooMatrix or GlobalEntries
template <class M>
struct CoordinateEntries {
  M triplets;          ///< in the order of the file, with room for mirror images where there are to be any
  Offset of_file = 0;  ///< how many stand in the file, of these lines
  Offset count = 0;    ///< with mirror images
  WrongRecords wrong{};
};

/// The triplets of the first `records` records of the lines. O(bytes).
template <class M>
CoordinateEntries<M> take_entries(Context<Host>& ctx, const LineBlocks& lines, Offset records,
                                  const MatrixMarketHeader& header, const std::string& path);

/// What stood above the diagonal of a symmetric file.
struct UpperEntries {
  Offset count = 0;
  Offset first_line = 0;
};

/// Has the entries of a symmetric or skew-symmetric file be followed by their mirror images; see
/// mirror_lower_triangle().
template <class M>
UpperEntries mirror(Context<Host>& ctx, const LineBlocks& lines, const MatrixMarketHeader& header,
                    CoordinateEntries<M>& entries);

/// The numbers of an array file, of which values.size() are wanted, as they stand there.
template <class T>
WrongRecords take_values(Context<Host>& ctx, const LineBlocks& lines, const MatrixMarketHeader& header,
                         const std::string& path, Span<T, Host> values);

}  // namespace amgsolve
