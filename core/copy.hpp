#pragma once

#include <cstddef>
#include <type_traits>

#include "core/context.hpp"

/// Copies within and between memory spaces, under the same names for both so that code written once can say what it
/// needs; on the host all of them are plain copies. They throw std::invalid_argument naming both sizes where these do
/// not match.
namespace amgsolve {
namespace detail {

void check_copy_sizes(std::size_t from, std::size_t to);

void upload_bytes(Context<Host>& ctx, const void* from, void* to, std::size_t bytes);
void upload_bytes(Context<Cuda>& ctx, const void* from, void* to, std::size_t bytes);
void download_bytes(Context<Host>& ctx, const void* from, void* to, std::size_t bytes);
void download_bytes(Context<Cuda>& ctx, const void* from, void* to, std::size_t bytes);
void copy_bytes(Context<Host>& ctx, const void* from, void* to, std::size_t bytes);
void copy_bytes(Context<Cuda>& ctx, const void* from, void* to, std::size_t bytes);
void zero_bytes(Context<Host>& ctx, void* x, std::size_t bytes);
void zero_bytes(Context<Cuda>& ctx, void* x, std::size_t bytes);

}  // namespace detail

/// to = from, from the host to the context's space. `from` may change once this returns, except for page-locked memory,
/// which the stream reads when it gets there.
template <class T, MemorySpace S>
void upload(Context<S>& ctx, Span<const std::type_identity_t<T>, Host> from, Span<T, S> to) {
  detail::check_copy_sizes(from.size(), to.size());
  detail::upload_bytes(ctx, from.data(), to.data(), from.size() * sizeof(T));
}

/// A copy of `from` in the context's space; see above.
template <class T, MemorySpace S>
Buffer<std::remove_const_t<T>, S> upload(Context<S>& ctx, Span<T, Host> from) {
  Buffer<std::remove_const_t<T>, S> to(ctx, from.size());
  upload(ctx, from, to.span());
  return to;
}

/// to = from, from the context's space to the host. Synchronises.
template <class T, MemorySpace S>
void download(Context<S>& ctx, Span<T, S> from, Span<std::remove_const_t<T>, Host> to) {
  detail::check_copy_sizes(from.size(), to.size());
  detail::download_bytes(ctx, from.data(), to.data(), from.size() * sizeof(T));
}

/// x_i, on the host. Synchronises.
template <class T, MemorySpace S>
std::remove_const_t<T> element(Context<S>& ctx, Span<T, S> x, std::size_t i) {
  std::remove_const_t<T> result;
  download(ctx, x.subspan(i, 1), {&result, 1});
  return result;
}

/// to = from within the context's space, without overlap.
template <class T, MemorySpace S>
void copy(Context<S>& ctx, std::type_identity_t<Span<const T, S>> from, Span<T, S> to) {
  detail::check_copy_sizes(from.size(), to.size());
  detail::copy_bytes(ctx, from.data(), to.data(), from.size() * sizeof(T));
}

/// x = 0, which for every value type is all bits zero.
template <class T, MemorySpace S>
void set_zero(Context<S>& ctx, Span<T, S> x) {
  detail::zero_bytes(ctx, x.data(), x.size() * sizeof(T));
}

}  // namespace amgsolve
