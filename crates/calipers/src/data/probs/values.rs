//! The numbers of predictions as they were given: precision, layout, one column or one a class.

use std::borrow::Cow;
use std::ops::Range;

use ndarray::{ArrayView1, ArrayView2, Axis, CowArray, Ix1};

/// A number that a probability can be given as: `f32` or `f64`.
pub trait Real: Copy + Into<f64> + sealed::Sealed {}

impl Real for f32 {}
impl Real for f64 {}

pub(super) mod sealed {
    use ndarray::{ArrayView1, ArrayView2};

    use super::Values;

    /// How arrays of a number are held.
    pub trait Sealed: Sized {
        fn table(view: ArrayView2<'_, Self>) -> Values<'_>;
        fn column(view: ArrayView1<'_, Self>) -> Values<'_>;
    }

    impl Sealed for f32 {
        fn table(view: ArrayView2<'_, Self>) -> Values<'_> {
            Values::Single(view)
        }
        fn column(view: ArrayView1<'_, Self>) -> Values<'_> {
            Values::SingleColumn(view)
        }
    }

    impl Sealed for f64 {
        fn table(view: ArrayView2<'_, Self>) -> Values<'_> {
            match view.to_slice() {
                Some(cells) => Values::Rows { cells: cells.into(), classes: view.ncols() },
                None => Values::Double(view),
            }
        }
        fn column(view: ArrayView1<'_, Self>) -> Values<'_> {
            Values::DoubleColumn(view.into())
        }
    }
}

/// The numbers as they were given.
#[derive(Debug, Clone)]
pub enum Values<'a> {
    /// Row after row, one number a class.
    Rows { cells: Cow<'a, [f64]>, classes: usize },
    /// The same in any other layout.
    Double(ArrayView2<'a, f64>),
    /// The same in single precision.
    Single(ArrayView2<'a, f32>),
    /// The probabilities of class 1 of two.
    DoubleColumn(CowArray<'a, f64, Ix1>),
    /// The same in single precision.
    SingleColumn(ArrayView1<'a, f32>),
}

impl Values<'_> {
    /// The number of rows and of classes.
    pub fn dim(&self) -> (usize, usize) {
        match self {
            Self::Rows { cells, classes } => (cells.len() / classes.max(&1), *classes),
            Self::Double(table) => table.dim(),
            Self::Single(table) => table.dim(),
            Self::DoubleColumn(column) => (column.len(), 2),
            Self::SingleColumn(column) => (column.len(), 2),
        }
    }

    /// Whether they are the probabilities of class 1 of two, all of them from 0 to 1. One and what is left
    /// to 1 then sum to 1, but for less rounding than is ever divided away.
    pub fn are_shares(&self) -> bool {
        let Self::DoubleColumn(column) = self else { return false };
        let outside = |count: usize, share: &f64| count + usize::from(!(0.0..=1.0).contains(share));
        // Counting them all is done several at a time; stopping at the first is not.
        column.as_slice().is_some_and(|shares| shares.iter().fold(0, outside) == 0)
    }

    /// The same numbers, borrowed.
    pub fn view(&self) -> Values<'_> {
        self.some(0..self.dim().0)
    }

    /// Those of some rows, borrowed.
    pub fn some(&self, rows: Range<usize>) -> Values<'_> {
        match self {
            Self::Rows { cells, classes } => {
                let cells = &cells[rows.start * classes..rows.end * classes];
                Values::Rows { cells: Cow::Borrowed(cells), classes: *classes }
            }
            Self::Double(table) => Values::Double(table.slice_axis(Axis(0), rows.into())),
            Self::Single(table) => Values::Single(table.slice_axis(Axis(0), rows.into())),
            Self::DoubleColumn(column) => {
                Values::DoubleColumn(column.slice_axis(Axis(0), rows.into()).into())
            }
            Self::SingleColumn(column) => {
                Values::SingleColumn(column.slice_axis(Axis(0), rows.into()))
            }
        }
    }

    /// One class's number in a row.
    #[inline]
    pub fn at(&self, row: usize, class: usize) -> f64 {
        match self {
            Self::Rows { cells, classes } => cells[row * classes + class],
            Self::Double(table) => table[[row, class]],
            Self::Single(table) => table[[row, class]].into(),
            Self::DoubleColumn(column) => pair(column[row])[class],
            Self::SingleColumn(column) => pair(column[row].into())[class],
        }
    }

    /// Reads a row.
    #[inline]
    pub fn read(&self, row: usize, to: &mut [f64]) {
        match self {
            Self::Rows { cells, classes } => {
                to.copy_from_slice(&cells[row * classes..(row + 1) * classes]);
            }
            Self::Double(table) => {
                to.iter_mut().zip(table.row(row)).for_each(|(to, from)| *to = *from);
            }
            Self::Single(table) => {
                to.iter_mut().zip(table.row(row)).for_each(|(to, from)| *to = (*from).into());
            }
            Self::DoubleColumn(column) => to.copy_from_slice(&pair(column[row])),
            Self::SingleColumn(column) => to.copy_from_slice(&pair(column[row].into())),
        }
    }
}

/// Both probabilities, of which that of class 1 is given. One above 1 by rounding leaves nothing for
/// class 0, and is renormalised.
#[inline]
fn pair(probability: f64) -> [f64; 2] {
    [(1.0 - probability).max(0.0), probability]
}
