# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by every script: enables strict mode, and defines messages and installation from Debian's archive.
set -euo pipefail

# shellcheck disable=SC2034 # used by the scripts that source this file
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

say() { printf '[%3ds] %s\n' "$SECONDS" "$*"; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

version_at_least() { # version_at_least HAVE WANT
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n1)" = "$2" ]
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "root (or sudo) is needed for: $*"
    fi
}

# apt_install PACKAGE…: installs packages of this machine's own release. Waits for other processes that use dpkg.
apt_install() {
    command -v apt-get >/dev/null || fail "please install with this system's package manager: $*"
    local install=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0
        install -y --no-install-recommends "$@")
    # The package lists may be missing or outdated. If so, update them once and try again.
    if ! as_root "${install[@]}" >/dev/null 2>&1; then
        as_root apt-get -qq -o DPkg::Lock::Timeout=600 update
        as_root "${install[@]}" >/dev/null
    fi
}

# private_apt DIR LINE…: sets APT_OPTIONS so that apt-get works in DIR and uses only the given sources: "deb SUITE",
# "deb-src SUITE" and "deb-i386 SUITE" (packages for i386). The mirror and the keyring are those of this machine's
# own apt sources. apt checks the signatures and checksums of all downloads. The machine's own package lists do not
# change.
private_apt() {
    local dir=$1 codename mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg line
    shift
    # shellcheck disable=SC1091
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    # Skips the updates and security archives, whose mirrors may differ.
    # shellcheck disable=SC2016 # apt's own variables
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v own="$codename" '($2 == own || $2 == "stable") && $3 == "main" { print $1 }' | sort -u | head -n1)
    [ -n "$mirror" ] || fail "no apt source of '$codename main' names a mirror"
    [ -r "$keyring" ] || fail "$keyring is missing (package debian-archive-keyring)"
    mkdir -p "$dir"/{lists/partial,cache/archives/partial}
    for line in "$@"; do
        case $line in
            deb-i386\ *) echo "deb [arch=i386 signed-by=$keyring] $mirror ${line#* } main" ;;
            *) echo "${line% *} [signed-by=$keyring] $mirror ${line#* } main" ;;
        esac
    done >"$dir/sources.list"
    APT_OPTIONS=(-qq
        -o "Dir::Etc::sourcelist=$dir/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
        -o "Dir::State::Lists=$dir/lists" -o "Dir::Cache=$dir/cache"
        -o Acquire::Languages=none -o Acquire::Retries=3
        -o APT::Sandbox::User=root -o APT::Update::Post-Invoke-Success::=)
    [[ $* != *deb-i386* ]] || APT_OPTIONS+=(-o APT::Architecture=i386 -o APT::Architectures=i386)
    apt-get "${APT_OPTIONS[@]}" update
}
