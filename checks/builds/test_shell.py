"""The page about shells: its blocks are typed in a home of their own."""

import json
import subprocess
from pathlib import Path

from checks.pages import blocks


def test_completions_manual_and_schemas(place: Path, settings: dict[str, str]) -> None:
    home = place / "home"
    for folder in (
        ".local/share/bash-completion/completions",
        ".zfunc",
        ".config/fish/completions",
        ".config/elvish",
    ):
        (home / folder).mkdir(parents=True)
    # What `man` is given is looked at, not what it makes of it.
    reader = place / "bin" / "man"
    reader.write_text('#!/bin/sh\ntest "$*" = "-l -" && exec cat > page.1\n')
    reader.chmod(0o755)
    settings = {**settings, "HOME": str(home), "PROFILE": str(home / "profile.ps1")}
    for block in blocks("shell", "sh"):
        subprocess.run(["sh", "-ec", block], cwd=place, env=settings, check=True, timeout=60)
    written = [
        home / ".local/share/bash-completion/completions/calipers",
        home / ".zfunc/_calipers",
        home / ".config/fish/completions/calipers.fish",
        home / "profile.ps1",
        home / ".config/elvish/rc.elv",
    ]
    for path in written:
        assert "estimate" in path.read_text(encoding="utf-8"), path
    assert ".TH calipers-recalibrate-fit 1" in (place / "page.1").read_text(encoding="utf-8")
    manual = {path.name for path in (home / ".local/share/man/man1").iterdir()}
    assert {"calipers.1", "calipers-estimate.1", "calipers-recalibrate-fit.1"} <= manual
    schema = json.loads((place / "estimate.schema.json").read_text(encoding="utf-8"))
    assert schema["$id"].startswith("urn:calipers:schema:estimate:")
