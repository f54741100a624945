#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/collectively.hpp"
#include "core/errors.hpp"
#include "problems/file_part.hpp"

namespace amgsolve {

/// The rows of this rank in read(), a FilePart, where every rank has its own and the file is intact; else nothing on
/// all ranks, also where read() throws InputError on one: what is wrong who reads the whole file says best. Collective.
template <class Read>
auto read_in_parts(const Communicator& ranks, const Read& read) {
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
  return have_all && is_intact ? std::move(part.rows) : std::nullopt;
}

}  // namespace amgsolve
