#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/house/house_rules.hpp"

namespace amgsolve::house {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A small house in order, and one more source in it.
std::vector<std::string> violations_with(const std::string& path, const std::string& text) {
  std::vector<Source> sources = {
      {"core/buffer.hpp", "#include <vector>\n"},
      {"core/parallel_host.hpp", "#include <omp.h>\n#pragma omp parallel\n"},
      {"core/stream_cuda.hpp", "#include <cuda_runtime.h>\n"},
      {"spmv/csr_matrix.hpp", "#include \"core/buffer.hpp\"\n"},
      {"spmv/spmv.hpp", "#include \"spmv/csr_matrix.hpp\"\n"},
      {"spmv/spmv_host.cpp", "#include \"core/parallel_host.hpp\"\n#include \"spmv/spmv.hpp\"\n#pragma omp for\n"},
      {"spmv/spmv_cuda.cu", "#include <cub/cub.cuh>\n#include \"spmv/spmv.hpp\"\n__global__ void kernel();\n"},
      {"spgemm/spgemm.hpp", "#include \"spmv/csr_matrix.hpp\"\n"},
      {"spgemm/spgemm.cpp", "#include \"spgemm/esc/esc.hpp\"\n#include \"spgemm/spgemm.hpp\"\n"},
      {"spgemm/esc/esc.hpp", "#include \"spgemm/rows/bins.hpp\"\n#include \"spgemm/spgemm.hpp\"\n"},
      {"spgemm/rows/bins.hpp", "#include \"spgemm/sort/sort.hpp\"\n"},
      {"spgemm/sort/sort.hpp", "#include \"spmv/csr_matrix.hpp\"\n"},
      {"dist/layout.hpp", "#include \"core/buffer.hpp\"\n"},
      {"amg/solver.hpp", "#include \"dist/layout.hpp\"\n#include \"spgemm/spgemm.hpp\"\n"},
      {"amg/coarse.cpp", "#include <Eigen/Dense>\n"},
      {"problems/grid.hpp", "#include \"spmv/csr_matrix.hpp\"\n"},
      {"include/amgsolve/amgsolve.h", "#include <amgsolve/export.h>\n#include <stdint.h>\n"},
      {"include/amgsolve/amgsolve.hpp", "#include <amgsolve/export.h>\n#include <vector>\n"},
      {"src/library/solver.cpp", "#include <amgsolve/amgsolve.hpp>\n#include \"amg/solver.hpp\"\n"},
      {"src/main.cpp", "#include <CLI/CLI.hpp>\n#include \"problems/grid.hpp\"\n#include \"spmv/csr_matrix.hpp\"\n"},
      {"tests/spgemm/test_esc.cpp", "#include \"spgemm/esc/esc.hpp\"\n"},
      {"examples/embed/main.cpp", "#include <amgsolve/amgsolve.hpp>\n"},
  };
  if (!path.empty()) {
    sources.push_back({path, text});
  }
  return find_violations(sources);
}

TEST(House, SourcesKeepTheRules) {
  const std::vector<Source> sources = read_sources(AMGSOLVE_SOURCE_DIR);
  EXPECT_THAT(sources, SizeIs(testing::Gt(50)));
  EXPECT_THAT(find_violations(sources), IsEmpty());
}

TEST(House, AcceptsAHouseInOrder) { EXPECT_THAT(violations_with("", ""), IsEmpty()); }

TEST(House, IgnoresComments) {
  EXPECT_THAT(violations_with("core/note.hpp", "// #include \"amg/solver.hpp\"\n/// launch<<<1, 1>>>\n"), IsEmpty());
}

struct Violation {
  std::string name;
  std::string path;
  std::string text;
  std::string message;
};

class HouseViolation : public testing::TestWithParam<Violation> {};

TEST_P(HouseViolation, IsFound) {
  const auto& [name, path, text, message] = GetParam();
  EXPECT_THAT(violations_with(path, text), ElementsAre(HasSubstr(message)));
}

INSTANTIATE_TEST_SUITE_P(
    Planted, HouseViolation,
    testing::Values(
        Violation{"ArrowUp", "core/bad.hpp", "#include \"spmv/spmv.hpp\"", "core/bad.hpp:1: no arrow leads from core/"},
        Violation{"ArrowUpOnAnyLine", "spmv/bad.hpp", "\n\n #  include \"amg/solver.hpp\" // why\n", "spmv/bad.hpp:3:"},
        Violation{"ProblemsToAmg", "problems/bad.cpp", "#include \"amg/solver.hpp\"", "from problems/ to amg/"},
        Violation{"AmgToProblems", "amg/bad.cpp", "#include \"problems/grid.hpp\"", "from amg/ to problems/"},
        Violation{"BelowTheFace", "amg/bad.cpp", "#include \"spgemm/esc/esc.hpp\"", "is below the face of its room"},
        Violation{"Sibling", "spgemm/hash/bad.hpp", "#include \"spgemm/esc/esc.hpp\"",
                  "from spgemm/hash/ to its sibling"},
        Violation{"SiblingWithAnArrow", "spgemm/sort/bad.hpp", "#include \"spgemm/esc/esc.hpp\"",
                  "from spgemm/sort/ to"},
        Violation{"ArrowUpToDist", "spmv/bad.hpp", "#include \"dist/layout.hpp\"", "from spmv/ to dist/"},
        Violation{"MpiInHost", "core/bad.cpp", "#include <mpi.h>", "MPI may be included in a source named *_mpi, an"},
        Violation{"MpiInHeader", "core/bad_mpi.hpp", "#include <mpi.h>", "MPI may be included in a source named *_mpi"},
        Violation{"NcclInHost", "core/bad.cpp", "#include <nccl.h>",
                  "NCCL may be included in a source named *_nccl, or"},
        Violation{"RoomToPublic", "amg/bad.cpp", "#include <amgsolve/amgsolve.hpp>", "from amg/ to include/"},
        Violation{"LibraryToProblems", "src/library/bad.cpp", "#include \"problems/grid.hpp\"", "from src/library/"},
        Violation{"ApplicationToOperation", "src/bad.cpp", "#include \"spmv/spmv.hpp\"", "from src/ to spmv/spmv.hpp"},
        Violation{"ExampleToPrivate", "examples/bad.cpp", "#include \"amg/solver.hpp\"", "from examples/ to amg/"},
        Violation{"PublicToPrivate", "include/amgsolve/bad.hpp", "#include \"core/buffer.hpp\"", "from include/"},
        Violation{"PublicToLibrary", "include/amgsolve/bad.hpp", "#include <fmt/format.h>", "standard library only"},
        Violation{"PublicToHeaderOfC", "include/amgsolve/bad.hpp", "#include <stdint.h>", "standard library only"},
        Violation{"PublicForCToCpp", "include/amgsolve/bad.h", "#include <cstdint>", "headers of C only"},
        Violation{"IncludeFromOwnFolder", "spmv/bad.hpp", "#include \"csr_matrix.hpp\"", "spelled from the root"},
        Violation{"IncludeThroughParent", "spmv/bad.hpp", "#include \"../core/buffer.hpp\"", "spelled from the root"},
        Violation{"PublicInQuotes", "src/bad.cpp", "#include \"amgsolve/amgsolve.hpp\"", "spelled from the root"},
        Violation{"PrivateInBrackets", "spmv/bad.hpp", "#include <core/buffer.hpp>", "spell it \"core/buffer.hpp\""},
        Violation{"CubInHeader", "core/sort_cuda.hpp", "#include <cub/cub.cuh>", "CUB and Thrust may be included in a"},
        Violation{"ThrustInCpp", "spmv/spmv_cuda.cpp", "#include <thrust/sort.h>", "CUB and Thrust"},
        Violation{"EigenInHeader", "amg/bad.hpp", "#include <Eigen/Dense>", "Eigen may be included in a .cpp source"},
        Violation{"YamlInLibrary", "src/library/bad.cpp", "#include <yaml-cpp/yaml.h>", "in the application only"},
        Violation{"CudaInHost", "spmv/spmv_host.cpp", "#include <cuda_runtime.h>", "CUDA may be included in"},
        Violation{"CudaInBoth", "amg/bad.cpp", "#include <cusparse.h>", "CUDA may be included in"},
        Violation{"KernelInBoth", "amg/bad.cpp", "kernel<<<1, 1>>>();", "CUDA code belongs in"},
        Violation{"CudaCallInHost", "spmv/spmv_host.cpp", "  cudaFree(p);", "CUDA code belongs in"},
        Violation{"CudaHeaderInBoth", "amg/bad.cpp", "#include \"core/stream_cuda.hpp\"", "for sources named *_cuda"},
        Violation{"FmtOfItsOwn", "amg/bad.cpp", "throw InputError(fmt::format(\"{}\", 1));",
                  "compiled anew by a source"},
        Violation{"OpenMpInBoth", "amg/bad.cpp", "#pragma omp parallel for", "OpenMP belongs in"},
        Violation{"OpenMpHeaderInBoth", "amg/bad.cpp", "#include <omp.h>", "OpenMP may be included in"},
        Violation{"HostHeaderInBoth", "amg/bad.cpp", "#include \"core/parallel_host.hpp\"", "for sources named *_host"},
        Violation{"KernelFileWithoutSuffix", "spmv/spmv.cu", "", "a .cu source is named *_cuda.cu"},
        Violation{"KernelHeaderWithoutSuffix", "spmv/spmv.cuh", "", "a .cuh source is named *_cuda.cuh"},
        Violation{"SourceWithoutContract", "spmv/bad_host.cpp", "", "no header in this room declares"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace amgsolve::house
