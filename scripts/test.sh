#!/usr/bin/env bash
# Runs every test of the workspace (guests aside: they are tested through the host) and, with CI=true, the programs of others
# that `just doors` runs; sums them up in the last line. Arguments, if any, go to `cargo test` in place of all that.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
target=${CARGO_TARGET_DIR:-target}
mapfile -t browser < <(scripts/browser.sh || echo missing)
if [[ ${browser[0]:-} == missing ]]; then
    echo "test: the pages cannot be tested without a browser" >&2
    exit 1
elif [[ ${#browser[@]} -eq 2 ]]; then
    export DJO_TEST_BROWSER=${browser[0]} DJO_TEST_DRIVER=${browser[1]}
else
    echo "test: leaving out the tests of the pages in a browser" >&2
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
DJO_HOST=$(cd "$target" && pwd -P)/release/djo-host
export DJO_HOST
cargo test --release --no-fail-fast "$@" 2>&1 | tee "$log" || status=$?
# By itself: together with a crate of macros, what lies below the engine would be built with other features, and the engine once more.
if (($# == 0)); then
    cargo test --release --no-fail-fast -p djo-guest-sdk -p djo-guest-macros 2>&1 | tee -a "$log" || status=$?
fi
# A program that no registry hands out is not the fault of what is tested: that is said, and is no failure here.
if (($# == 0)) && [[ ${CI:-} == true ]]; then
    doors=0
    scripts/doors.sh 2>&1 | tee -a "$log" || doors=$?
    ((doors == 0 || doors == 3)) || status=$doors
fi
# Tests that did not compile or a harness that died count as one failure.
awk -v status="$status" '
    /^test result:/ { passed += $4; failed += $6; ignored += $8 }
    /^doors: [0-9]+ passed/ { passed += $2; failed += $4 }
    /^doors: NOT RUN/ { print }
    END {
        if (status != 0 && failed == 0) failed = 1
        if (ignored > 0) printf "%d ignored: tests/cases/pending.json says why\n", ignored
        printf "%d passed, %d failed\n", passed, failed
    }' "$log"
exit "$status"
