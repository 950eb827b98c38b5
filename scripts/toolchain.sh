#!/usr/bin/env bash
# Prints the rustup toolchain to use: the pinned one, or, where that name is not installed, an installed toolchain of
# exactly the pinned version (a machine's "stable" often is). Prints the pinned name when neither is there.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
pinned=$(sed -n 's/^channel *= *"\(.*\)"$/\1/p' "$root/rust-toolchain.toml")

# `rustup run` would fetch a missing toolchain; asking the folders fetches nothing.
toolchains=${RUSTUP_HOME:-$HOME/.rustup}/toolchains
for compiler in "$toolchains/$pinned"*/bin/rustc "$toolchains"/*/bin/rustc; do
    [[ -x $compiler ]] || continue
    [[ $("$compiler" --version 2>/dev/null) == "rustc $pinned "* ]] || continue
    basename "$(dirname "$(dirname "$compiler")")"
    exit 0
done
printf '%s\n' "$pinned"
