"""What can be wrong with the input."""

from __future__ import annotations


class InputError(ValueError):
    """Something in the input that the caller can mend.

    The message names the row, the column and the value, where there is one of them.

    Parameters
    ----------
    message : str
        What is wrong.
    row, column : int, optional
        Where, counted from 0 as in the arrays that were given.
    value : object, optional
        What was found there.

    Examples
    --------
    >>> import calipers
    >>> try:
    ...     calipers.calibration_error([0, 1, 1], [0.2, 0.7, 1.7])
    ... except calipers.InputError as error:
    ...     print(error)
    ...     print(error.row, error.value)
    row 2, column 1: probability 1.7 is above 1; if these are logits, pass from_logits=True
    2 1.7
    """

    row: int | None
    column: int | None
    value: object

    def __init__(
        self,
        message: str,
        row: int | None = None,
        column: int | None = None,
        value: object = None,
    ) -> None:
        super().__init__(message)
        self.row = row
        self.column = column
        self.value = value

    def __reduce__(self) -> tuple[type[InputError], tuple[object, ...]]:
        """Keep the place when it is sent to another process."""
        return type(self), (str(self), self.row, self.column, self.value)
