#!/bin/sh
# Installs `ken`: downloads the archive for this machine, verifies its checksum, and puts one file into a folder.
#
#   sh install.sh [--to FOLDER] [--version VERSION] [--from ADDRESS_OR_FOLDER]
#
# FOLDER is ~/.local/bin if left out. Nothing is installed unless the checksum of the archive is the published one.
set -eu

repository="https://github.com/kenning/kenning/releases/download"
to="${HOME:?}/.local/bin"
version="0.1.0"
from=""

fail() {
    printf 'error: %s\n' "$1" >&2
    [ $# -lt 2 ] || printf '\nhint: %s\n' "$2" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    case "$1" in
    --to) to="${2:?--to needs a folder}"; shift 2 ;;
    --version) version="${2:?--version needs a version}"; shift 2 ;;
    --from) from="${2:?--from needs an address or a folder}"; shift 2 ;;
    -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) fail "unknown option $1" "sh install.sh --help" ;;
    esac
done
version="${version#v}"
from="${from:-$repository/v$version}"

case "$(uname -s)-$(uname -m)" in
Linux-x86_64) target="x86_64-unknown-linux-musl" ;;
Linux-aarch64 | Linux-arm64) target="aarch64-unknown-linux-musl" ;;
Darwin-arm64) target="aarch64-apple-darwin" ;;
Darwin-x86_64) target="x86_64-apple-darwin" ;;
*) fail "there is no archive for $(uname -s) on $(uname -m)" "cargo install --locked --profile dist --path crates/ken" ;;
esac
name="ken-$version-$target"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT INT TERM

get() {
    case "$from" in
    https://*)
        if command -v curl >/dev/null 2>&1; then
            curl --proto '=https' --tlsv1.2 -fsSL -o "$work/$1" "$from/$1"
        elif command -v wget >/dev/null 2>&1; then
            wget -q --https-only -O "$work/$1" "$from/$1"
        else
            fail "there is neither curl nor wget"
        fi
        ;;
    http://*) fail "only https is trusted: $from" ;;
    *) cp "$from/$1" "$work/$1" ;;
    esac || fail "could not get $from/$1"
}

get SHA256SUMS
get "$name.tar.gz"
wanted="$(awk -v file="$name.tar.gz" '$2 == file { print $1 }' "$work/SHA256SUMS")"
[ -n "$wanted" ] || fail "SHA256SUMS does not list $name.tar.gz"
if command -v sha256sum >/dev/null 2>&1; then
    got="$(sha256sum "$work/$name.tar.gz" | cut -d' ' -f1)"
else
    got="$(shasum -a 256 "$work/$name.tar.gz" | cut -d' ' -f1)"
fi
[ "$wanted" = "$got" ] || fail "the checksum of $name.tar.gz is $got, not $wanted" "nothing was installed; download it again"

tar -xzf "$work/$name.tar.gz" -C "$work"
mkdir -p "$to"
# Beside the old one first, then in its place: a ken that runs meanwhile is not disturbed.
cp "$work/$name/ken" "$to/.ken.new"
chmod 755 "$to/.ken.new"
mv "$to/.ken.new" "$to/ken"
printf 'installed %s: %s\n' "$to/ken" "$("$to/ken" --version)"
case ":$PATH:" in
*":$to:"*) ;;
*) printf '%s is not in PATH\n' "$to" ;;
esac
