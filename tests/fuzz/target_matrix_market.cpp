#include "core/errors.hpp"
#include "problems/decompress.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/reference/hostile_matrix_market.hpp"

namespace amgsolve::fuzz {

bool matrix_market(std::string_view bytes) {
  const Compression compression = compression_of(bytes);
  if (compression == Compression::none) {
    return reference::parse_hostile_text(bytes);
  }
  Context<Host> ctx(1);
  ctx.memory().set_limit(reference::hostile_memory_allowed);
  try {
    const auto decompress = compression == Compression::gzip ? decompress_gzip : decompress_xz;
    return reference::parse_hostile_text(decompress(ctx, "hostile.mtx", bytes).text());
  } catch (const InputError&) {
    return false;
  } catch (const OutOfMemoryError&) {
    return false;
  }
}

}  // namespace amgsolve::fuzz
