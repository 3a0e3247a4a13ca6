"""The ECE of fifteen bins by DuckDB, of files that are named on standard input.

Prints the seconds that the query took, from the names of the files to the number, and the number.
"""

import importlib
import sys
import time

from studies.stream.settings import THREADS

QUERY = """
select sum(abs(confidence - frequency) * n) / sum(n)
from (
    select avg(p) as confidence, avg(y) as frequency, count(*) as n
    from read_parquet({files})
    group by least(cast(floor(15 * p) as int), 14)
)
"""


def main() -> None:
    """Ask once."""
    database = importlib.import_module("duckdb").connect()
    database.execute(f"set threads = {THREADS}")
    files = sys.stdin.read().splitlines()
    start = time.perf_counter()
    (found,) = database.execute(QUERY.format(files=files)).fetchone()
    print(time.perf_counter() - start, found)


if __name__ == "__main__":
    main()
