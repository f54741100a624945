#!/usr/bin/env bash
# Which small wrong changes the tests notice. Each patch here is one: what it breaks, the test executable and the filter
# that should fail with it, and the change. Applies them one after the other to a copy of the tree and builds what they
# touch.
#
#   tests/mutants/run.sh [PATCH...]      all of them by default; ends with 1 where one survives
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

survivors=0
for patch in "${patches[@]}"; do
  name=$(basename "$patch" .patch)
  read -r executable filter < <(sed -n 's/^Killed by: //p' "$patch")
  launch=()
  if [ "$executable" = test_ranks ]; then
    launch=(env OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
            OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader mpirun -n 3)
  fi
  patch -s -p1 -d "$COPY" < "$patch"
  if ! cmake --build "$build" -j "$jobs" --target "$executable" > "$build/$name.log" 2>&1; then
    verdict="does not build"
    survivors=$((survivors + 1))
  elif timeout 600 "${launch[@]}" "$build/tests/$executable" --gtest_filter="$filter" --gtest_brief=1 --gtest_color=no > "$build/$name.log" 2>&1; then
    verdict=SURVIVES
    survivors=$((survivors + 1))
  else
    verdict="killed by $({ grep -a -o '^\[  FAILED  \] [^ ,]*' "$build/$name.log" || echo '  a crash'; } | awk '{ print $NF }' | sort -u | paste -sd ' ')"
  fi
  printf '%-34s %s\n' "$name" "$verdict"
  patch -s -R -p1 -d "$COPY" < "$patch"
done
printf '%d mutants, %d not killed\n' "${#patches[@]}" "$survivors"
[ "$survivors" -eq 0 ]
