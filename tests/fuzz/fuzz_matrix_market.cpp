#include <cstddef>
#include <cstdint>

#include "tests/reference/hostile_matrix_market.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  amgsolve::reference::parse_hostile_text({reinterpret_cast<const char*>(data), size});
  return 0;
}
