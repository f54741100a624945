#include "bench/common.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve::bench {
namespace {

const std::map<std::string, GeneratedProblem>& problems() {
  static const std::map<std::string, GeneratedProblem> table = [] {
    const StructuredGrid plane{2, {1024, 1024, 1}};
    const StructuredGrid cube{3, {101, 101, 101}};
    std::map<std::string, GeneratedProblem> result;
    result["P1"].grid = plane;
    result["P2"].grid = plane;
    result["P2"].discretization = Discretization::q1;
    result["P3"].grid = cube;
    result["P4"].grid = cube;
    result["P4"].discretization = Discretization::q1;
    GeneratedProblem& anisotropic = result["P6"];
    anisotropic.pde = Pde::diffusion;
    anisotropic.grid = {2, {512, 512, 1}};
    anisotropic.discretization = Discretization::q1;
    anisotropic.anisotropy = {1.0e-3, 30.0};
    GeneratedProblem& checkerboard = result["P7"];
    checkerboard.pde = Pde::diffusion;
    checkerboard.grid = cube;
    checkerboard.coefficient.type = CoefficientType::checkerboard;
    checkerboard.coefficient.block = 8;
    checkerboard.coefficient.low = 1.0;
    checkerboard.coefficient.high = 1.0e4;
    return result;
  }();
  return table;
}

std::string first_line(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 256> buffer{};
  if (pipe == nullptr || std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe.get()) == nullptr) {
    return "unknown";
  }
  std::string line = buffer.data();
  line.erase(line.find_last_not_of('\n') + 1);
  return line;
}

std::string processor() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.rfind("model name", 0) == 0) {
      return line.substr(line.find(':') + 2);
    }
  }
  return "unknown";
}

}  // namespace

const std::vector<std::string>& problem_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const auto& [name, problem] : problems()) {
      result.push_back(name);
    }
    return result;
  }();
  return names;
}

GeneratedProblem problem(const std::string& name) {
  const auto found = problems().find(name);
  if (found == problems().end()) {
    throw ConfigurationError(
        fmt::format("unknown benchmark problem '{}'; there are {}", name, fmt::join(problem_names(), ", ")));
  }
  return found->second;
}

double copy_bandwidth(Context<Host>& ctx, std::size_t bytes) {
  const auto n = static_cast<Index>(bytes / (2 * sizeof(double)));
  FatVector<double, Host> from(ctx, n);
  FatVector<double, Host> to(ctx, n);
  fill<double>(ctx, 1.0, from);
  fill<double>(ctx, 0.0, to);
  const double seconds = median_seconds([&] { copy<double, double>(ctx, from, to); });
  return static_cast<double>(from.bytes() + to.bytes()) / seconds;
}

nlohmann::json describe_run(const Context<Host>& ctx, const std::string& benchmark) {
  return {{"benchmark", benchmark},
          {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
          {"commit", first_line("git -C '" AMGSOLVE_SOURCE_DIR "' describe --always --dirty 2>/dev/null")},
          {"machine", {{"processor", processor()}, {"cores", sysconf(_SC_NPROCESSORS_ONLN)}}},
          {"threads", ctx.threads()},
          {"build", {{"compiler", "g++ " __VERSION__}, {"flags", AMGSOLVE_BUILD_FLAGS}}}};
}

void write_json(const std::string& path, const nlohmann::json& result) {
  std::ofstream file(path);
  file << result.dump(2) << '\n';
  if (!file) {
    throw InputError(fmt::format("cannot write {}", path));
  }
}

}  // namespace amgsolve::bench
