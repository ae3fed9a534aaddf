#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# python.sh FOLDER REQUIREMENTS WHAT [OPTION…]: makes a Python environment in FOLDER with the packages that the file
# REQUIREMENTS pins. Options are those of pip.
. "$(dirname "$0")/../common.sh"

venv=$1 requirements=$2 what=$3
shift 3
want=$(sha256sum <"$requirements")
[ "$(cat "$venv/.done" 2>/dev/null)" = "$want" ] && exit
say "making a Python environment with $what ($venv)"
rm -rf "$venv"
if ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
    apt_install python3 python3-venv
fi
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes "$@" -r "$requirements"
echo "$want" >"$venv/.done"
