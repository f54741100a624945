#!/usr/bin/env bash
# Which small wrong changes the tests notice. Each patch here is one: what it breaks, the test executable and the filter
# that should fail with it, and the change. Builds the executables and runs each filter once on a copy of the tree as it
# is, where it must pass, then applies the patches one after the other to the copy and builds what they touch.
#
#   tests/mutants/run.sh [PATCH...]      all of them by default; ends with 1 where one is not killed
#
# Killed is what a test says it failed, or what ended in a crash. A mutant of which the filter does not pass without it,
# or matches no test, one that runs for more than 600 s (TIMEOUT) and one whose tests cannot be started prove nothing.
#
# Tests of ranks run on three, by mpirun.
#
# COPY (default: a temporary folder) keeps the copy of the tree, and its build in BUILD (default: COPY/build), for another
# run; JOBS is for the build, CMAKE_ARGS for its configuration.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
if [ -z "${COPY:-}" ]; then
  COPY=$(mktemp -d)
  trap 'rm -rf "$COPY"' EXIT
fi
build=${BUILD:-$COPY/build}
jobs=${JOBS:-$(nproc)}
patches=("$@")
[ ${#patches[@]} -gt 0 ] || patches=("$here"/*.patch)

mkdir -p "$COPY" "$build"
(cd "$root" && git ls-files -z --cached --others --exclude-standard | tar --null -T - --ignore-failed-read -cf -) |
  tar -xf - -C "$COPY"
# shellcheck disable=SC2086
cmake -S "$COPY" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DAMGSOLVE_CUDA=OFF -DAMGSOLVE_BUILD_BENCHMARKS=OFF \
  ${CMAKE_ARGS:-} > "$build/configure.log"

# Runs a filter of an executable: 0 passed, 1 failed or crashed, 2 took too long, 3 did not start or matched no test.
run_tests() {
  local executable=$1 filter=$2 log=$3 rc=0 launch=()
  if [ "$executable" = test_ranks ]; then
    launch=(env OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
            OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader mpirun -n 3)
  fi
  timeout "${TIMEOUT:-600}" "${launch[@]}" "$build/tests/$executable" --gtest_filter="$filter" --gtest_color=no > "$log" 2>&1 || rc=$?
  if [ "$rc" -eq 124 ]; then
    return 2
  elif ! grep -a -q '^\[ RUN      \]' "$log"; then
    return 3
  fi
  return $((rc != 0))
}

declare -A unmutated  # by executable and filter: how it ended without a mutant
for patch in "${patches[@]}"; do
  read -r executable filter < <(sed -n 's/^Killed by: //p' "$patch")
  key="$executable $filter"
  [ -z "${unmutated[$key]:-}" ] || continue
  log=$build/unmutated.log
  if ! cmake --build "$build" -j "$jobs" --target "$executable" > "$log" 2>&1; then
    echo "$executable does not build without a mutant: $log" >&2
    exit 1
  fi
  unmutated[$key]=0
  run_tests "$executable" "$filter" "$log" || unmutated[$key]=$?
done

not_killed=0
reasons=("SURVIVES" "its tests fail" "takes too long" "its tests do not start")
for patch in "${patches[@]}"; do
  name=$(basename "$patch" .patch)
  read -r executable filter < <(sed -n 's/^Killed by: //p' "$patch")
  outcome=${unmutated[$executable $filter]}
  if [ "$outcome" -ne 0 ]; then
    not_killed=$((not_killed + 1))
    printf '%-34s %s without it, too\n' "$name" "${reasons[$outcome]}"
    continue
  fi
  patch -s -p1 -d "$COPY" < "$patch"
  if ! cmake --build "$build" -j "$jobs" --target "$executable" > "$build/$name.log" 2>&1; then
    verdict="does not build"
    not_killed=$((not_killed + 1))
  else
    run_tests "$executable" "$filter" "$build/$name.log" || outcome=$?
    if [ "$outcome" -eq 1 ]; then
      verdict="killed by $({ grep -a -o '^\[  FAILED  \] [^ ,]*\.[^ ,]*' "$build/$name.log" || echo '  a crash'; } | awk '{ print $NF }' | sort -u | paste -sd ' ')"
    else
      verdict=${reasons[$outcome]}
      not_killed=$((not_killed + 1))
    fi
  fi
  printf '%-34s %s\n' "$name" "$verdict"
  patch -s -R -p1 -d "$COPY" < "$patch"
done
printf '%d mutants, %d not killed\n' "${#patches[@]}" "$not_killed"
[ "$not_killed" -eq 0 ]
