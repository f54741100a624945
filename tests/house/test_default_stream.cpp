#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/house/house_rules.hpp"

/// All device work goes to the context's stream. What would land on the default stream, or wait for the whole device,
/// shows in the source: a launch without a stream, a call that has an Async twin, CUB or Thrust left to its default.
namespace amgsolve::house {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// Statements that match `pattern` and do not contain `needed`.
void find_statements(const std::string& text, const char* pattern, const char* needed,
                     std::vector<std::string>& found) {
  const std::regex regex(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) {
    const std::string statement = match->str();
    if (statement.find(needed) == std::string::npos) {
      found.push_back(statement);
    }
  }
}

std::vector<std::string> default_stream_uses(const std::string& source) {
  const std::string text = std::regex_replace(source, std::regex("//[^\n]*"), "");
  std::vector<std::string> found;
  find_statements(text, R"(<<<[^;]*?>>>)", "stream", found);
  find_statements(text, R"(\bcudaMem(cpy|set|Prefetch)\w*\s*\()", "Async", found);
  find_statements(text, R"(\bcuda(Malloc|MallocManaged|Free|DeviceSynchronize)\s*\()", "never", found);
  find_statements(text, R"(\bcub::Device\w+::\w+\s*\([^;]*;)", "stream", found);
  find_statements(text, R"(\bthrust::(?!make_|get\b)\w+\s*\([^;]*;)", ".on(", found);
  return found;
}

TEST(DefaultStream, IsNotUsed) {
  for (const Source& source : read_sources(AMGSOLVE_SOURCE_DIR)) {
    const std::string name = source.path.stem().string();
    if (name.ends_with("_cuda") || name.ends_with("_cusparse")) {  // the house rules let no other call CUDA
      // A stage for a CUDA-aware MPI, which grows while nothing is on its way, is of memory of no stream.
      const std::regex of_stage(name == "communicator_staged_cuda" ? R"(\bcuda(Malloc|Free)\()" : "$.");
      EXPECT_THAT(default_stream_uses(std::regex_replace(source.text, of_stage, "(")), IsEmpty()) << source.path;
    }
  }
}

TEST(DefaultStream, PlantedUsesAreFound) {
  for (const char* use :
       {"kernel<<<1, 2>>>(x);", "kernel<<<grid,\n block, 0>>>(x);", "cudaMemcpy(to, from, n, kind);",
        "cudaMemset2D(x, 0, 1, 2, 3);", "cudaMalloc(&p, n);", "cudaFree (p);", "cudaDeviceSynchronize();",
        "cub::DeviceScan::InclusiveSum(p, bytes, x,\n y, n);", "thrust::sort(first, last);"}) {
    EXPECT_THAT(default_stream_uses(use), SizeIs(1)) << use;
  }
}

TEST(DefaultStream, OtherStreamsAreAccepted) {
  for (const char* use : {"kernel<<<1, 2, 0, ctx.stream()>>>(x);", "cudaMemcpyAsync(to, from, n, kind, stream);",
                          "cudaMallocHost(&p, n);", "cudaFreeHost(p);", "cudaFreeAsync(p, stream);",
                          "cub::DeviceScan::InclusiveSum(p, bytes, x, y, n, stream);",
                          "thrust::sort(thrust::cuda::par.on(stream), first, last);", "// kernel<<<1, 2>>>(x);",
                          "thrust::counting_iterator<int>(0);", "thrust::make_zip_iterator(a, b);"}) {
    EXPECT_THAT(default_stream_uses(use), IsEmpty()) << use;
  }
}

}  // namespace
}  // namespace amgsolve::house
