#include <cstring>
#include <stdexcept>

#include "core/copy.hpp"
#include "core/format.hpp"

namespace amgsolve::detail {

void check_copy_sizes(std::size_t from, std::size_t to) {
  if (from != to) {
    throw std::invalid_argument(format_text("copy of {} elements into {}", from, to));
  }
}

void upload_bytes(Context<Host>& ctx, const void* from, void* to, std::size_t bytes) {
  copy_bytes(ctx, from, to, bytes);
}

void download_bytes(Context<Host>& ctx, const void* from, void* to, std::size_t bytes) {
  copy_bytes(ctx, from, to, bytes);
}

void copy_bytes(Context<Host>&, const void* from, void* to, std::size_t bytes) {
  if (bytes > 0) {  // the pointers of nothing may be null, which memcpy must not see
    std::memcpy(to, from, bytes);
  }
}

void zero_bytes(Context<Host>&, void* x, std::size_t bytes) {
  if (bytes > 0) {
    std::memset(x, 0, bytes);
  }
}

}  // namespace amgsolve::detail
