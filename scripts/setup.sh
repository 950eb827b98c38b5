#!/usr/bin/env bash
# Leaves the machine able to build the project: a Rust toolchain, a C compiler (SQLite), and the standard library for
# wasm32-wasip2 (guests). Idempotent; quick when there is nothing to do. The last line says what was done.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
cd -- "$root"
PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
guest=wasm32-wasip2

say() { printf 'setup: %s\n' "$*" >&2; }
die() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}

ensure_toolchain() {
    local version
    version=$(sed -n 's/^channel *= *"\(.*\)"$/\1/p' rust-toolchain.toml)
    if command -v rustup >/dev/null 2>&1; then
        RUSTUP_TOOLCHAIN=$(scripts/toolchain.sh)
        export RUSTUP_TOOLCHAIN
        if ! rustc --version >/dev/null 2>&1; then
            say "installing Rust $version with rustup"
            rustup toolchain install "$version" --profile minimal --component rustfmt --component clippy --no-self-update >&2 ||
                die "Rust $version could not be installed; try: rustup toolchain install $version"
        fi
    fi
    command -v rustc >/dev/null 2>&1 && command -v cargo >/dev/null 2>&1 ||
        die "Rust is missing. Install it with rustup (https://rustup.rs), then run this again."
    [[ $(rustc --version) == "rustc $version "* ]] ||
        die "this project is built with Rust $version, but rustc here is: $(rustc --version)" "with rustup: rustup toolchain install $version"
}

ensure_c_compiler() {
    command -v cc >/dev/null 2>&1 || die "a C compiler (cc) is missing; on Debian: apt-get install gcc libc6-dev"
}

guest_std() { compgen -G "$sysroot/lib/rustlib/$guest/lib/libstd-*.rlib" | head -n 1; }

# In order: what is there, rustup's server, Debian's source. Sets `origin`.
ensure_guest_std() {
    origin="already there"
    [[ -n $(guest_std) ]] && return 0
    if command -v rustup >/dev/null 2>&1; then
        say "adding the target $guest with rustup"
        if rustup target add "$guest" >&2 && [[ -n $(guest_std) ]]; then
            origin="added with rustup"
            return 0
        fi
    fi
    if command -v apt-get >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1 && [[ -w $sysroot/lib/rustlib ]]; then
        say "no server of rustup answers: building the standard library for $guest from Debian's source (about 70 s)"
        if scripts/guest-std-from-debian.sh "$sysroot" && [[ -n $(guest_std) ]]; then
            origin="built from Debian's source"
            return 0
        fi
    fi
    die "the standard library for $guest is missing from $sysroot, and nothing here could bring it." \
        "Either of these does, where its server can be reached:" \
        "    rustup target add $guest" \
        "    scripts/guest-std-from-debian.sh \"\$(rustc --print sysroot)\"    # Debian, with its archive"
}

# Cargo does not notice when the standard library under a target changes: guests built against another one must go.
forget_foreign_guests() {
    local target=${CARGO_TARGET_DIR:-target} stamp
    stamp=$(basename "$(guest_std)")
    [[ -d $target ]] || return 0
    if [[ -f $target/.guest-std && $(<"$target/.guest-std") != "$stamp" ]]; then
        say "guests in $target were built against another standard library: removing them"
        rm -rf "$target/guests" "$target/$guest" "$target"/release/build/djo-host-* "$target"/release/.fingerprint/djo-host-*
    fi
    printf '%s\n' "$stamp" >"$target/.guest-std"
}

ensure_toolchain
ensure_c_compiler
sysroot=$(rustc --print sysroot)
ensure_guest_std
forget_foreign_guests
say "ready: $(rustc --version | cut -d' ' -f1,2), $guest $origin"
