#!/usr/bin/env bash
# Calls the doors for agents with programs that nobody here wrote: pinned, in environments of their own under the
# build folder. Each is run against sites/exemplo and the blog of the tests, and what any of them finds is a failure.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
target=${CARGO_TARGET_DIR:-target}
host=${DJO_HOST:-$target/release/djo-host}
mkdir -p "$target/doors"
tools=$(cd "$target/doors" && pwd -P)
# More of them find more, and take longer.
examples=${DOORS_EXAMPLES:-20}
packages=(schemathesis==4.32.5 openapi-spec-validator==0.9.0 mcp==2.3.0)
modules=(node@22.23.3 @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/inspector@0.15.0
    conformance@npm:@modelcontextprotocol/conformance@0.1.16 conformance-next@npm:@modelcontextprotocol/conformance@0.2.0-alpha.12)

say() { printf 'doors: %s\n' "$*" >&2; }

# A Python environment with the pinned packages, made again when they change.
install_python() {
    [[ -f $tools/python.txt && $(<"$tools/python.txt") == "${packages[*]}" ]] && return 0
    command -v python3 >/dev/null 2>&1 || return 1
    say "installing ${packages[*]} (once)"
    rm -rf "$tools/venv"
    mkdir -p "$tools"
    python3 -m venv "$tools/venv" 2>/dev/null || {
        # Debian has venv in a package of its own; pip alone can do as well.
        rm -rf "$tools/venv"
        python3 -m pip install --quiet --disable-pip-version-check --no-input --target "$tools/venv/lib" virtualenv >&2 &&
            PYTHONPATH=$tools/venv/lib python3 -m virtualenv --quiet "$tools/venv" >&2
    } || return 1
    "$tools/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input "${packages[@]}" >&2 || return 1
    printf '%s' "${packages[*]}" >"$tools/python.txt"
}

# A folder of Node packages, Node itself included, made again when they change.
install_node() {
    [[ -f $tools/node.txt && $(<"$tools/node.txt") == "${modules[*]}" ]] && return 0
    command -v npm >/dev/null 2>&1 || return 1
    say "installing ${modules[*]} (once)"
    rm -rf "$tools/node"
    mkdir -p "$tools/node"
    printf '{"private":true}' >"$tools/node/package.json"
    npm install --prefix "$tools/node" --no-audit --no-fund --loglevel=error "${modules[@]}" >&2 || return 1
    printf '%s' "${modules[*]}" >"$tools/node.txt"
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

# Runs one program and tells what came of it; what it wrote is shown where it failed.
check() {
    local name=$1 log=$work/check.log
    shift
    if "$@" >"$log" 2>&1 </dev/null; then
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
        --checks all --continue-on-failure --max-examples "$examples" --no-color "${broken[@]}"
)

# The suite of the Model Context Protocol against the site that has what it asks for. What fails and is known to is in a list, with reasons;
# what is in the list and does not fail is a failure too.
conformance() {
    local suite=$tools/node/node_modules/$1
    shift
    (cd "$work" && PATH=$tools/node/node_modules/node/bin:$PATH "$suite/$(node -p "Object.values(require('$suite/package.json').bin)[0]")" \
        server --url "$url/mcp" "$@")
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
install_python || {
    say "Python with pip and its index are needed for this; on Debian: apt-get install python3-venv"
    exit 1
}
install_node || {
    say "npm and its registry are needed for this; on Debian: apt-get install npm"
    exit 1
}
passed=0 failed=0
serve sites/exemplo
check "MCP: the client in Python" "$tools/venv/bin/python" scripts/doors/mcp_client.py "$url" "$host"
check "MCP: the client in TypeScript" node scripts/doors/mcp_client.mjs "$url" "$host" "$tools/node"
check "MCP: the inspector" inspector
stop
"$host" build components/mcp-fixture >/dev/null
serve components/mcp-fixture
expected=$PWD/tests/conformance
check "MCP: conformance up to 2025-11-25" conformance conformance --suite all --expected-failures "$expected/mcp-2025-11-25.yml"
check "MCP: conformance with 2026-07-28" conformance conformance-next --requirements 2026-07-28 --expected-failures "$expected/mcp-2026-07-28.yml"
stop
for site in sites/exemplo tests/sites/blog; do
    serve "$site"
    check "$site: openapi-spec-validator takes the document" openapi_document
    check "$site: schemathesis finds nothing" conversations "$site"
    stop
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[[ $failed -eq 0 ]]
