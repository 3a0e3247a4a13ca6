"""What a release is checked for beyond the tests: `make release-checks [ONLY="NAME ..."]`.

Each check runs alone, too. Those that need a tool install it; docs/releasing.md says what each
insists on.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

from checks import coverage_of_lines, sbom
from studies.pages import ROOT

VENV = ROOT / ".venv"

# Our crates forbid `unsafe`; Miri interprets what they ask of those that have it: vectors, views,
# threads. It is some thousand times slower than the processor, hence only these tests, with one
# case each. Left out are tests that take hours, and one in which rayon's own in-place scope breaks
# tree borrows (docs/releasing.md).
MIRI_TESTS = ("simd::", "probs::", "labels::", "stop::")
MIRI_SKIPS = ("thousands_of_estimates", "simd::product", "the_calling_thread")
MIRI_ENVIRONMENT = {
    "PROPTEST_CASES": "1",
    # Those that our vectors choose on most machines.
    "RUSTFLAGS": "-C target-feature=+avx2,+fma",
    # Floating-point functions are to round as they do on a processor. Of the two models of aliasing
    # it is tree borrows: crossbeam-epoch, beneath rayon, breaks the older one, stacked borrows.
    "MIRIFLAGS": "-Zmiri-disable-isolation -Zmiri-deterministic-floats -Zmiri-tree-borrows",
}


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> None:
    """Run a command; if it fails, so does the check."""
    print("+", *command, flush=True)
    subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, check=True)


def install(tool: str) -> None:
    """Install a subcommand of cargo, if it is missing; a debug build takes half of the time."""
    if shutil.which(tool) is None:
        run("cargo", "install", "--locked", "--debug", tool)


def deny() -> None:
    """Check dependencies: licences, duplicates, sources, advisories."""
    install("cargo-deny")
    check = ("cargo", "deny", "--locked", "check", "--hide-inclusion-graph")
    run(*check, "licenses", "bans", "sources")
    run(*check, "advisories")


def semver() -> None:
    """Compare the libraries' interfaces with the last tag's, or with the commit in BASE."""
    tag = ["git", "describe", "--tags", "--abbrev=0"]
    found = subprocess.run(tag, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    base = os.environ.get("BASE") or found.strip()
    if not base:
        print("There is no tag yet: nothing was promised, nothing is compared.")
        return
    install("cargo-semver-checks")
    packages = ("--package", "calipers", "--package", "calipers-draw")
    run("cargo", "semver-checks", *packages, "--baseline-rev", base)


def msrv() -> None:
    """Compile with the oldest compiler that is promised."""
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    oldest = manifest["workspace"]["package"]["rust-version"]
    run("cargo", f"+{oldest}.0", "check", "--workspace", "--all-targets", "--locked")


def minimal_versions() -> None:
    """Compile with the oldest dependencies that the manifests allow."""
    target = ROOT / "target" / "minimal-versions"
    tree = target / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    run("cargo", "update", "-Z", "direct-minimal-versions", cwd=tree, RUSTC_BOOTSTRAP="1")
    check = ("cargo", "check", "--workspace", "--all-targets", "--locked")
    run(*check, cwd=tree, CARGO_TARGET_DIR=str(target))


def miri() -> None:
    """Interpret tests in search of undefined behaviour beneath us (rustup's nightly with miri)."""
    skips = [word for name in MIRI_SKIPS for word in ("--skip", name)]
    test = ("cargo", "+nightly", "miri", "test", "--package", "calipers", "--lib", "--")
    run(*test, *MIRI_TESTS, *skips, **MIRI_ENVIRONMENT)


def audit_python() -> None:
    """Look up what the Python package and its tests need in a database of advisories."""
    freeze = [VENV / "bin" / "python", "-m", "pip", "freeze", "--exclude", "calipers"]
    frozen = subprocess.run(freeze, capture_output=True, text=True, check=True).stdout
    pinned = [path.read_text() for path in (ROOT / "requirements").glob("*.txt")]
    lines = {line for text in (frozen, *pinned) for line in text.splitlines() if "==" in line}
    packages = ROOT / "target" / "python-packages.txt"
    packages.parent.mkdir(exist_ok=True)
    packages.write_text("".join(f"{line}\n" for line in sorted(lines, key=str.lower)))
    audit = ROOT / ".venv-audit" / "bin" / "pip-audit"
    run(audit, "--strict", "--no-deps", "--disable-pip", "--requirement", packages)


def coverage() -> None:
    """Measure which lines of the core its tests run, and fail below 95 %."""
    if coverage_of_lines.main([]):
        raise subprocess.CalledProcessError(1, "coverage")


def parts() -> None:
    """Write what the command and the wheel are made of to dist, as CycloneDX."""
    install("cargo-cyclonedx")
    sbom.main()


CHECKS: dict[str, Callable[[], None]] = {
    "deny": deny,
    "semver": semver,
    "msrv": msrv,
    "minimal-versions": minimal_versions,
    "miri": miri,
    "audit-python": audit_python,
    "coverage": coverage,
    "sbom": parts,
}


def main() -> int:
    """Run the checks that are named, or all, and stop at the first that fails."""
    parser = argparse.ArgumentParser(prog="python3 -m checks.release", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CHECKS))
    names = parser.parse_args().names or list(CHECKS)
    if unknown := [name for name in names if name not in CHECKS]:
        parser.error(f"there is no check {', '.join(unknown)}; there are {', '.join(CHECKS)}")
    for name in names:
        print(f"\n{name}: {CHECKS[name].__doc__}", flush=True)
        try:
            CHECKS[name]()
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{name} failed: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
