#!/usr/bin/env bash
# Whether the benchmarks in a folder refuse what they cannot measure, with the exit code of a wrong command line.
set -uo pipefail
folder=$1
failures=0
refuses() {  # MESSAGE PROGRAM ARGUMENT...
  local message=$1 program=$2 printed code
  shift 2
  printed=$("$folder/$program" "$@" 2>&1)
  code=$?
  if [[ $code != 2 || $printed != *"$message"* ]]; then
    echo "$program $*: exit code $code instead of 2, or not '$message': $printed" >&2
    failures=$((failures + 1))
  fi
}
refuses "--nosuch" bench_read --nosuch 1
refuses "--entries is 1e+20" bench_read --entries 1e20
refuses "--entries is inf" bench_read --entries inf
refuses "--entries is 6" bench_read --entries 6
refuses "0 is not above zero" bench_read --entries 0
refuses "--weak" bench_scaling
refuses "-4 is not above zero" bench_scaling --weak -4
refuses "-4 is not above zero" bench_scaling --strong=-4
refuses "has 'nosuch' in its name" bench_robustness --name nosuch
refuses "nosuch" bench_solve --problem nosuch
refuses "--threads" bench_solve --set solver.threads=2
refuses "--backend" bench_solve --set solver.backend=cuda
refuses "CUDA_VISIBLE_DEVICES" bench_solve --set solver.device=0
refuses "no limit" bench_solve --set solver.memory_limit=1
refuses "bench_scaling" bench_solve --set distributed.replicate_below=5
refuses "bench_scaling" bench_solve --set distributed.device_messages=nccl
refuses "a key of the library" bench_solve --set solver.toleranse=1
exit $((failures > 0))
