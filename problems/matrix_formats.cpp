#include "problems/matrix_formats.hpp"

#include <algorithm>
#include <array>

#include "core/format.hpp"
#include "core/timer.hpp"
#include "problems/amg_file.hpp"
#include "problems/binary_input.hpp"
#include "problems/hdf5.hpp"
#include "problems/matrix_market.hpp"
#include "problems/npz.hpp"
#include "problems/petsc.hpp"

namespace amgsolve {

std::span<const MatrixFormat> matrix_formats() {
  static const std::array formats{
      matrix_market_format(), petsc_format(), amg_file_format(), npz_format(), hdf5_format(),
  };
  return formats;
}

void refuse_empty_rows(const std::string& where, std::int64_t rows, Offset entries, std::int64_t rows_an_entry) {
  if (rows > few_rows && entries < rows / rows_an_entry) {
    refuse_file(where, format_text("{}, but only {}: of more than {} rows, not so many may be empty",
                                   format_count(rows, "row"), format_count(entries, "nonzero"), few_rows));
  }
}

namespace {

TextFile load(Context<Host>& ctx, const std::filesystem::path& path) {
  const ScopedTimer timer(ctx, "read");
  return TextFile(ctx, path);
}

}  // namespace

const MatrixFormat& format_of(std::string_view text, std::span<const MatrixFormat> formats) {
  const auto found = std::ranges::find_if(formats, [&](const MatrixFormat& format) { return format.recognises(text); });
  return found == formats.end() ? formats.front() : *found;
}

MatrixFile::MatrixFile(Context<Host>& ctx, const std::filesystem::path& path, std::span<const MatrixFormat> formats)
    : file_(load(ctx, path)), format_(&format_of(file_.text(), formats)) {}

CsrMatrix<double, Host> MatrixFile::parse(Context<Host>& ctx, std::vector<std::string>& warnings) const {
  const ScopedTimer timer(ctx, "read");
  return format_->parse(ctx, file_.text(), file_.path(), warnings);
}

double MatrixFile::bytes_beside_text(int threads) const {
  const MatrixSize size = this->size();
  const auto nnz = static_cast<double>(size.nnz);
  const double rows = size.rows;
  constexpr double entry = sizeof(Index) + sizeof(double);
  constexpr double row = sizeof(Offset);
  // Each thread counts all rows, as far as that takes no more than the entries.
  const double counts = size.is_sorted ? std::min(nnz, rows * threads) : 0.0;
  return size.scratch + entry * nnz + row * (rows + counts);
}

double MatrixFile::bytes_to_read(Context<Host>& ctx) const {
  return std::max(static_cast<double>(ctx.memory().peak_bytes()),
                  static_cast<double>(file_.bytes()) + bytes_beside_text(ctx.threads()));
}

CsrMatrix<double, Host> read_matrix(Context<Host>& ctx, const std::filesystem::path& path,
                                    std::vector<std::string>& warnings, std::span<const MatrixFormat> formats) {
  return MatrixFile(ctx, path, formats).parse(ctx, warnings);
}

}  // namespace amgsolve
