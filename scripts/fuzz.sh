#!/usr/bin/env bash
# Runs one fuzz target for some seconds, beside whatever else the machine does. Puts cargo-fuzz into .just/ of this checkout, once.
set -euo pipefail

version=0.13.2
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
cd -- "$root"
name=$1 seconds=$2
[[ -f fuzz/fuzz_targets/$name.rs ]] || {
    printf 'fuzz: no target %s; there are:\n' "$name" >&2
    for target in fuzz/fuzz_targets/*.rs; do printf '  %s\n' "$(basename "$target" .rs)" >&2; done
    exit 2
}
tools=$root/.just/fuzz
if ! [[ $("$tools/bin/cargo-fuzz" --version 2>/dev/null) == "cargo-fuzz $version" ]]; then
    printf 'fuzz: building cargo-fuzz %s into .just/ (once)\n' "$version" >&2
    # Outside the checkout, so that its toolchain file and lints do not apply.
    (cd / && cargo install --quiet --locked cargo-fuzz --version "$version" --root "$tools" --force)
fi
# Coverage is measured by flags that only a nightly compiler takes, or one that is told to take them. Safe Rust needs no sanitizer.
if [[ $(rustup toolchain list 2>/dev/null) == *nightly* ]]; then export RUSTUP_TOOLCHAIN=nightly; else export RUSTC_BOOTSTRAP=1; fi
corpus=fuzz/corpus/$name
mkdir -p "$corpus" "fuzz/seeds/$name"
# A run of one input is timed by the wall clock: a machine that is busy with other things may leave this process waiting for long.
exec nice -n 19 "$tools/bin/cargo-fuzz" fuzz run "$name" --sanitizer none --target-dir "${CARGO_TARGET_DIR:-target}/fuzz" \
    "$corpus" "fuzz/seeds/$name" -- -max_total_time="$seconds" -max_len=4096 -timeout=300 -rss_limit_mb=2048
