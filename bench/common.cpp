#include "bench/common.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/device.hpp"
#include "core/errors.hpp"
#include "core/output_file.hpp"
#include "src/library/machine.hpp"

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
    // A clamped bar of 943,296 unknowns.
    GeneratedProblem& elastic = result["E68"];
    elastic.pde = Pde::elasticity;
    elastic.grid = {3, {68, 68, 68}};
    elastic.discretization = Discretization::q1;
    elastic.boundary = Boundary::clamped_face;
    result["d2p5_4096"].grid = {2, {4096, 4096, 1}};
    result["d3p7_256"].grid = {3, {256, 256, 256}};
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

std::string commit() {
  const char* given = std::getenv("AMGSOLVE_COMMIT");
  return given != nullptr ? given
                          : first_line("git -C '" AMGSOLVE_SOURCE_DIR "' describe --always --dirty 2>/dev/null");
}

nlohmann::json describe(const std::string& benchmark, Backend backend) {
  const Machine machine = describe_machine();
  return {{"benchmark", benchmark},
          {"backend", to_string(backend)},
          {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
          {"commit", commit()},
          {"machine", {{"processor", machine.cpu}, {"cores", machine.cores}}},
          {"build", {{"compiler", "g++ " __VERSION__}, {"flags", AMGSOLVE_BUILD_FLAGS}}}};
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

void add_run_options(CommandLine& line, RunOptions& options, const std::vector<std::string>& problems) {
  line.add("--problem", options.problems, "several", problems);
  line.add("--backend", options.backend, "host, or an NVIDIA GPU: cuda", {"host", "cuda"});
  line.add("--threads", options.threads, "of the host; 0: all");
  line.add("--json", options.json, "file to write the results to");
}

nlohmann::json describe_run(const Context<Host>& ctx, const std::string& benchmark) {
  nlohmann::json json = describe(benchmark, Backend::host);
  json["threads"] = ctx.threads();
  return json;
}

nlohmann::json describe_run([[maybe_unused]] const Context<Cuda>& ctx, const std::string& benchmark) {
  nlohmann::json json = describe(benchmark, Backend::cuda);
#if AMGSOLVE_HAVE_CUDA
  const DeviceDescription device = describe_device(ctx.device());
  json["device"] = {{"name", device.name},
                    {"driver", first_line("nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null")},
                    {"cuda_of_driver", format_cuda_version(device.driver_version)},
                    {"cuda", format_cuda_version(device.runtime_version)},
                    {"memory_bytes", device.memory_bytes},
                    {"l2_bytes", device.l2_bytes}};
#endif
  return json;
}

nlohmann::json to_json(const Profile& profile) {
  nlohmann::json list = nlohmann::json::array();
  for (const Profile::Node& node : profile.nodes()) {
    list.push_back({{"phase", node.phase},
                    {"level", node.level},
                    {"seconds", node.seconds()},
                    {"calls", node.calls},
                    {"bytes", node.work.bytes}});
  }
  return list;
}

void write_json(const std::string& path, const nlohmann::json& result) {
  if (path.empty()) {
    return;
  }
  write_file_atomically(path, result.dump(2) + '\n');
}

}  // namespace amgsolve::bench
