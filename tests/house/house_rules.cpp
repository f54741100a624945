#include "tests/house/house_rules.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

namespace amgsolve::house {
namespace {

using Path = std::filesystem::path;

// Suffixes.

bool is_header(const Path& path) {
  return path.extension() == ".hpp" || path.extension() == ".h" || path.extension() == ".cuh";
}

bool is_host(const Path& path) { return path.stem().string().ends_with("_host"); }

bool is_cuda(const Path& path) {
  const std::string stem = path.stem().string();
  return stem.ends_with("_cuda") || stem.ends_with("_cusparse");
}

bool is_mpi(const Path& path) { return path.stem().string().ends_with("_mpi"); }

bool is_nccl(const Path& path) {
  const std::string stem = path.stem().string();
  return stem.ends_with("_nccl") || stem.ends_with("_nccl_cuda");
}

bool has_suffix(const Path& path) { return is_host(path) || is_cuda(path) || is_mpi(path) || is_nccl(path); }

/// What the suffix is put on: "spmv/spmv" for spmv/spmv_host.cpp; the stem itself where there is none.
std::string contract_name(const Path& path) {
  static const std::regex suffix("_(host|cuda|cusparse|mpi|nccl)$");
  return (path.parent_path() / std::regex_replace(path.stem().string(), suffix, "")).generic_string();
}

// Rooms.

/// A folder of the house, and the rooms or single headers that its files may include besides their own room.
struct Room {
  std::string_view folder;
  std::vector<std::string_view> may_include;
};

bool is_below(const std::string& path, std::string_view folder) {
  return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

/// The arrows. Of spmv/, src/ sees the containers that amg/ and problems/ hand over and how they move between memory
/// spaces, and none of the operations; of dist/ what rows ranks have, how they get there and
/// how one gets them all. A room inside another
/// one comes before it.
const std::vector<Room>& rooms() {
  constexpr std::string_view csr = "spmv/csr_matrix.hpp";
  constexpr std::string_view strip = "spmv/global_rows.hpp";
  constexpr std::string_view fat = "spmv/multi_vector.hpp";
  constexpr std::string_view transfer = "spmv/transfer.hpp";
  constexpr std::string_view local = "dist/local_matrix.hpp";
  constexpr std::string_view partition = "dist/partition.hpp";
  constexpr std::string_view replicate = "dist/replicate.hpp";
  constexpr std::string_view distribute = "dist/distribute_entries.hpp";
  static const std::vector<Room> all = {
      {"core", {}},
      {"spmv", {"core"}},
      {"spgemm", {"spmv", "core"}},
      {"dist", {"spgemm", "spmv", "core"}},
      {"amg", {"dist", "spgemm", "spmv", "core"}},
      {"problems", {"spmv", "core"}},
      {"include", {}},
      {"src/library", {"include", "amg", "core", csr, strip, fat, transfer, local}},
      {"src",
       {"include", "amg", "problems", "core", csr, strip, fat, transfer, local, partition, replicate, distribute}},
      {"bench", {"include", "src", "amg", "problems", "dist", "spgemm", "spmv", "core"}},
      {"tests", {"include", "src", "amg", "problems", "dist", "spgemm", "spmv", "core", "bench"}},
      {"examples", {"include"}},
      {"python", {"include"}},
  };
  return all;
}

/// What other rooms see of a room is its top level; its subfolders are its own. The folder of a source below one of
/// the rooms with the suffix law, "spgemm/esc"; empty at a room's top level.
std::string inner_folder(const Path& path) {
  return std::distance(path.begin(), path.end()) > 2 ? (*path.begin() / *std::next(path.begin())).generic_string() : "";
}

/// Subfolders that all others of their room may include, and includes between two others.
bool may_include_sibling(const std::string& folder, const std::string& sibling) {
  constexpr std::string_view shared[] = {"spgemm/rows"};
  constexpr std::pair<std::string_view, std::string_view> arrows[] = {{"spgemm/rows", "spgemm/sort"}};
  return std::ranges::find(shared, sibling) != std::end(shared) ||
         std::ranges::find(arrows, std::pair<std::string_view, std::string_view>(folder, sibling)) != std::end(arrows);
}

const Room& room_of(const Path& path) {
  return *std::ranges::find_if(rooms(), [&](const Room& room) { return is_below(path.generic_string(), room.folder); });
}

/// Rooms whose algorithms serve both memory spaces, so that the suffix must tell where a source runs.
bool has_suffix_law(const Path& path) {
  const std::string_view room = room_of(path).folder;
  return room == "core" || room == "spmv" || room == "spgemm" || room == "dist" || room == "amg" || room == "problems";
}

// Headers of other libraries.

/// The public headers that are for programs with another library.
constexpr std::string_view eigen_adapter = "include/amgsolve/eigen.hpp";
constexpr std::string_view mpi_adapter = "include/amgsolve/mpi.hpp";
constexpr std::string_view petsc_adapter = "include/amgsolve/petsc.hpp";

/// Headers from outside, and where they may be included.
struct Library {
  std::string_view name;
  std::regex headers;
  std::string_view place;
  bool (*is_in_place)(const Path&);
};

const std::vector<Library>& libraries() {
  constexpr auto is_application = [](const Path& path) {
    const std::string_view room = room_of(path).folder;
    return room == "src" || room == "bench" || room == "tests";
  };
  static const std::vector<Library> all = {
      {"CUB and Thrust", std::regex("(cub|thrust)/.*"), "a .cu source",
       [](const Path& path) { return path.extension() == ".cu"; }},
      {"CUDA", std::regex("(cuda|cusparse|cublas|cusolver|curand|cooperative_groups|nvtx).*"),
       "a source named *_cuda or *_cusparse", is_cuda},
      {"Eigen", std::regex("(unsupported/)?Eigen/.*"), "a .cpp source, and in the public adapter to Eigen",
       [](const Path& path) { return path.extension() == ".cpp" || path == eigen_adapter; }},
      {"MPI", std::regex("mpi\\.h"), "a source named *_mpi, an example or benchmark, and in the public header for it",
       [](const Path& path) {
         const std::string_view room = room_of(path).folder;
         return (is_mpi(path) && !is_header(path)) || room == "bench" || room == "examples" || path == mpi_adapter;
       }},
      {"NCCL", std::regex("nccl(_device)?\\.h"), "a source named *_nccl, or a benchmark",
       [](const Path& path) { return is_nccl(path) || room_of(path).folder == "bench"; }},
      {"OpenMP", std::regex("omp\\.h"), "a source named *_host",
       [](const Path& path) { return !has_suffix_law(path) || is_host(path); }},
      {"PETSc", std::regex("petsc.*\\.h"), "the public adapter to PETSc, and a test of that",
       [](const Path& path) { return path == petsc_adapter || room_of(path).folder == "tests"; }},
      {"yaml-cpp and CLI11", std::regex("(yaml-cpp|CLI)/.*"), "the application", is_application},
  };
  return all;
}

// Checks.

class Checker {
 public:
  explicit Checker(const std::vector<Source>& sources) {
    for (const Source& source : sources) {
      paths_.insert(source.path.generic_string());
      if (is_header(source.path)) {
        contracts_.insert(contract_name(source.path));
      }
    }
  }

  void check(const Source& source) {
    source_ = &source;
    line_ = 1;
    check_name();
    std::istringstream lines(source.text);
    for (std::string line; std::getline(lines, line); ++line_) {
      check_line(line.substr(0, line.find("//")));
    }
  }

  std::vector<std::string> violations;

 private:
  const Path& path() const { return source_->path; }

  void report(const std::string& what) {
    violations.push_back(path().generic_string() + ":" + std::to_string(line_) + ": " + what);
  }

  void check_name() {
    const std::string extension = path().extension().string();
    if ((extension == ".cu" || extension == ".cuh") && !path().stem().string().ends_with("_cuda")) {
      report("a " + extension + " source is named *_cuda" + extension);
    }
    if (has_suffix_law(path()) && has_suffix(path()) && !is_header(path()) && !has_contract()) {
      report("no header in this room declares what it implements: " + contract_name(path()) + ".hpp");
    }
  }

  /// spmv_ell_host.cpp may implement a part of spmv.hpp.
  bool has_contract() const {
    const std::string name = contract_name(path());
    return std::ranges::any_of(
        contracts_, [&](const std::string& contract) { return name == contract || name.starts_with(contract + "_"); });
  }

  void check_line(const std::string& line) {
    static const std::regex include("\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"].*");
    static const std::regex cuda("__global__|__device__|<<<|\\bcuda[A-Z]\\w*\\s*\\(");
    static const std::regex openmp("\\s*#\\s*pragma\\s+omp\\b.*");
    static const std::regex own_fmt("\\bfmt::(v?format(_to)?|print)\\(");
    std::smatch match;
    if (std::regex_match(line, match, include)) {
      if (match[1] == "\"") {
        check_private_include(match[2]);
      } else {
        check_outside_include(match[2]);
      }
    } else if (!is_below(path().generic_string(), "tests")) {
      if (std::regex_search(line, cuda) && !is_cuda(path()) && path() != "core/host_device.hpp") {
        report("CUDA code belongs in a source named *_cuda or *_cusparse");
      }
      if (std::regex_match(line, openmp) && has_suffix_law(path()) && !is_host(path())) {
        report("OpenMP belongs in a source named *_host");
      }
      if (std::regex_search(line, own_fmt) && contract_name(path()) != "core/format" &&
          room_of(path()).folder != "bench") {
        report("fmt is compiled anew by a source that calls it: format_text() of core/format.hpp is compiled once");
      }
    }
  }

  void check_private_include(const std::string& target) {
    if (!paths_.contains(target)) {
      report("\"" + target + "\" is no source of ours spelled from the root");
      return;
    }
    check_arrow(target);
    check_face(target);
    if (has_suffix_law(path())) {
      check_suffix_of_included(target);
    }
  }

  void check_outside_include(const std::string& target) {
    if (is_below(target, "amgsolve")) {
      check_arrow("include/" + target);
      return;
    }
    if (paths_.contains(target)) {
      report("<" + target + "> is ours: spell it \"" + target + "\"");
    }
    if (room_of(path()).folder == "include") {
      check_standard_include(target);
    }
    for (const Library& library : libraries()) {
      if (std::regex_match(target, library.headers) && !library.is_in_place(path())) {
        report("<" + target + ">: " + std::string(library.name) + " may be included in " + std::string(library.place) +
               " only");
      }
    }
  }

  /// A header named .h is for C, too.
  void check_standard_include(const std::string& target) {
    static const std::regex of_c("std(bool|def|int)\\.h");
    if ((path() == eigen_adapter && target.starts_with("Eigen/")) ||
        (path() == mpi_adapter && (target == "mpi.h" || target == "mpi-ext.h")) ||
        (path() == petsc_adapter && target == "petscksp.h")) {
      return;
    }
    if (path().extension() != ".h") {
      if (target.find_first_of("/.") != std::string::npos) {
        report("<" + target + ">: a public header includes the standard library only");
      }
    } else if (!std::regex_match(target, of_c)) {
      report("<" + target + ">: a public header for C includes headers of C only");
    }
  }

  void check_arrow(const std::string& target) {
    const Room& room = room_of(path());
    const bool allowed =
        is_below(target, room.folder) || std::ranges::any_of(room.may_include, [&](std::string_view entry) {
          return target == entry || is_below(target, entry);
        });
    if (!allowed) {
      report("no arrow leads from " + std::string(room.folder) + "/ to " + target);
    }
  }

  /// Tests and benchmarks may look at the inner parts of what they test.
  void check_face(const std::string& target) {
    const std::string folder = inner_folder(path());
    const std::string inner = inner_folder(target);
    const std::string_view room = room_of(path()).folder;
    if (inner.empty() || inner == folder || !has_suffix_law(target) || room == "tests" || room == "bench") {
      return;
    }
    if (!is_below(target, room)) {
      report(target + " is below the face of its room");
    } else if (!folder.empty() && !may_include_sibling(folder, inner)) {
      report("no arrow leads from " + folder + "/ to its sibling " + inner + "/");
    }
  }

  void check_suffix_of_included(const Path& target) {
    if (is_host(target) && !is_host(path())) {
      report(target.generic_string() + " is for sources named *_host");
    }
    if (is_cuda(target) && !is_cuda(path())) {
      report(target.generic_string() + " is for sources named *_cuda or *_cusparse");
    }
  }

  std::set<std::string> paths_;
  std::set<std::string> contracts_;
  const Source* source_ = nullptr;
  int line_ = 1;
};

}  // namespace

std::vector<Source> read_sources(const Path& root) {
  static const std::set<std::string> extensions = {".hpp", ".h", ".cpp", ".cu", ".cuh"};
  std::vector<Source> sources;
  for (const Room& room : rooms()) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / room.folder)) {
      if (room_of(entry.path().lexically_relative(root)).folder == room.folder &&
          extensions.contains(entry.path().extension().string())) {
        std::ostringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        sources.push_back({entry.path().lexically_relative(root), text.str()});
      }
    }
  }
  std::ranges::sort(sources, {}, &Source::path);
  return sources;
}

std::vector<std::string> find_violations(const std::vector<Source>& sources) {
  Checker checker(sources);
  for (const Source& source : sources) {
    checker.check(source);
  }
  return std::move(checker.violations);
}

}  // namespace amgsolve::house
