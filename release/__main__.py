"""Make a release, up to the point where it is uploaded: `make release VERSION=... REPOSITORY=...`.

Sets the version and the head of the changelog, runs every check on that, commits and tags it, and
builds what is published into `dist`. It uploads nothing, and says what to type.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from datetime import datetime, timezone

from release import changelog, version
from release.version import ROOT

# Before the commit: `crates` is not among these, since cargo packs no files that are not committed.
CHECKS = ("test", "release-checks")
BUILDS = ("wheels", "test-sdist", "crates", "test-wheels", "sbom")


def main() -> None:
    """Make the release."""
    parser = argparse.ArgumentParser(prog="python3 -m release", description=__doc__)
    parser.add_argument("version", help="such as 1.2.3 or 1.2.3-rc.1")
    parser.add_argument("--repository", default="", help="the project's address, kept from then on")
    asked = parser.parse_args()
    try:
        prepare(asked.version, asked.repository)
    except ValueError as wrong:
        sys.exit(f"no release: {wrong}")
    tag = f"v{asked.version}"
    try:
        make(*CHECKS)
    except subprocess.CalledProcessError:
        sys.exit("no release: a check failed. `git restore .` takes back what was written for it.")
    git("commit", "--quiet", "--all", "--message", f"Release {tag}")
    # Verbatim: headings of the changelog start as what git takes for comments.
    git("tag", "--annotate", "--cleanup", "verbatim", tag, "--message", notes_of(asked.version))
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    try:
        make(*BUILDS)
    except subprocess.CalledProcessError:
        undo = f"`git tag --delete {tag} && git reset --hard HEAD~1`"
        sys.exit(f"no release: it was tagged, and cannot be built. {undo} takes that back.")
    print(f"\n{tag} is committed, tagged and built in dist; nothing is uploaded. Now type either")
    print(f"  git push origin HEAD {tag}    # wheels of all systems, uploaded when approved")
    print("  make publish                  # what is in dist, from here: Linux and the crates")


def prepare(number: str, address: str) -> None:
    """Write version, address and changelog; raise an error, and write nothing, if that is wrong."""
    if git("status", "--porcelain"):
        raise ValueError("there are changes that are not committed")
    if git("tag", "--list", f"v{number}"):
        raise ValueError(f"v{number} is tagged already")
    if not address and not version.repository(ROOT):
        raise ValueError("nobody said where the project is: REPOSITORY=https://...")
    try:
        version.set_version(ROOT, number)
        if address:
            version.set_repository(ROOT, address)
        changelog.release(ROOT, number, datetime.now(timezone.utc).date())
    except ValueError:
        git("restore", ".")
        raise


def notes_of(number: str) -> str:
    """Return what the tag says: the version, and what the changelog has of it."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return f"calipers {number}\n\n{changelog.notes(text, number)}"


def make(*targets: str) -> None:
    """Make targets, one after the other."""
    for target in targets:
        print(f"+ make {target}", flush=True)
        subprocess.run(["make", target], cwd=ROOT, check=True)


def git(*arguments: str) -> str:
    """Run git, and return what it prints."""
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


if __name__ == "__main__":
    main()
