#include "src/library/machine.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <string_view>

namespace amgsolve {
namespace {

/// What follows the separator in the first line that begins with `name`, without quotes; empty where there is none.
std::string value_in_file(const char* path, std::string_view name, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t end = line.find(separator);
    if (line.starts_with(name) && end != std::string::npos) {
      const std::size_t begin = line.find_first_not_of(" \t\"", end + 1);
      return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(" \t\"") + 1 - begin);
    }
  }
  return {};
}

std::string operating_system() {
  utsname kernel{};
  uname(&kernel);
  const std::string distribution = value_in_file("/etc/os-release", "PRETTY_NAME", '=');
  return (distribution.empty() ? "" : distribution + ", ") + kernel.sysname + " " + kernel.release;
}

}  // namespace

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // Fails where there are more processors than the set has room for; all of them can be used then.
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return CPU_COUNT(&set);
  }
  return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

Machine describe_machine() {
  return {.cpu = value_in_file("/proc/cpuinfo", "model name", ':'),
          .cores = available_cores(),
          .memory_bytes =
              static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)),
          .operating_system = operating_system()};
}

}  // namespace amgsolve
