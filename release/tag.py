"""See that a tag names the version of the manifest: `make tag TAG=v1.2.3`.

On GitHub it is the tag that is being built.
"""

from __future__ import annotations

import os
import sys

from release import version
from release.version import ROOT


def main() -> None:
    """Compare, and end with an error if they differ."""
    tag = os.environ.get("TAG") or os.environ.get("GITHUB_REF_NAME", "")
    expected = {f"v{one}" for one in version.every(ROOT)}
    if expected != {tag}:
        sys.exit(f"the tag is {tag!r}, and the version makes it {', '.join(sorted(expected))}")
    print(f"{tag} is the version")


if __name__ == "__main__":
    main()
