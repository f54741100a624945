#include "src/library/same_options.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/hash.hpp"

namespace amgsolve {
namespace {

std::uint64_t hash_of(const SchemaEntry& entry) {
  std::string text = format(entry.get());
  if (entry.type == ValueType::input_file || entry.type == ValueType::output_file ||
      entry.type == ValueType::output_folder) {
    text = std::filesystem::path(text).filename().string();
  }
  std::uint64_t hash = 0;
  for (const char letter : text) {
    hash = hash64(hash + static_cast<unsigned char>(letter));
  }
  return hash;
}

}  // namespace

void forget_place(Configuration& configuration) {
  const Configuration any;
  configuration.device = any.device;
  configuration.threads = any.threads;
  configuration.memory_limit = any.memory_limit;
}

void require_same_options(const Schema& schema, const Communicator& ranks) {
  std::vector<std::uint64_t> own;
  std::ranges::transform(schema.entries(), std::back_inserter(own), hash_of);
  const std::vector<std::uint64_t> all = ranks.all_gather_list(std::span<const std::uint64_t>(own));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t key = i % own.size();
    if (all[i] != all[key]) {
      throw ConfigurationError(format_text("ranks were given different options: '{}' of rank {} is not that of rank 0",
                                           schema.entries()[key].key, i / own.size()));
    }
  }
}

}  // namespace amgsolve
