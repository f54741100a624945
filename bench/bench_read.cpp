// Speed of the Matrix Market reader: bench_read [megabytes of text] [threads]
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/format.hpp"
#include "problems/matrix_market.hpp"

namespace amgsolve {
namespace {

constexpr Index entries_per_row = 7;
constexpr double bytes_per_entry = 34.0;  // two indices of 6 digits, 17 digits of a value

/// Rows of 7 entries in a band, with values that need all their digits.
CsrMatrix<double, Host> banded_matrix(Context<Host>& ctx, Index rows) {
  CsrMatrix<double, Host> A(ctx, rows, rows + entries_per_row, Offset{rows} * entries_per_row);
  for (std::size_t e = 0; e < A.values.size(); ++e) {
    const auto row = static_cast<Index>(e / entries_per_row);
    A.row_offsets[static_cast<std::size_t>(row)] = Offset{row} * entries_per_row;
    A.col_indices[e] = row + static_cast<Index>(e % entries_per_row);
    A.values[e] = 1.0 / static_cast<double>(e + 3);
  }
  A.row_offsets[static_cast<std::size_t>(rows)] = A.nnz();
  return A;
}

/// A phase of the read in seconds, MB/s of text, and MB/s a thread.
void print_phase(const Profile::Node& phase, double megabytes, int threads) {
  fmt::print("{:>8}  {:>8}  {:>8.0f} MB/s  {:>8.0f} MB/s a thread\n", phase.phase, format_seconds(phase.seconds),
             megabytes / phase.seconds, megabytes / phase.seconds / threads);
}

void run(double megabytes_wanted, int threads) {
  Context<Host> ctx(threads);
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "bench_read.mtx";
  const auto rows = static_cast<Index>(megabytes_wanted * 1e6 / bytes_per_entry / entries_per_row);
  write_matrix_market(ctx, path, banded_matrix(ctx, rows));
  const double megabytes = static_cast<double>(std::filesystem::file_size(path)) * 1e-6;

  constexpr int repetitions = 5;
  std::vector<Profile::Node> best;
  for (int i = 0; i < repetitions; ++i) {
    ctx.profile().clear();
    read_matrix_market<double>(ctx, path);
    if (best.empty() || ctx.profile().nodes()[0].seconds < best[0].seconds) {
      best = ctx.profile().nodes();
    }
  }
  std::filesystem::remove(path);
  fmt::print("{:.0f} MB of text, {} threads, the best of {}\n", megabytes, ctx.threads(), repetitions);
  for (const Profile::Node& phase : best) {
    print_phase(phase, megabytes, ctx.threads());
  }
}

}  // namespace
}  // namespace amgsolve

int main(int argc, char** argv) {
  amgsolve::run(argc > 1 ? std::atof(argv[1]) : 200.0, argc > 2 ? std::atoi(argv[2]) : 0);
}
