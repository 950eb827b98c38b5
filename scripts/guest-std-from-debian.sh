#!/usr/bin/env bash
# Builds the standard library for wasm32-wasip2 out of Debian's source packages and puts it into a Rust sysroot:
#
#     scripts/guest-std-from-debian.sh SYSROOT
#
# For machines that reach a Debian archive but no rustup server. Nothing is installed on the system: the packages are
# unpacked into a scratch folder, with an apt state of its own. `rustc` and `cargo` must be those of SYSROOT.
set -euo pipefail

[[ $# -eq 1 && -d $1/lib/rustlib ]] || {
    echo "usage: $0 SYSROOT" >&2
    exit 2
}
sysroot=$(cd -- "$1" && pwd -P)
guest=wasm32-wasip2
version=$(rustc --version | cut -d' ' -f2)
scratch=$(mktemp -d)
link=$sysroot/lib/rustlib/src/rust
linked=

say() { printf 'guest-std: %s\n' "$*" >&2; }
clean_up() {
    [[ -z $linked ]] || rm -f "$link"
    rm -rf "$scratch"
}
trap clean_up EXIT

# apt with a state of its own: the machine's lists, cache and sources are neither read nor changed.
mkdir -p "$scratch"/{lists/partial,cache/archives/partial,packages}
apt_private() {
    local command=$1
    shift
    "$command" -q -o Dir::State::lists="$scratch/lists" -o Dir::Cache="$scratch/cache" \
        -o Dir::Etc::sourcelist="$scratch/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none "$@"
}

# The version of a package that starts with $2, as the archive lists it; empty when it has none.
available() { apt_private apt-cache madison "$1" 2>/dev/null | cut -d'|' -f2 | tr -d ' ' | grep -m 1 "^$2" || true; }

find_archive() {
    local archive
    while IFS= read -r archive; do
        printf 'deb %s %s main\n' "$archive" trixie-backports "$archive" trixie "$archive" sid >"$scratch/sources.list"
        say "reading the package lists of $archive"
        apt_private apt-get update >"$scratch/apt.log" 2>&1 || continue
        source=$(available rust-src "$version")
        libc=$(available wasi-libc "")
        [[ -n $source && -n $libc ]] && return 0
    done < <(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | sort -u)
    say "no archive known to apt has rust-src $version and wasi-libc"
    [[ ! -s $scratch/apt.log ]] || tail -n 5 "$scratch/apt.log" >&2
    return 1
}

unpack() {
    say "unpacking rust-src $source and wasi-libc $libc"
    (cd "$scratch/packages" && apt_private apt-get download "rust-src=$source" "wasi-libc=$libc" >/dev/null)
    local package
    for package in "$scratch"/packages/*.deb; do dpkg -x "$package" "$scratch/root"; done
}

build() {
    local unpacked=$scratch/root/usr/src/rustc-$version
    [[ -d $unpacked/library ]] || {
        say "rust-src $source holds no usr/src/rustc-$version/library"
        return 1
    }
    if [[ ! -e $link ]]; then
        mkdir -p "$(dirname "$link")"
        ln -sfn "$unpacked" "$link"
        linked=yes
    fi
    mkdir -p "$scratch/empty/src"
    printf '[package]\nname = "guest_std_seed"\nedition = "2024"\n[workspace]\n' >"$scratch/empty/Cargo.toml"
    printf '#![no_std]\n' >"$scratch/empty/src/lib.rs"
    say "building std for $guest"
    (
        cd "$scratch/empty"
        RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Cembed-bitcode=yes CARGO_TARGET_DIR=$scratch/target \
            cargo build --release --quiet -Zbuild-std=std,panic_abort --target "$guest"
    )
}

# Into a folder beside the final one first, so that a sysroot never holds half a library.
place() {
    local final=$sysroot/lib/rustlib/$guest staged=$sysroot/lib/rustlib/.$guest.new
    rm -rf "$staged"
    mkdir -p "$staged/lib/self-contained"
    local object
    for object in libc.a crt1-command.o crt1-reactor.o; do
        cp "$scratch/root/usr/lib/$guest/$object" "$staged/lib/self-contained/"
    done
    for object in "$scratch/target/$guest"/release/deps/*.rlib; do
        [[ $(basename "$object") == libguest_std_seed-* ]] || cp "$object" "$staged/lib/"
    done
    rm -rf "$final"
    mv "$staged" "$final"
}

find_archive
unpack
build
place
say "std for $guest is in $sysroot/lib/rustlib/$guest"
