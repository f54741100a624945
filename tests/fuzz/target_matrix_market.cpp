#include "problems/decompress.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/reference/hostile_matrix_market.hpp"

namespace amgsolve::fuzz {

bool matrix_market(std::string_view bytes) {
  const Compression compression = compression_of(bytes);
  if (compression == Compression::none) {
    return reference::parse_hostile_text(bytes);
  }
  bool is_taken = false;
  reference::accepts_hostile([&](Context<Host>& ctx) {
    const auto decompress = compression == Compression::gzip ? decompress_gzip : decompress_xz;
    is_taken = reference::parse_hostile_text(decompress(ctx, "hostile.mtx", bytes).text());
  });
  return is_taken;
}

}  // namespace amgsolve::fuzz
