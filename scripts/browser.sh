#!/usr/bin/env bash
# Sees to a headless browser for the tests of the pages: Chromium and its driver. Prints two lines, the paths of the
# browser and of the driver, or nothing when there is none and this is not a machine to install packages on unasked.
set -euo pipefail

say() { printf 'browser: %s\n' "$*" >&2; }
first_of() {
    local name
    for name in "$@"; do
        type -P "$name" && return 0
    done
    return 1
}
look() { browser=$(first_of chromium chromium-browser google-chrome-stable google-chrome) && driver=$(first_of chromedriver); }

if ! look; then
    if [[ ${CI:-} == true || $(id -u) == 0 ]] && command -v apt-get >/dev/null 2>&1; then
        say "installing chromium and chromium-driver with apt-get"
        export DEBIAN_FRONTEND=noninteractive
        { apt-get -q update && apt-get -q install -y --no-install-recommends chromium chromium-driver; } >/dev/null </dev/null || true
    fi
    look || {
        say "no Chromium with chromedriver here; on Debian: apt-get install chromium chromium-driver"
        [[ ${CI:-} != true ]]
        exit
    }
fi
printf '%s\n' "$browser" "$driver"
