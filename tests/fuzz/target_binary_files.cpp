#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "problems/amg_file.hpp"
#include "problems/amg_file_layout.hpp"
#include "problems/hdf5.hpp"
#include "problems/npz.hpp"
#include "problems/numpy.hpp"
#include "problems/petsc.hpp"
#include "spmv/statistics.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/reference/hostile_matrix_market.hpp"

namespace amgsolve::fuzz {
namespace {

using reference::accepts_hostile;

const std::string name = "hostile";

void parse_matrix(Context<Host>& ctx, const MatrixFormat& format, std::string_view bytes) {
  std::vector<std::string> warnings;
  const CsrMatrix<double, Host> A = format.parse(ctx, bytes, name, warnings);
  try {
    check_structure(ctx, A);
  } catch (const InputError& error) {
    throw std::logic_error(error.what());
  }
}

std::string with_checksum(std::string_view bytes) {
  AmgFileHeader header;
  std::string result(bytes);
  if (bytes.size() >= sizeof(header)) {
    Context<Host> ctx(1);
    std::memcpy(&header, bytes.data(), sizeof(header));
    header.checksum =
        checksum_of_header(ctx, header) + checksum_of_words(ctx, sizeof(header) / 8, bytes.substr(sizeof(header)));
    std::memcpy(result.data(), &header, sizeof(header));
  }
  return result;
}

}  // namespace

bool binary_files(std::string_view bytes) {
  if (is_numpy(bytes)) {
    return accepts_hostile([&](Context<Host>& ctx) { parse_numpy<float>(ctx, bytes, name); });
  }
  if (is_amg_file(bytes)) {
    // Where the checksum is wrong, as a fuzzer's is, that of the bytes stands in its place.
    const std::string sealed = with_checksum(bytes);
    const bool matrix = accepts_hostile([&](Context<Host>& ctx) { parse_matrix(ctx, amg_file_format(), sealed); });
    const bool vectors = accepts_hostile([&](Context<Host>& ctx) { parse_amg_file_vectors<float>(ctx, sealed, name); });
    return matrix || vectors;
  }
  if (is_hdf5(bytes)) {
    const bool matrix = accepts_hostile([&](Context<Host>& ctx) { parse_matrix(ctx, hdf5_format(), bytes); });
    const bool vectors = accepts_hostile([&](Context<Host>& ctx) { parse_hdf5_vectors<float>(ctx, bytes, name); });
    return matrix || vectors;
  }
  if (is_npz(bytes)) {
    return accepts_hostile([&](Context<Host>& ctx) { parse_matrix(ctx, npz_format(), bytes); });
  }
  if (!is_petsc(bytes)) {
    return false;
  }
  const bool matrix = accepts_hostile([&](Context<Host>& ctx) { parse_matrix(ctx, petsc_format(), bytes); });
  const bool vector = accepts_hostile([&](Context<Host>& ctx) { parse_petsc_vector<float>(ctx, bytes, name); });
  return matrix || vector;
}

}  // namespace amgsolve::fuzz
