#!/usr/bin/env bash
# Whether every mutant names its tests and applies to the sources as they are, without changing them.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
failures=0
for patch in "$here"/*.patch; do
  if ! grep -q '^Killed by: test_[a-z]* .' "$patch" || ! patch --dry-run -s -f -F0 -p1 -d "$here/../.." < "$patch"; then
    echo "$patch does not apply, or names no test" >&2
    failures=$((failures + 1))
  fi
done
exit $((failures > 0))
