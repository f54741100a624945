#include "problems/vector_file.hpp"

#include <algorithm>
#include <iterator>

#include "core/timer.hpp"
#include "problems/matrix_market.hpp"
#include "problems/numpy.hpp"
#include "problems/text_file.hpp"

namespace amgsolve {

template <class T>
FatVector<T, Host> read_vectors(Context<Host>& ctx, const std::filesystem::path& path,
                                std::vector<std::string>* warnings) {
  const ScopedTimer timer(ctx, "read");
  const TextFile file(ctx, path);
  if (is_numpy(file.text())) {
    return parse_numpy<T>(ctx, file.text(), file.path());
  }
  MatrixMarketNotes notes;
  FatVector<T, Host> x = parse_vectors<T>(ctx, file.text(), file.path(), &notes);
  if (warnings != nullptr) {
    std::ranges::move(describe(notes, file.path()), std::back_inserter(*warnings));
  }
  return x;
}

template FatVector<float, Host> read_vectors(Context<Host>&, const std::filesystem::path&, std::vector<std::string>*);
template FatVector<double, Host> read_vectors(Context<Host>&, const std::filesystem::path&, std::vector<std::string>*);

}  // namespace amgsolve
