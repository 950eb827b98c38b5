#!/usr/bin/env bash
# Builds what djo-host is measured beside, pinned, into one folder (its first argument). What is there is not built again.
set -euo pipefail

bench=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
mkdir -p -- "${1:?usage: bench/peers.sh FOLDER [DJO-HOST]}"
peers=$(cd -- "$1" && pwd -P)
host=$(realpath -- "${2:-$bench/../target/release/djo-host}")
cd -- "$bench"

WASMTIME=48.0.8
COMPONENTIZE_JS=0.23.0
COMPONENTIZE_PY=0.25.1
# The WASI version that the JavaScript engine above was built for.
JS_WASI=0.2.10

say() { echo "peers: $*" >&2; }

command -v wrk >/dev/null || {
    say "installing wrk"
    apt-get install -y -qq wrk >/dev/null || { say "wrk is missing, and apt-get cannot install it"; exit 1; }
}

if [[ ! -x $peers/bin/wasmtime ]]; then
    say "building wasmtime $WASMTIME, about 10 minutes on 2 cores"
    CARGO_TARGET_DIR=$peers/build cargo install wasmtime-cli --version "$WASMTIME" --locked --root "$peers" --quiet --no-default-features \
        --features serve,run,component-model,component-model-async,pooling-allocator,cranelift,parallel-compilation
fi

if [[ ! -x $peers/bin/carmy-peer ]]; then
    say "building carmy"
    CARGO_TARGET_DIR=$peers/build cargo build --release --quiet --locked --manifest-path peers/carmy/Cargo.toml
    cp -- "$peers/build/release/carmy-peer" "$peers/bin/"
fi

if [[ ! -f $peers/js.wasm ]]; then
    say "building the JavaScript component"
    npm install --prefix "$peers/js" --silent --no-audit --no-fund "@bytecodealliance/componentize-js@$COMPONENTIZE_JS"
    mkdir -p "$peers/js/wit/deps"
    for file in ../wit/deps/*.wit; do
        sed "s/0\.2\.12/$JS_WASI/g" "$file" >"$peers/js/wit/deps/$(basename "$file")"
    done
    printf 'package djo:peer;\n\nworld page {\n    export wasi:http/incoming-handler@%s;\n}\n' "$JS_WASI" >"$peers/js/wit/page.wit"
    cp peers/js/posts.js "$peers/js/"
    (cd "$peers/js" && node_modules/.bin/componentize-js posts.js -w wit -n page -o "$peers/js.wasm")
fi

if [[ ! -f $peers/python.wasm ]]; then
    say "building the Python component"
    python3 -m venv "$peers/python"
    "$peers/python/bin/pip" install --quiet "componentize-py==$COMPONENTIZE_PY"
    (cd peers/python && "$peers/python/bin/componentize-py" -d "$bench/../wit" -w wasi:http/proxy@0.2.12 componentize app -o "$peers/python.wasm") >/dev/null
fi

# Ours: the same components that other hosts run. Quick, and they change with the code.
say "building the djo and Rust components"
"$host" build site --portable -o "$peers/djo.wasm" >/dev/null
for name in rust-ola rust-posts; do
    "$host" build "guests/$name" --portable -o "$peers/$name.wasm" >/dev/null
done
# For djo-host alone: of what is portable, it would take out the same site again however the copies differ around it.
"$host" build guests/rust-posts -o "$peers/rust-posts-hosted.wasm" >/dev/null
