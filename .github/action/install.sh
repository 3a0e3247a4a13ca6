#!/usr/bin/env bash
# Put the command `calipers` on the path of later steps: INPUT_INSTALL says where from.
set -euo pipefail

install=${INPUT_INSTALL:-auto}
place=${RUNNER_TEMP:?}/calipers-command

fail() {
    # On one line: GitHub shows it beside the step.
    echo "::error::${1//[$'\r\n']/ }"
    exit 2
}

build() {
    [[ -f $1/crates/calipers-cli/Cargo.toml ]] || fail "install: $1 is no clone of calipers"
    command -v cargo >/dev/null || fail "install: building calipers needs cargo, which is not on the path"
    cargo install --locked --quiet --root "$place" --path "$1/crates/calipers-cli"
    echo "$place/bin" >>"$GITHUB_PATH"
}

case $install in
auto)
    command -v calipers || build "${GITHUB_ACTION_PATH:?}"
    ;;
path)
    command -v calipers || fail "install: no command calipers is on the path"
    ;;
*.whl)
    [[ -f $install ]] || fail "install: there is no file $install"
    python3 -m venv "$place"
    # From a path that cannot be read as an option.
    "$place/bin/python" -m pip install --quiet --disable-pip-version-check "$(realpath -- "$install")"
    [[ -x $place/bin/calipers ]] || fail "install: $install carries no command calipers; build it with install: auto"
    echo "$place/bin" >>"$GITHUB_PATH"
    ;;
*)
    [[ -d $install ]] || fail "install: $install is none of auto, path, a folder, a wheel"
    build "$(realpath -- "$install")"
    ;;
esac
