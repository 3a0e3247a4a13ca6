"""Measures which lines of the core its own tests run: `make release-checks ONLY=coverage`.

The core is `crates/calipers/src` without its test modules, the tests are those of that package:
unit tests, integration tests and examples in the documentation. A line counts if the compiler put
code on it, and is covered if any instance of that code ran. Writes
`docs/robustness/coverage.csv`, and fails if the share is below the least that is promised.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from studies.pages import ROOT, Pages

SOURCES = ROOT / "crates/calipers/src"
COUNTS = ROOT / "target/coverage"
TABLE = ROOT / "docs/robustness/coverage.csv"
HEADER = ("file", "lines of code", "lines run by tests", "share in percent", "lines left")


@dataclass
class File:
    """The lines of one file that have code, and which of them ran."""

    name: str
    lines: dict[int, bool]

    @property
    def covered(self) -> int:
        """The number of lines that ran."""
        return sum(self.lines.values())

    def left(self) -> str:
        """Name the lines that did not run, as ranges over lines without code."""
        ranges: list[list[int]] = []
        previous_ran = True
        for line, ran in sorted(self.lines.items()):
            if not ran and not previous_ran:
                ranges[-1][1] = line
            elif not ran:
                ranges.append([line, line])
            previous_ran = ran
        return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)


def main(words: list[str]) -> int:
    """Run the tests if they are to be run, read the counts and judge them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--least", type=float, default=95.0, help="the least share, in percent")
    parser.add_argument("--again", action="store_true", help="read the counts of the last run")
    arguments = parser.parse_args(words)
    profdata, cov = tool("llvm-profdata"), tool("llvm-cov")
    if not arguments.again:
        run_tests()
    files = [own(file) for file in measured(profdata, cov)]
    files = [file for file in files if file.lines]
    pages = Pages()
    pages.csv(TABLE, HEADER, map(row, files))
    pages.finish()
    lines, covered = sum(len(file.lines) for file in files), sum(file.covered for file in files)
    share = 100 * covered / lines
    for file in files:
        if file.covered < len(file.lines):
            print(f"{100 * file.covered / len(file.lines):6.1f} %  {file.name}: {file.left()}")
    print(f"{share:6.2f} %  of {lines:,} lines in {len(files)} files")
    if share < arguments.least:
        print(f"less than {arguments.least} %", file=sys.stderr)
        return 1
    return 0


def tool(name: str) -> str:
    """Find a tool of the compiler's own LLVM: another one may not read what it counts."""
    about = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    facts = dict(line.split(": ", 1) for line in about.splitlines() if ": " in line)
    sysroot = subprocess.run(
        ["rustc", "--print", "sysroot"], check=True, capture_output=True, text=True
    ).stdout.strip()
    major = facts["LLVM version"].split(".", maxsplit=1)[0]
    found = shutil.which(f"{sysroot}/lib/rustlib/{facts['host']}/bin/{name}")
    found = found or shutil.which(f"{name}-{major}")
    if found is None:
        sys.exit(
            f"{name} of LLVM {major} is missing: `rustup component add llvm-tools`, "
            f"or the package llvm-{major} of the system"
        )
    return found


def run_tests() -> None:
    """Run the core's tests as they are, compiled to count."""
    shutil.rmtree(COUNTS, ignore_errors=True)
    COUNTS.mkdir(parents=True)
    environment = {
        **os.environ,
        "RUSTC_WORKSPACE_WRAPPER": str(ROOT / "checks/instrument"),
        # A few files for each program, into which all of its runs count.
        "LLVM_PROFILE_FILE": str(COUNTS / "%4m.profraw"),
    }
    test = ["cargo", "test", "--package", "calipers", "--locked"]
    with (COUNTS / "programs.json").open("wb") as programs:
        command = [*test, "--lib", "--tests", "--no-run", "--message-format=json"]
        subprocess.run(command, check=True, cwd=ROOT, env=environment, stdout=programs)
    subprocess.run([*test, "--lib", "--tests"], check=True, cwd=ROOT, env=environment)
    # Examples are compiled by rustdoc: without this they link what counts, but write no counts.
    environment["RUSTDOCFLAGS"] = "-C instrument-coverage"
    subprocess.run([*test, "--doc"], check=True, cwd=ROOT, env=environment)


def measured(profdata: str, cov: str) -> list[File]:
    """Return the lines of each source file, as LLVM counted them."""
    counts = [str(path) for path in sorted(COUNTS.glob("*.profraw"))]
    merged = str(COUNTS / "merged.profdata")
    subprocess.run([profdata, "merge", "--sparse", "--output", merged, *counts], check=True)
    messages = map(json.loads, (COUNTS / "programs.json").read_text().splitlines())
    programs = [message["executable"] for message in messages if message.get("executable")]
    objects = [argument for program in programs for argument in ("--object", program)]
    command = [cov, "export", "--format=lcov", f"--instr-profile={merged}", *objects]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    files = []
    for record in text.split("end_of_record"):
        source = re.search(r"^SF:(.*)$", record, re.MULTILINE)
        if source is None or not Path(source[1]).is_relative_to(SOURCES):
            continue
        lines = re.findall(r"^DA:(\d+),(\d+)", record, re.MULTILINE)
        name = str(Path(source[1]).relative_to(SOURCES))
        files.append(File(name, {int(line): count != "0" for line, count in lines}))
    if not files:
        sys.exit("nothing was counted")
    return sorted(files, key=lambda file: file.name)


def own(file: File) -> File:
    """Leave out what is compiled for tests only."""
    if is_test_module(Path(file.name)):
        return File(file.name, {})
    tests = lines_for_tests((SOURCES / file.name).read_text().splitlines())
    kept = {line: ran for line, ran in file.lines.items() if line not in tests}
    return File(file.name, kept)


def is_test_module(name: Path) -> bool:
    """Tell whether this file, or a module that it is in, is declared for tests only."""
    modules = [*name.parts[:-1], name.stem]
    for depth, module in enumerate(modules):
        folder = SOURCES.joinpath(*modules[:depth])
        for parent in (folder / "mod.rs", folder.with_suffix(".rs"), folder / "lib.rs"):
            declared = rf"#\[cfg\(test\)\]\n(pub(\(\w+\))? )?mod {module};"
            if parent.exists() and re.search(declared, parent.read_text()):
                return True
    return False


def lines_for_tests(source: list[str]) -> set[int]:
    """Return the numbers of the lines of items marked `#[cfg(test)]`."""
    # rustfmt closes each where it was opened.
    found: set[int] = set()
    closing = None
    for number, line in enumerate(source, start=1):
        if closing is None and line.strip() == "#[cfg(test)]":
            closing = line[: len(line) - len(line.lstrip())]
        if closing is not None:
            found.add(number)
            if line == closing + "}" or (line.startswith(closing + "mod ") and line.endswith(";")):
                closing = None
    return found


def row(file: File) -> list[object]:
    """Return the figures of a file."""
    share = f"{100 * file.covered / len(file.lines):.1f}"
    return [file.name, len(file.lines), file.covered, share, file.left()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
