// How fast matrices are read: bench_read [--entries N] [--threads N] [--json FILE] [FILE ...]
// A banded matrix as Matrix Market and as .amg, and whatever files are named besides.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "bench/common.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "problems/amg_file.hpp"
#include "problems/matrix_market.hpp"

namespace amgsolve {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr Index entries_per_row = 7;

struct Options {
  double entries = 6e6;
  int threads = 0;
  int repetitions = 5;
  std::string json;
  std::vector<std::string> files;
};

/// A folder of this process alone, which goes with what is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() { fs::create_directory(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }

  const fs::path& path() const { return path_; }

 private:
  const fs::path path_ = fs::temp_directory_path() / format_text("bench_read.{}", getpid());
};

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

/// The best of the repetitions; the file lies in the system's cache.
json bench_file(Context<Host>& ctx, const fs::path& path, int repetitions) {
  std::vector<std::string> warnings;
  std::vector<Profile::Node> best;
  Offset nnz = 0;
  for (int i = 0; i < repetitions; ++i) {
    ctx.profile().clear();
    nnz = read_matrix(ctx, path, warnings).nnz();
    if (best.empty() || ctx.profile().nodes().front().seconds() < best.front().seconds()) {
      best = ctx.profile().nodes();
    }
  }
  const auto bytes = static_cast<double>(fs::file_size(path));
  json row{{"file", path.filename().string()}, {"bytes", bytes}, {"nnz", nnz}};
  fmt::print("{}: {}, {}\n", path.filename().string(), format_bytes(fs::file_size(path)), format_count(nnz, "nonzero"));
  for (const Profile::Node& phase : best) {
    const double gigabytes_per_second = 1e-9 * bytes / phase.seconds();
    const double entries_per_second = static_cast<double>(nnz) / phase.seconds();
    row["phases"].push_back({{"phase", phase.phase},
                             {"seconds", phase.seconds()},
                             {"gigabytes_per_second", gigabytes_per_second},
                             {"entries_per_second", entries_per_second}});
    fmt::print("{:>8}  {:>9}  {:>7.3f} GB/s of the file  {:>7.1f} million entries/s\n", phase.phase,
               format_seconds(phase.seconds()), gigabytes_per_second, 1e-6 * entries_per_second);
  }
  return row;
}

void run(const Options& options) {
  constexpr Index most_rows = max_index - entries_per_row;  // so that their columns can be counted, too
  const double rows = options.entries / entries_per_row;
  if (!(rows >= 1.0 && rows <= most_rows)) {
    throw ConfigurationError(format_text("--entries is {}; it must be from {} to {}", options.entries, entries_per_row,
                                         Offset{most_rows} * entries_per_row));
  }
  Context<Host> ctx(options.threads);
  json result = bench::describe_run(ctx, "read");
  result["repetitions"] = options.repetitions;
  const auto bench = [&](const fs::path& path) {
    result["files"].push_back(bench_file(ctx, path, options.repetitions));
  };
  const TemporaryFolder temporary;
  const fs::path& folder = temporary.path();
  {
    const CsrMatrix<double, Host> A = banded_matrix(ctx, static_cast<Index>(rows));
    write_matrix_market(ctx, folder / "banded.mtx", A);
    write_amg_file(ctx, folder / "banded.amg", A);
  }
  bench(folder / "banded.mtx");
  bench(folder / "banded.amg");
  for (const std::string& file : options.files) {
    bench(file);
  }
  bench::write_json(options.json, result);
}

}  // namespace
}  // namespace amgsolve

int main(int argc, char** argv) {
  amgsolve::bench::CommandLine line(
      "How fast matrices are read: a banded one as Matrix Market and .amg, and those of files");
  amgsolve::Options options;
  line.add("files", options.files, "of matrices besides");
  line.add_positive("--entries", options.entries, "of the banded matrix");
  line.add("--threads", options.threads, "0: as many as cores");
  line.add_positive("--repetitions", options.repetitions, "the best of them counts");
  line.add("--json", options.json, "file to write the results to");
  return line.run(argc, argv, [&] { amgsolve::run(options); });
}
