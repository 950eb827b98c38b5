#!/usr/bin/env bash
# Calls the doors for agents with programs that nobody here wrote: pinned, in environments of their own under the
# build folder. Each is run against sites/exemplo and the blog of the tests, and what any of them finds is a failure (status 1).
# Where nothing fails but some could not be installed, a line says what was not run, and the status is 3.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
target=${CARGO_TARGET_DIR:-target}
host=${DJO_HOST:-$target/release/djo-host}
mkdir -p "$target/doors"
tools=$(cd "$target/doors" && pwd -P)
# More of them find more, and take longer. The same seed asks the same: what a run finds, the next one finds again.
examples=${DOORS_EXAMPLES:-20} seed=${DOORS_SEED:-1}
packages=(schemathesis==4.32.5 openapi-spec-validator==0.9.0 mcp==2.3.0)
modules=(node@22.23.3 @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/inspector@0.15.0
    conformance@npm:@modelcontextprotocol/conformance@0.1.16 conformance-next@npm:@modelcontextprotocol/conformance@0.2.0-alpha.12)

say() { printf 'doors: %s\n' "$*" >&2; }

# Runs an installation up to three times: registries have bad minutes. What it writes is shown when it fails.
installed() {
    local name=$1 log=$work/install.log delay
    shift
    for delay in 5 20 0; do
        "$@" >"$log" 2>&1 </dev/null && return 0
        tail -n 20 "$log" >&2
        ((delay == 0)) || { say "$name: trying again in $delay s" && sleep "$delay"; }
    done
    return 1
}

# A Python environment with the pinned packages, made again when they change.
install_python() {
    [[ -f $tools/python.txt && $(<"$tools/python.txt") == "${packages[*]}" ]] && return 0
    system_package python3 python3-venv || return 1
    say "installing ${packages[*]} (once)"
    installed Python python_environment || return 1
    printf '%s' "${packages[*]}" >"$tools/python.txt"
}

python_environment() {
    rm -rf "$tools/venv"
    python3 -m venv "$tools/venv" || {
        # Debian has venv in a package of its own; pip alone can do as well.
        rm -rf "$tools/venv" "$tools/virtualenv"
        python3 -m pip install --quiet --disable-pip-version-check --no-input --target "$tools/virtualenv" virtualenv &&
            PYTHONPATH=$tools/virtualenv python3 -m virtualenv --quiet "$tools/venv"
    } || return 1
    "$tools/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input "${packages[@]}"
}

# A folder of Node packages, Node itself included, made again when they change.
install_node() {
    [[ -f $tools/node.txt && $(<"$tools/node.txt") == "${modules[*]}" ]] && return 0
    system_package npm npm || return 1
    say "installing ${modules[*]} (once)"
    installed Node node_folder || return 1
    printf '%s' "${modules[*]}" >"$tools/node.txt"
}

node_folder() {
    rm -rf "$tools/node" || return 1
    mkdir -p "$tools/node" && printf '{"private":true}' >"$tools/node/package.json" &&
        npm install --prefix "$tools/node" --no-audit --no-fund --loglevel=error "${modules[@]}" && node --version
}

# carmy has no client of other servers: its own types read what the door says.
install_carmy() {
    system_package curl curl && installed carmy cargo build --release --quiet --locked --manifest-path scripts/doors/carmy/Cargo.toml --target-dir "$tools/carmy"
}

# A program of the system, put there where installing packages unasked is what the machine is for.
system_package() {
    command -v "$1" >/dev/null 2>&1 && return 0
    if [[ ${CI:-} == true ]] && command -v apt-get >/dev/null 2>&1; then
        say "installing $2 with apt-get"
        installed "$2" debian_package "$2" && command -v "$1" >/dev/null 2>&1 && return 0
    fi
    say "$1 is missing; on Debian: apt-get install $2"
    return 1
}

debian_package() {
    export DEBIAN_FRONTEND=noninteractive
    apt-get -q update && apt-get -q install -y --no-install-recommends "$1"
}

# A program of those packages, by its file.
node() { "$tools/node/node_modules/node/bin/node" "$@"; }

# Serves a site on a free port; sets `url`.
serve() {
    local log=$work/serve.log
    : >"$log"
    "$host" serve "$1" --data "$work/data-$(basename "$1")" --addr 127.0.0.1:0 -agent-rate 0 >"$log" 2>&1 &
    server=$!
    for _ in $(seq 100); do
        url=$(sed -n 's/^serving at //p' "$log")
        [[ -n $url ]] && return 0
        sleep 0.1
    done
    say "the host did not start:" && cat "$log" >&2
    return 1
}

stop() {
    [[ -z ${server:-} ]] || { kill "$server" 2>/dev/null && wait "$server" 2>/dev/null; } || true
    server=
}

# Runs one program, where it could be installed, and tells what came of it; what it wrote is shown where it failed.
check() {
    local there=$1 name=$2 log=$work/check.log
    shift 2
    if [[ -z $there ]]; then
        skipped=$((skipped + 1))
        say "NOT RUN: $name (it could not be installed)"
    elif "$@" >"$log" 2>&1 </dev/null; then
        passed=$((passed + 1))
        say "ok: $name"
    else
        failed=$((failed + 1))
        cut -c1-2000 "$log" >&2
        say "FAILED: $name"
    fi
}

openapi_document() {
    "$tools/venv/bin/python" - "$url/.well-known/openapi.json" <<'PYTHON'
import json, sys, urllib.request
from openapi_spec_validator import validate
validate(json.load(urllib.request.urlopen(sys.argv[1])))
PYTHON
}

# Routes of the tests' blog that fail, lie, overflow or never end by design are left out: that they do is what other tests want. So is
# the one with an untyped list: no schema tells a whole number that is too large for 64 bits from a float of the same value.
conversations() (
    local broken=()
    [[ $1 != *blog ]] || broken=(--exclude-path-regex '^/(quebrada|falhar|eterno|mentira|soma|tipos)$')
    # It keeps what it found in the folder it runs in.
    cd "$work" && "$tools/venv/bin/schemathesis" run "$url/.well-known/openapi.json" --phases examples,coverage,fuzzing,stateful --mode all \
        --checks all --continue-on-failure --max-examples "$examples" --seed "$seed" --no-color "${broken[@]}"
)

# The suite of the Model Context Protocol against the site that has what it asks for. What fails and is known to is in a list, with reasons;
# what is in the list and does not fail is a failure too.
conformance() {
    local suite=$tools/node/node_modules/$1
    shift
    (cd "$work" && PATH=$tools/node/node_modules/node/bin:$PATH "$suite/$(node -p "Object.values(require('$suite/package.json').bin)[0]")" \
        server --url "$url/mcp" "$@")
}

carmy() {
    local reader=$tools/carmy/release/carmy-reader execute=(curl -sS -H 'Content-Type: application/json' "$url/agent/execute" -d)
    curl -sS "$url/agent/tools" | "$reader" tools || return 1
    "${execute[@]}" '{"tool": "get_posts_by_id", "arguments": {"id": "1"}}' | "$reader" completed || return 1
    "${execute[@]}" '{"tool": "get_posts_by_id", "arguments": {}}' | "$reader" failed || return 1
    "${execute[@]}" '{"tool": "nenhuma"}' | "$reader" failed
}

inspector() {
    local cli=$tools/node/node_modules/.bin/mcp-inspector method
    for method in tools/list resources/list resources/templates/list; do
        PATH=$tools/node/node_modules/node/bin:$PATH "$cli" --cli "$url/mcp" --transport http --method "$method" || return 1
    done
    PATH=$tools/node/node_modules/node/bin:$PATH "$cli" --cli "$url/mcp" --transport http --method tools/call --tool-name get_posts_by_id \
        --tool-arg id=1 | grep -q '"structuredContent"'
}

work=$(mktemp -d)
server=
trap 'stop; rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
python=yes node=yes carmy=yes
install_python || python=
install_node || node=
install_carmy || carmy=
serve sites/exemplo
check "$python" "MCP: the client in Python" "$tools/venv/bin/python" scripts/doors/mcp_client.py "$url" "$host"
check "$node" "MCP: the client in TypeScript" node scripts/doors/mcp_client.mjs "$url" "$host" "$tools/node"
check "$node" "MCP: the inspector" inspector
check "$carmy" "carmy/1: the types of carmy read the catalogue and answers" carmy
stop
"$host" build components/mcp-fixture >/dev/null
serve components/mcp-fixture
expected=$PWD/tests/conformance
check "$node" "MCP: conformance up to 2025-11-25" conformance conformance --suite all --expected-failures "$expected/mcp-2025-11-25.yml"
check "$node" "MCP: conformance with 2026-07-28" conformance conformance-next --requirements 2026-07-28 --expected-failures "$expected/mcp-2026-07-28.yml"
stop
for site in sites/exemplo tests/sites/blog; do
    serve "$site"
    check "$python" "$site: openapi-spec-validator takes the document" openapi_document
    check "$python" "$site: schemathesis finds nothing" conversations "$site"
    stop
done
printf 'doors: %d passed, %d failed\n' "$passed" "$failed"
((failed == 0)) || exit 1
((skipped == 0)) || exit 3
