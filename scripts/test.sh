#!/usr/bin/env bash
# Runs every test of the workspace (guests aside: they are tested through the host) and sums them up in the last line.
# Arguments, if any, go to `cargo test` in place of the whole workspace.
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
# Tests that did not compile or a harness that died count as one failure.
awk -v status="$status" '
    /^test result:/ { passed += $4; failed += $6; ignored += $8 }
    END {
        if (status != 0 && failed == 0) failed = 1
        if (ignored > 0) printf "%d ignored: tests/cases/pending.json says why\n", ignored
        printf "%d passed, %d failed\n", passed, failed
    }' "$log"
exit "$status"
