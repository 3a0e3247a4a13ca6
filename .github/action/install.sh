#!/usr/bin/env bash
# Put the command `calipers` on the path of later steps: INPUT_INSTALL says where from.
set -euo pipefail

install=${INPUT_INSTALL:-auto}
# Of this step alone: another one of the same job may install another command.
place=$(mktemp -d "${RUNNER_TEMP:?}/calipers-command-XXXXXX")

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

# Install a wheel, by its path or by its name and version.
wheel() {
    local programs
    python3 -m venv "$place"
    # What Windows calls it.
    programs=$place/Scripts
    [[ -d $programs ]] || programs=$place/bin
    "$programs/python" -m pip install --quiet --disable-pip-version-check "$@" && [[ -x $programs/calipers ]] || return 1
    echo "$programs" >>"$GITHUB_PATH"
}

# Print the version of a clone that is a release: nothing is unreleased above it in the changelog.
released() {
    local version first
    version=$(sed -n '/^version = /{s/^version = "\(.*\)"$/\1/p;q;}' "$1/Cargo.toml")
    first=$(awk '/^## \[Unreleased\]/ { below = 1; next } below && NF { print; exit }' "$1/CHANGELOG.md")
    [[ $first == "## [$version]"* ]] && echo "$version"
}

case $install in
auto)
    # The wheel of the action's own version takes seconds; a build takes minutes, and does wherever it is missing.
    command -v calipers ||
        { version=$(released "${GITHUB_ACTION_PATH:?}") && wheel --only-binary :all: "calipers==$version"; } ||
        build "$GITHUB_ACTION_PATH"
    ;;
path)
    command -v calipers || fail "install: no command calipers is on the path"
    ;;
*.whl)
    [[ -f $install ]] || fail "install: there is no file $install"
    # From a path that cannot be read as an option.
    wheel "$(realpath -- "$install")" ||
        fail "install: $install carries no command calipers; build it with install: auto"
    ;;
*)
    [[ -d $install ]] || fail "install: $install is none of auto, path, a folder, a wheel"
    build "$(realpath -- "$install")"
    ;;
esac
