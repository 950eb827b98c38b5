#!/usr/bin/env bash
# Builds djo-host and says so first when that will take minutes rather than seconds.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
target=${CARGO_TARGET_DIR:-target}
if ! compgen -G "$target/release/deps/libwasmtime-*.rlib" >/dev/null; then
    echo "build: first build on this machine, the sandbox engine included: about 6 minutes on 2 cores" >&2
fi
if [[ -x $target/release/djo-host && -t 2 ]] || [[ ${CI:-} != true && -x $target/release/djo-host ]]; then
    cargo build --release --quiet -p djo-host
else
    cargo build --release -p djo-host
fi
# Sites in Rust are components that `serve` finds: quick when nothing has changed.
"$target/release/djo-host" build sites/loja >/dev/null
