"""Progress of long evaluations."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Watcher = Callable[[int, int], object]


@contextmanager
def watched(progress: bool | Watcher) -> Iterator[Watcher | None]:
    """Give a function to call with the fits that are done and those that there are in all.

    ``True`` shows a bar: tqdm's if it is installed, or else a line on standard error.
    """
    if progress is not True:
        yield progress or None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield _line
        return
    with tqdm(unit="fit", leave=False) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)
            if done == total:  # Quick runs end before the bar would have been drawn again.
                bar.refresh()

        yield show


def _line(done: int, total: int) -> None:
    end = "\n" if done == total else ""
    print(f"\rcalipers: {done} of {total} fits", end=end, file=sys.stderr, flush=True)
