//! NumPy's arrays as views: nothing is copied that does not have to be.

use std::ops::Range;

use calipers::{Predictions, Probabilities};
use ndarray::{ArrayView, ArrayView1, ArrayView2, Axis, RemoveAxis};
use numpy::{
    PyArray2, PyArrayDescrMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray,
    PyUntypedArrayMethods, ToPyArray,
};
use pyo3::prelude::*;

use crate::background;
use crate::error::raise;

/// Probabilities or logits as Python holds them: one column a class, or a single one for class 1.
/// The Python package sees to it that they are single or double precision, aligned, and of one or
/// two dimensions; their layout may be any.
pub enum Scores<'py> {
    /// A single column, in single precision.
    Column32(PyReadonlyArray1<'py, f32>),
    /// A single column, in double precision.
    Column64(PyReadonlyArray1<'py, f64>),
    /// A column a class, in single precision.
    Matrix32(PyReadonlyArray2<'py, f32>),
    /// A column a class, in double precision.
    Matrix64(PyReadonlyArray2<'py, f64>),
}

/// The same as views, which another thread may read.
#[derive(Clone, Copy)]
pub enum ScoresView<'a> {
    /// A single column, in single precision.
    Column32(ArrayView1<'a, f32>),
    /// A single column, in double precision.
    Column64(ArrayView1<'a, f64>),
    /// A column a class, in single precision.
    Matrix32(ArrayView2<'a, f32>),
    /// A column a class, in double precision.
    Matrix64(ArrayView2<'a, f64>),
}

impl<'py> FromPyObject<'_, 'py> for Scores<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // Asking for the type first: an attempt that fails costs an exception.
        let array = object.cast::<PyUntypedArray>()?;
        Ok(match (array.ndim(), array.dtype().itemsize()) {
            (1, 4) => Self::Column32(object.extract()?),
            (1, _) => Self::Column64(object.extract()?),
            (_, 4) => Self::Matrix32(object.extract()?),
            (_, _) => Self::Matrix64(object.extract()?),
        })
    }
}

impl Scores<'_> {
    /// The arrays as views.
    pub fn view(&self) -> ScoresView<'_> {
        match self {
            Self::Column32(array) => ScoresView::Column32(array.as_array()),
            Self::Column64(array) => ScoresView::Column64(array.as_array()),
            Self::Matrix32(array) => ScoresView::Matrix32(array.as_array()),
            Self::Matrix64(array) => ScoresView::Matrix64(array.as_array()),
        }
    }
}

impl<'a> ScoresView<'a> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Column32(column) => column.len(),
            Self::Column64(column) => column.len(),
            Self::Matrix32(matrix) => matrix.nrows(),
            Self::Matrix64(matrix) => matrix.nrows(),
        }
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        match self {
            Self::Column32(_) | Self::Column64(_) => 1,
            Self::Matrix32(matrix) => matrix.ncols(),
            Self::Matrix64(matrix) => matrix.ncols(),
        }
    }

    /// Some of the rows.
    pub fn some<'b>(self, rows: &Range<usize>) -> ScoresView<'b>
    where
        'a: 'b,
    {
        match self {
            Self::Column32(column) => ScoresView::Column32(stretch(column, rows)),
            Self::Column64(column) => ScoresView::Column64(stretch(column, rows)),
            Self::Matrix32(matrix) => ScoresView::Matrix32(stretch(matrix, rows)),
            Self::Matrix64(matrix) => ScoresView::Matrix64(stretch(matrix, rows)),
        }
    }

    /// Checks them. Probabilities are borrowed, logits made probabilities of.
    pub fn probabilities(self, from_logits: bool) -> calipers::Result<Probabilities<'a>> {
        match (self, from_logits) {
            (Self::Column32(column), false) => Probabilities::borrowed_binary(column),
            (Self::Column64(column), false) => Probabilities::borrowed_binary(column),
            (Self::Matrix32(matrix), false) => Probabilities::borrowed(matrix),
            (Self::Matrix64(matrix), false) => Probabilities::borrowed(matrix),
            (Self::Column32(column), true) => {
                Probabilities::from_logits(column.insert_axis(Axis(1)))
            }
            (Self::Column64(column), true) => {
                Probabilities::from_logits(column.insert_axis(Axis(1)))
            }
            (Self::Matrix32(matrix), true) => Probabilities::from_logits(matrix),
            (Self::Matrix64(matrix), true) => Probabilities::from_logits(matrix),
        }
    }

    /// Checks them, together with the class of each row.
    pub fn predictions(
        self,
        labels: &[u32],
        from_logits: bool,
    ) -> calipers::Result<Predictions<'a>> {
        self.probabilities(from_logits)?.with_labels(labels)
    }
}

/// Some rows of an array.
fn stretch<'a: 'b, 'b, T, D: RemoveAxis>(
    array: ArrayView<'a, T, D>,
    rows: &Range<usize>,
) -> ArrayView<'b, T, D> {
    let (before, _) = array.reborrow().split_at(Axis(0), rows.end);
    before.split_at(Axis(0), rows.start).1
}

/// Checks probabilities (or logits, of which it takes the softmax) and returns what they are to
/// the estimator: double precision, one column a class, every row summing to 1.
#[pyfunction]
#[pyo3(signature = (scores, from_logits))]
pub fn check_probabilities<'py>(
    py: Python<'py>,
    scores: Scores<'py>,
    from_logits: bool,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let view = scores.view();
    let checked = background::run(py, 1, |_| view.probabilities(from_logits))?;
    Ok(checked.probs().to_pyarray(py))
}

/// Raises an error unless there is a weight for each row, none is negative and some are not zero.
#[pyfunction]
#[pyo3(signature = (weights, rows))]
pub fn check_weights(
    py: Python<'_>,
    weights: PyReadonlyArray1<'_, f64>,
    rows: usize,
) -> PyResult<()> {
    let weights = weights.as_array().to_vec();
    calipers::check_weights(&weights, rows).map_err(|error| raise(py, &error))
}
