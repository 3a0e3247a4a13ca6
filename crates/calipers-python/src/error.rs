//! The core's errors as Python's exceptions.

use calipers::Error;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// What is wrong with the input becomes a `calipers.InputError` with the place; what is not the
/// user's to mend, a `RuntimeError`.
pub fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let value = match error {
        Error::External { .. } | Error::Stopped => {
            return PyRuntimeError::new_err(error.to_string());
        }
        Error::Probability { value, .. }
        | Error::Logit { value, .. }
        | Error::Weight { value, .. } => value.into_pyobject(py).map(Bound::into_any).ok(),
        Error::RowSum { sum, .. } => sum.into_pyobject(py).map(Bound::into_any).ok(),
        Error::Label { value, .. }
        | Error::UnknownLabel { value, .. }
        | Error::OnlyLabel { value, .. }
        | Error::ThirdLabel { value, .. }
        | Error::NoCorrectness { value, .. } => value.into_pyobject(py).map(Bound::into_any).ok(),
        _ => None,
    };
    let hint = match error {
        Error::Probability { reason, .. } if *reason != "is not finite" => {
            "; if these are logits, pass from_logits=True"
        }
        Error::UnknownLabel { .. } => {
            "; class_names says which label each column is for, in the order of the columns"
        }
        Error::AmbiguousLabels { .. } => {
            "; class_names says which label each column is for, in the order of the columns; of a single \
             column, [negative, positive]"
        }
        Error::OnlyLabel { .. } => "; class_names=[negative, positive] says it",
        Error::ThirdLabel { .. } => "; give one column a class",
        _ => "",
    };
    input_error(py, &format!("{error}{hint}"), error.row(), error.column(), value)
}

/// A `calipers.InputError`, which is defined in Python.
pub fn input_error<'py>(
    py: Python<'py>,
    message: &str,
    row: Option<usize>,
    column: Option<usize>,
    value: Option<Bound<'py, PyAny>>,
) -> PyErr {
    let made = py
        .import("calipers._errors")
        .and_then(|module| module.getattr("InputError"))
        .and_then(|class| class.call1((message, row, column, value)));
    made.map_or_else(|error| error, PyErr::from_value)
}
