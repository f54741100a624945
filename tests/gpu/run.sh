#!/usr/bin/env bash
# Configures and builds with CUDA, runs the tests labelled gpu and large and a selection of them under compute-sanitizer, and
# writes summary.txt and the logs into a folder. Fails where any part fails.
#
#   tests/gpu/run.sh RESULTS [BUILD]      RESULTS: folder for the logs; BUILD: default build/gpu
#
# CUDA_ARCHITECTURES  default native
# JOBS                default the number of cores
# SANITIZED_TESTS     filter of the tests run under compute-sanitizer: small ones of every kind of kernel
set -uo pipefail

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  sed -n '2,/^set/{/^#/p}' "$0"
  exit 2
fi
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
results=$(cd "$1" && pwd)
build=${2:-$source_dir/build/gpu}
jobs=${JOBS:-$(nproc)}
# Without the tests of errors, which compute-sanitizer would report.
sanitized_tests=${SANITIZED_TESTS:-$(tr -d ' \n' <<'FILTER'
Copy/*_cuda.*:Sizes/CudaAlgorithms.*:CudaParallel.*:
Products/double_cuda.*Reference*:Storages/double_cuda.*:Blas1/double_cuda.*:GlobalSum/*cuda.*:Conversions/double_cuda.*:Statistics/double_cuda.*:
Spgemm/double_cuda.MatchesTheNaiveProduct:Spgemm/double_cuda.SortsRowsOfEveryLength:CudaEscGlobal.GivesTheSameInSlices:
CudaEsc/1.FormsRowsOnBothSides*:CudaEsc/1.TakesRowsOfOneGroup*:CudaEscFused/1.FormsRows*:CudaThin/1.Takes*:
Strength/double_cuda.*:CouplingsTest/double_cuda.*:Coarsening/*cuda.*:Prolongator/double_cuda.*:InterpolationTest/double_cuda.*:
CoarseSolverTest/double_cuda.*:HierarchyTest/*cuda.*:
BlockCouplingsTest/double_cuda.*:BlockSize/double_cuda.OfFull*:BlocksOnTheDiagonal/double_cuda.*:ColouringOfRows/*cuda.*:Hubs/double_cuda.*:
MultiplyAdd/double_cuda.*:RaisedDiagonal/double_cuda.*:RigidBodyModes/double_cuda.*:Translations/double_cuda.*:TransposePlans/double_cuda.*:
UnknownOrder/*cuda.*:SpgemmByNodes/double_cuda.*:SpgemmPlans/double_cuda.*:Random/double_cuda.*:RightHandSide/double_cuda.*:
GenerateElasticity/double_cuda.*:Scales/double_cuda.*:SingularSystems/double_cuda.*
-*FailedLaunch*:*Refuse*:*IndicesOutsideTheMatrix*:*SpectralRadius*
FILTER
)}
summary=$results/summary.txt
failures=0

# step NAME COMMAND...: runs it with its output in RESULTS/NAME.log, and notes the time and the outcome.
step() {
  local name=$1 start=$SECONDS outcome=ok
  shift
  "$@" >"$results/$name.log" 2>&1 || outcome="FAILED (exit $?, see $name.log)"
  [ "$outcome" = ok ] || failures=$((failures + 1))
  printf '%-24s %5d s  %s\n' "$name" $((SECONDS - start)) "$outcome" | tee -a "$summary"
  [ "$outcome" = ok ]
}

sanitize() {
  local tool=$1 filter=$sanitized_tests test
  case $tool in
    # Slices of one product each are thousands of launches: over a minute under racecheck.
    racecheck) filter=${filter//CudaEscGlobal.GivesTheSameInSlices:/} ;;
    # They try cuSPARSE's products, too, whose scans read memory that cuSPARSE has not set.
    initcheck) filter+=:Spgemm/double_cuda.MatchesTheNaiveProduct:Spgemm/double_cuda.SortsRowsOfEveryLength ;;
  esac
  for test in "$build"/tests/test_*; do
    # A program that launches no kernel counts as an error.
    [ -x "$test" ] && "$test" --gtest_list_tests --gtest_filter="$filter" | grep -q '^  ' || continue
    compute-sanitizer --tool "$tool" --error-exitcode 99 "$test" --gtest_brief=1 --gtest_filter="$filter" || return
  done
}

{
  date -u '+%Y-%m-%d %H:%M UTC'
  git -C "$source_dir" describe --always --dirty 2>/dev/null
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
  nvcc --version | tail -1
} >"$summary" 2>&1
cat "$summary"

step configure cmake -S "$source_dir" -B "$build" -G Ninja -DAMGSOLVE_CUDA=ON -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CUDA_ARCHITECTURES="${CUDA_ARCHITECTURES:-native}" -DCMAKE_CUDA_FLAGS=-lineinfo || exit 1
step build cmake --build "$build" --parallel "$jobs" || exit 1

# One at a time: timings are tested too, and a test may take most of the GPU's memory.
step ctest ctest --test-dir "$build" -L gpu --output-on-failure
step large env AMGSOLVE_LARGE=1 ctest --test-dir "$build" -L large --output-on-failure
grep -E 'tests passed|tests failed|\*\*\*Skipped' "$results/ctest.log" "$results/large.log" | tee -a "$summary"

if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck initcheck synccheck; do
    step "$tool" sanitize "$tool"
  done
else
  echo 'compute-sanitizer not found: memcheck, racecheck, initcheck and synccheck not run' | tee -a "$summary"
  failures=$((failures + 1))
fi

echo "$failures steps failed" | tee -a "$summary"
[ "$failures" -eq 0 ]
