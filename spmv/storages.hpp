#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "spmv/csr_ref.hpp"
#include "spmv/ell_matrix.hpp"
#include "spmv/pattern_matrix.hpp"
#include "spmv/sell_matrix.hpp"

/// The storages that an Operator chooses among, all of them in the order of Storage: what problem.yaml offers, its
/// help, the forecast of memory and the tests come from here. Each is a struct with rows, cols, nnz() and bytes(), made
/// with room for the entries of a CsrMatrix; a trivially copyable Ref that tells where the entries of a row lie, and
/// ref_of(); download(); and what it takes for rows of given lengths. See docs/extending.md for adding one.
namespace amgsolve {

/// How the entries of an Operator lie in memory.
enum class Storage {
  automatic,  ///< the cheapest for products, by the lengths of the rows and by memory: see storage_choice.hpp
  csr,
  ell,
  sell,
  pattern,  ///< as sell, with the columns of rows that are alike listed once; sell where too few are
};

template <class T, MemorySpace S>
using StoredMatrix = std::variant<CsrMatrix<T, S>, EllMatrix<T, S>, SellMatrix<T, S>, PatternMatrix<T, S>>;

/// Instantiates the steps of products for all storages of values T: INSTANTIATE(T, Ref).
#define AMGSOLVE_FOR_STORAGES(INSTANTIATE, T) \
  INSTANTIATE(T, CsrRef<T>)                   \
  INSTANTIATE(T, EllRef<T>)                   \
  INSTANTIATE(T, SellRef<T>)                  \
  INSTANTIATE(T, PatternRef<T>)

/// What problem.yaml, help and forecasts say of a storage.
struct StorageEntry {
  Storage storage;
  std::string_view name;
  std::string_view help;
  double (*bytes)(const RowLengths& A, double entry_bytes);  ///< of its arrays, with padding
};

inline constexpr std::array storages = {
    StorageEntry{Storage::csr, "csr", "compressed rows", csr_bytes},
    StorageEntry{Storage::ell, "ell", "rows padded to the longest of all", ell_bytes},
    StorageEntry{Storage::sell, "sell", "rows padded to the longest of their slice of 32", sell_bytes},
    StorageEntry{Storage::pattern, "pattern", "as sell, with the columns of rows that are alike listed once",
                 sell_bytes},
};
static_assert(std::variant_size_v<StoredMatrix<double, Host>> == storages.size());

/// The line of a storage, which is not automatic.
constexpr const StorageEntry& entry_of(Storage storage) { return storages[static_cast<std::size_t>(storage) - 1]; }

/// "csr"; of automatic "auto".
std::string_view name(Storage storage);

/// The storages and their names in problem.yaml, and a line about them.
std::vector<std::pair<std::string_view, Storage>> storage_names();
std::string_view storage_help();

}  // namespace amgsolve
