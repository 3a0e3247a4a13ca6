//! Columns as a file, with probabilities among them.

use ndarray::ArrayView2;

use crate::table::{Text, Values};

/// Columns to write, in order, and the probabilities that some of them are.
///
/// ```
/// use calipers_files::{Cells, Sheet};
/// use ndarray::array;
///
/// let probs = array![[0.75, 0.25], [0.5, 0.5]];
/// let columns = vec![
///     ("label".to_owned(), Cells::Whole(vec![0, 1])),
///     ("p_no".to_owned(), Cells::Class(0)),
///     ("p_yes".to_owned(), Cells::Class(1)),
/// ];
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("predictions.csv");
/// Sheet { probs: probs.view(), columns }.write(&file)?;
/// assert_eq!(std::fs::read_to_string(&file)?, "label,p_no,p_yes\n0,0.75,0.25\n1,0.5,0.5\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sheet<'a> {
    /// One row a sample, one column a class.
    pub probs: ArrayView2<'a, f64>,
    /// The names of the columns with what they hold.
    pub columns: Vec<(String, Cells<'a>)>,
}

/// What a column of a [`Sheet`] holds.
#[derive(Debug)]
pub enum Cells<'a> {
    /// The probabilities of a class.
    Class(usize),
    /// Whole numbers, all of them there.
    Whole(Vec<i64>),
    /// Numbers; NaN where one is missing.
    Numbers(&'a [f64]),
    /// Text; empty where it is missing.
    Text(&'a Text),
}

impl<'a> Cells<'a> {
    /// The cells of a column that was read; `None` if they are neither numbers nor text.
    pub fn of(values: &'a Values) -> Option<Self> {
        match values {
            Values::Numbers(numbers) => Some(match whole(numbers) {
                Some(whole) => Self::Whole(whole),
                None => Self::Numbers(numbers),
            }),
            Values::Text(text) => Some(Self::Text(text)),
            Values::Matrix(_) | Values::Lists(_) | Values::Other(_) => None,
        }
    }

    /// The number of rows; `None` where it is that of the probabilities.
    pub fn rows(&self) -> Option<usize> {
        match self {
            Self::Class(_) => None,
            Self::Whole(numbers) => Some(numbers.len()),
            Self::Numbers(numbers) => Some(numbers.len()),
            Self::Text(text) => Some(text.len()),
        }
    }
}

/// The numbers as integers if that is what all of them are: readers make doubles of both.
pub(crate) fn whole(numbers: &[f64]) -> Option<Vec<i64>> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let integer = |&number: &f64| {
        (number.abs() <= EXACT && number.fract().abs() <= 0.0).then_some(number as i64)
    };
    numbers.iter().map(integer).collect()
}

impl Sheet<'_> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.probs.nrows()
    }
}
