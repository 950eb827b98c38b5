# One profile (release) and one target folder for everything, so that the sandbox engine is built once.
set shell := ["bash", "-euo", "pipefail", "-c"]

export PATH := env('CARGO_HOME', home_directory() / '.cargo') / 'bin' + ':' + env('PATH')
export CARGO_TARGET_DIR := env('CARGO_TARGET_DIR', if env('CI', '') == 'true' { cache_directory() / 'djo/target' } else { justfile_directory() / 'target' })
export RUSTUP_TOOLCHAIN := `scripts/toolchain.sh`

host := CARGO_TARGET_DIR / 'release/djo-host'

# What there is to run
[private]
default:
    @'{{ just_executable() }}' --justfile '{{ justfile() }}' --list --unsorted

# Set up, build, and serve sites/ (exemplo by default) at http://127.0.0.1:8080
[positional-arguments]
serve *ARGS: build
    @'{{ host }}' serve sites --default exemplo "$@"

# What CI runs: tidy, unit tests, the HTTP cases, the pages in a browser; with CI=true and no filter, the doors below too
test *FILTER: build
    @scripts/test.sh {{ FILTER }}

# Programs of others against the doors for agents: an OpenAPI validator, schemathesis, the MCP conformance suite, inspector and clients
doors: build
    @scripts/doors.sh

# Compile sites/NAME to one component
build-site NAME: build
    @mkdir -p '{{ CARGO_TARGET_DIR }}/sites'
    @'{{ host }}' build 'sites/{{ NAME }}' -o '{{ CARGO_TARGET_DIR }}/sites/{{ NAME }}.wasm'
    @echo 'look inside: {{ host }} inspect {{ CARGO_TARGET_DIR }}/sites/{{ NAME }}.wasm'

# Leave the machine able to build guests; quick when there is nothing to do
setup:
    @scripts/setup.sh

# Format, lints (native and guest), documentation, tidy
check: setup
    cargo fmt --all --check
    cargo clippy --release --all-targets -- -D warnings
    cargo clippy --release -p djo-guest-sdk -p djo-guest-macros -p djo-bench --all-targets -- -D warnings
    cargo clippy --release -p djo-guest-sdk -p djo-runtime -p djo-shim --target wasm32-wasip2 -- -D warnings
    for site in sites/loja components/mcp-fixture; do (cd "$site" && cargo fmt --check && cargo clippy --release --all-targets -- -D warnings); done
    RUSTDOCFLAGS='-D warnings' cargo doc --release --no-deps
    cargo test --release --quiet -p djo-tests --test tidy

# Rewrite the golden files of the tests; read the diff before committing it
bless: build
    DJO_BLESS=1 INSTA_UPDATE=always cargo test --release --no-fail-fast

# Run the HTTP cases against a server that is running already
cases URL *ARGS:
    @cargo run --release --quiet -p djo-tests --bin cases -- '{{ URL }}' {{ ARGS }}

# Measure djo-host beside its peers, which are built the first time; about 15 minutes. `just bench --only cache` for a part
bench *ARGS: build
    @bench/peers.sh '{{ CARGO_TARGET_DIR }}/peers' '{{ host }}'
    @cargo build --release --quiet -p djo-bench
    @cargo run --release --quiet -p djo-bench --bin djo-bench -- --host '{{ host }}' --peers '{{ CARGO_TARGET_DIR }}/peers' --json '{{ CARGO_TARGET_DIR }}/bench.json' {{ ARGS }}

# The djo-host binary, runtime component inside
[private]
build: setup
    @scripts/build.sh

# Search for inputs that break a target of fuzz/ (json, source, template, …), for SECONDS; what it finds lies in fuzz/artifacts
fuzz NAME SECONDS='600': setup
    @scripts/fuzz.sh '{{ NAME }}' '{{ SECONDS }}'
