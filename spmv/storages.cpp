#include "spmv/storages.hpp"

#include <algorithm>

#include "core/format.hpp"

namespace amgsolve {

static_assert(std::ranges::all_of(storages,
                                  [](const StorageEntry& entry) { return &entry_of(entry.storage) == &entry; }),
              "in the order of Storage");

std::string_view name(Storage storage) { return storage == Storage::automatic ? "auto" : entry_of(storage).name; }

std::vector<std::pair<std::string_view, Storage>> storage_names() {
  std::vector<std::pair<std::string_view, Storage>> names{{name(Storage::automatic), Storage::automatic}};
  for (const StorageEntry& entry : storages) {
    names.emplace_back(entry.name, entry.storage);
  }
  return names;
}

std::string_view storage_help() {
  static const std::string help = [] {
    std::string result = "How the levels' matrices lie in memory while solving: ";
    for (const StorageEntry& entry : storages) {
      result += format_text("{} ({}), ", entry.name, entry.help);
    }
    return result + "or with auto what is cheapest for each";
  }();
  return help;
}

}  // namespace amgsolve
