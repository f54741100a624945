#include "src/application/waiting_threads.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace amgsolve {
namespace {

/// About a microsecond, in which the next loop of a level mostly begins. On two idle cores solves took as long with 0
/// to 300000 spins; with other programs on them 1000 took up to twice as long as 300, and the default 10 times.
constexpr const char* spins = "300";

/// Numbers of threads by depth, separated by commas, as the runtime of OpenMP takes them.
bool is_valid(const char* threads) {
  for (const char* next = threads;; ++next) {
    char* end = nullptr;
    errno = 0;
    if (std::strtol(next, &end, 10) <= 0 || errno != 0) {
      return false;
    }
    next = end + std::strspn(end, " \t");
    if (*next != ',') {
      return *next == '\0';
    }
  }
}

}  // namespace

void limit_spinning(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr && std::getenv("GOMP_SPINCOUNT") == nullptr &&
      setenv("GOMP_SPINCOUNT", spins, 0) == 0) {
    // The runtime has said so already, and would again.
    if (const char* threads = std::getenv("OMP_NUM_THREADS"); threads != nullptr && !is_valid(threads)) {
      unsetenv("OMP_NUM_THREADS");
    }
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    execv(self.c_str(), argv);
  }
}

}  // namespace amgsolve
