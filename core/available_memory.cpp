#include "core/available_memory.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/format.hpp"

namespace amgsolve {
namespace {

/// The number that the text begins with, past blanks.
std::optional<std::size_t> number_in(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

/// The number after `name` in the first line that begins with it; nothing where the line says "unlimited".
std::optional<std::size_t> number_after(const std::string& file, std::string_view name) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(name)) {
      return number_in(std::string_view(line).substr(name.size()));
    }
  }
  return std::nullopt;
}

/// What the kernel's two interfaces to control groups call the same.
struct GroupFiles {
  const char* limit;
  const char* usage;
  std::array<const char*, 3> reclaimable;  ///< in memory.stat
};

constexpr GroupFiles version_2{"memory.max", "memory.current", {"active_file ", "inactive_file ", "slab_reclaimable "}};
constexpr GroupFiles version_1{
    "memory.limit_in_bytes", "memory.usage_in_bytes", {"total_active_file ", "total_inactive_file ", "no such line"}};

std::size_t left_of(std::size_t limit, std::size_t used) { return limit - std::min(limit, used); }

/// Of the group at `path`, empty or "/...", below the hierarchy's `mount` and of all above it. A container sees its own
/// group as the mount, and a path to it that is not there.
void lower_by_groups(AvailableMemory& available, std::string_view mount, std::string_view path,
                     const GroupFiles& files) {
  for (;; path = path.substr(0, path.rfind('/'))) {
    const auto number = [&](const char* file, const char* name) {
      return number_after(format_text("{}{}/{}", mount, path, file), name);
    };
    const std::optional<std::size_t> limit = number(files.limit, "");
    const std::optional<std::size_t> usage = number(files.usage, "");
    if (limit && usage) {
      std::size_t reclaimable = 0;
      for (const char* name : files.reclaimable) {
        reclaimable += number("memory.stat", name).value_or(0);
      }
      available.lower(left_of(*limit, left_of(*usage, reclaimable)),
                      format_text("the limit of the control group {} ({})", path.empty() ? "/" : path, files.limit));
    }
    if (path.empty()) {
      return;
    }
  }
}

/// The lines of proc/self/cgroup are "number:controllers:path", with "0::path" that of version 2.
void lower_by_groups(AvailableMemory& available, const std::string& root) {
  const std::string mount = format_text("{}/sys/fs/cgroup", root);
  std::ifstream stream(format_text("{}/proc/self/cgroup", root));
  for (std::string line; std::getline(stream, line);) {
    const std::size_t controllers = line.find(':') + 1;
    const std::size_t colon = line.find(':', controllers);
    if (controllers == 0 || colon == std::string::npos || line[colon + 1] != '/') {
      continue;
    }
    const std::string names = format_text(",{},", line.substr(controllers, colon - controllers));
    const std::string_view whole(line);
    const std::string_view path = whole.substr(colon + 1, whole.find_last_not_of('/') - colon);
    if (names == ",,") {
      lower_by_groups(available, mount, path, version_2);
    } else if (names.find(",memory,") != std::string::npos) {
      lower_by_groups(available, format_text("{}/memory", mount), path, version_1);
    }
  }
}

}  // namespace

void AvailableMemory::lower(std::size_t other_bytes, const std::string& other_limit) {
  if (other_bytes < bytes) {
    bytes = other_bytes;
    limit = other_limit;
  }
}

AvailableMemory available_main_memory(const std::filesystem::path& root_path) {
  // Appending to a path is not safe where memory runs out: libstdc++ 12 destroys what was never made.
  const std::string root = root_path.string();
  constexpr std::size_t kilobyte = 1024;
  AvailableMemory available;
  if (const auto free = number_after(format_text("{}/proc/meminfo", root), "MemAvailable:")) {
    available.lower(*free * kilobyte, "what the machine has available");
  }
  lower_by_groups(available, root);
  const auto lower_by_process = [&](const char* limit_name, const char* usage_name, const char* words) {
    const auto limit = number_after(format_text("{}/proc/self/limits", root), limit_name);
    const auto used = number_after(format_text("{}/proc/self/status", root), usage_name);
    if (limit && used) {
      available.lower(left_of(*limit, *used * kilobyte), words);
    }
  };
  lower_by_process("Max address space", "VmSize:", "the limit on the address space of a process (ulimit -v)");
  lower_by_process("Max data size", "VmData:", "the limit on the data of a process (ulimit -d)");
  return available;
}

}  // namespace amgsolve
