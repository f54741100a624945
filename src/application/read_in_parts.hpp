#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/collectively.hpp"
#include "core/context.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "problems/file_part.hpp"

namespace amgsolve {

/// Has the open phase tell how several ranks have read a file.
inline void note_reading(Context<Host>& ctx, const std::filesystem::path& path, bool in_parts) {
  ctx.profile().note(
      format_text("{}: every rank has read {}", path.string(), in_parts ? "its part" : "the whole of it"));
}

/// The rows of this rank in read(), a FilePart, where every rank has its own and the file is intact; else nothing on
/// all ranks, also where read() throws InputError on one: what is wrong who reads the whole file says best. Collective.
template <class Read>
auto read_in_parts(Context<Host>& ctx, const std::filesystem::path& path, const Read& read) {
  const Communicator& ranks = ctx.communicator();
  decltype(read()) part;
  collectively(ranks, [&] {
    try {
      part = read();
    } catch (const InputError&) {
      part = {};
    }
  });
  const bool have_all = ranks.max(part.rows ? 0 : 1) == 0;
  const bool is_intact = ranks.sum(std::bit_cast<std::int64_t>(part.difference)) == 0;
  const bool in_parts = have_all && is_intact;
  note_reading(ctx, path, in_parts);
  return in_parts ? std::move(part.rows) : std::nullopt;
}

}  // namespace amgsolve
