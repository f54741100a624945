#include "tests/reference/blocks.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "tests/reference/matrices.hpp"

namespace amgsolve::reference {

template <class T>
Blocks<T> shuffled_blocks(Context<Host>& host, const std::vector<CsrMatrix<T, Host>>& blocks) {
  Index rows = 0;
  for (const CsrMatrix<T, Host>& block : blocks) {
    rows += block.rows;
  }
  std::vector<Index> place(static_cast<std::size_t>(rows));
  std::iota(place.begin(), place.end(), Index{0});
  std::shuffle(place.begin(), place.end(), std::mt19937(3));
  Blocks<T> result;
  result.block_of_row.resize(place.size());
  std::vector<Entry> entries;
  std::size_t first = 0;
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    const CsrMatrix<T, Host>& A = blocks[block];
    for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
      result.block_of_row[static_cast<std::size_t>(place[first + i])] = static_cast<int>(block);
      for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]);
           ++k) {
        entries.push_back({place[first + i], place[first + static_cast<std::size_t>(A.col_indices[k])],
                           static_cast<double>(A.values[k])});
      }
    }
    first += static_cast<std::size_t>(A.rows);
  }
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.row, e.col); });
  result.A = matrix_from_entries<T>(host, rows, rows, entries);
  return result;
}

template Blocks<float> shuffled_blocks(Context<Host>&, const std::vector<CsrMatrix<float, Host>>&);
template Blocks<double> shuffled_blocks(Context<Host>&, const std::vector<CsrMatrix<double, Host>>&);

}  // namespace amgsolve::reference
