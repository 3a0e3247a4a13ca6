//! The first door: probabilities come in here, are checked once, and are trusted ever after.

use std::borrow::Cow;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, CowArray, Ix2};

use super::logits::{softmax, softmax_in_place};
use super::probs::{Probs, Real, SUM_TOLERANCE, Values, check_column};
use crate::error::{Error, Result};

/// A classifier's probabilities, validated: each row is a point f(X) of the simplex.
///
/// A row whose sum is within [`SUM_TOLERANCE`](crate::SUM_TOLERANCE) of 1 is divided by it; how many
/// rows were off by more than rounding is kept in [`renormalised_rows`](Self::renormalised_rows).
///
/// They are owned, or borrowed for `'a`, in single or double precision and in any layout. Borrowed
/// ones are never copied as a whole: they are widened, and divided by their sum, a row at a time when
/// they are read, and give the same bits as if they had been widened before. With labels they are
/// [`Predictions`](crate::Predictions); a fitted model needs none to be applied.
///
/// ```
/// use calipers::{Predictions, Probabilities, Sample, recalibrator, simulate};
/// use ndarray::array;
///
/// let fitted = recalibrator("logistic")?.fit(&Sample::from(&simulate("binary-over", 500, 0)?), 0)?;
/// let new = Probabilities::new(array![[0.7, 0.3], [0.1, 0.9]])?;
/// assert_eq!(fitted.predict(new.probs().view())?.dim(), (2, 2));
/// let labelled: Predictions = new.with_labels(&[0, 1])?;
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Probabilities<'a> {
    probs: Probs<'a>,
    renormalised_rows: usize,
}

impl<'a> Probabilities<'a> {
    /// Checks a table: one row a sample, one column a class.
    ///
    /// # Errors
    /// No rows, fewer than two columns; a probability that is not finite, negative or above 1; a row
    /// sum further than [`SUM_TOLERANCE`](crate::SUM_TOLERANCE) from 1.
    pub fn new(probs: Array2<f64>) -> Result<Self> {
        check_shape(probs.dim())?;
        Probs::owned(probs).map(Self::checked)
    }

    /// As [`Probabilities::new`], but each row is divided by its sum however far that is from 1: those
    /// of many classes that were rounded to two decimals are further off than the tolerance.
    ///
    /// # Errors
    /// As [`Probabilities::new`]; of sums, 0 alone is refused.
    ///
    /// ```
    /// use calipers::Probabilities;
    /// use ndarray::array;
    ///
    /// let rounded = array![[0.33, 0.33, 0.33], [0.5, 0.25, 0.25]];
    /// assert!(Probabilities::new(rounded.clone()).is_err());
    /// assert_eq!(Probabilities::renormalised(rounded)?.renormalised_rows(), 1);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn renormalised(mut probs: Array2<f64>) -> Result<Self> {
        let mut divided = 0;
        for mut row in probs.rows_mut() {
            let sum = row.sum();
            // What is wrong with a row in another way is left as it is, to be named as it is.
            let shares = sum > 0.0 && sum.is_finite() && row.iter().all(|value| *value >= 0.0);
            if shares && (sum - 1.0).abs() > SUM_TOLERANCE {
                row /= sum;
                divided += 1;
            }
        }
        let checked = Self::new(probs)?;
        let renormalised_rows = checked.renormalised_rows + divided;
        Ok(Self { renormalised_rows, ..checked })
    }

    /// Checks a table that stays where it is, in any layout.
    ///
    /// # Errors
    /// As [`Probabilities::new`].
    pub fn borrowed<T: Real>(probs: ArrayView2<'a, T>) -> Result<Self> {
        check_shape(probs.dim())?;
        Probs::borrowed(T::table(probs)).map(Self::checked)
    }

    /// Checks the probabilities of class 1 in a problem of two classes; a slice is borrowed, a vector
    /// is taken.
    ///
    /// # Errors
    /// As [`Probabilities::new`]; the column named is 1, the class whose probability was given.
    pub fn binary(probs: impl Into<Cow<'a, [f64]>>) -> Result<Self> {
        Self::column(Values::DoubleColumn(match probs.into() {
            Cow::Borrowed(probs) => ArrayView1::from(probs).into(),
            Cow::Owned(probs) => Array1::from(probs).into(),
        }))
    }

    /// Checks the probabilities of class 1 in a problem of two classes, which stay where they are,
    /// with any stride.
    ///
    /// # Errors
    /// As [`Probabilities::binary`].
    pub fn borrowed_binary<T: Real>(probs: ArrayView1<'a, T>) -> Result<Self> {
        Self::column(T::column(probs))
    }

    fn column(values: Values<'a>) -> Result<Self> {
        if values.dim().0 > 0 && values.are_shares() {
            return Ok(Self::trusted(Probs::shares(values), 0));
        }
        check_column(&values)?;
        check_shape(values.dim())?;
        Probs::borrowed(values).map(Self::checked)
    }

    /// Turns logits into probabilities by softmax; a single column is the logit of class 1. A class
    /// whose logit is −∞ has probability 0.
    ///
    /// # Errors
    /// A logit that is NaN or +∞; a row of several logits that are all −∞; otherwise as
    /// [`Probabilities::new`].
    ///
    /// ```
    /// use calipers::Probabilities;
    /// use ndarray::array;
    ///
    /// let masked = Probabilities::from_logits(array![[0.0, 0.0, f64::NEG_INFINITY]].view())?;
    /// assert_eq!(masked.probs().row(0).to_vec(), [0.5, 0.5, 0.0]);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn from_logits<T: Real>(logits: ArrayView2<'_, T>) -> Result<Self> {
        let classes = if logits.ncols() == 1 { 2 } else { logits.ncols() };
        check_shape((logits.nrows(), classes))?;
        let cells = softmax(logits)?;
        Ok(Self::trusted(Probs::trusted(cells.into(), classes), 0))
    }

    /// As [`Probabilities::from_logits`], of logits that may be written over: no second table is made.
    ///
    /// # Errors
    /// As [`Probabilities::from_logits`].
    ///
    /// ```
    /// use calipers::Probabilities;
    /// use ndarray::array;
    ///
    /// let two = Probabilities::from_owned_logits(array![[1.0, 1.0], [0.0, f64::NEG_INFINITY]])?;
    /// assert_eq!(two.probs().row(1).to_vec(), [1.0, 0.0]);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn from_owned_logits(mut logits: Array2<f64>) -> Result<Self> {
        let (rows, classes) = logits.dim();
        if classes == 1 || !logits.is_standard_layout() {
            return Self::from_logits(logits.view());
        }
        check_shape((rows, classes))?;
        softmax_in_place(&mut logits)?;
        let (cells, _) = logits.into_raw_vec_and_offset();
        Ok(Self::trusted(Probs::trusted(cells.into(), classes), 0))
    }

    fn checked((probs, renormalised_rows): (Probs<'a>, usize)) -> Self {
        Self { probs, renormalised_rows }
    }

    /// Rows that are known to be points of the simplex, some of which were made so.
    pub(crate) fn trusted(probs: Probs<'a>, renormalised_rows: usize) -> Self {
        Self { probs, renormalised_rows }
    }

    /// The number of samples.
    pub fn rows(&self) -> usize {
        self.probs.rows()
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.probs.classes()
    }

    /// The probabilities, one row a sample; every row sums to 1. A view of what is held, or where that
    /// is single precision, a single column or has rows to be divided by their sums, a copy.
    pub fn probs(&self) -> CowArray<'_, f64, Ix2> {
        self.probs.table()
    }

    /// The probabilities as they are held.
    pub(crate) fn held(&self) -> &Probs<'a> {
        &self.probs
    }

    /// How many rows summed to something other than 1 by more than rounding.
    pub fn renormalised_rows(&self) -> usize {
        self.renormalised_rows
    }
}

/// Refuses a table without rows, or of fewer than two columns.
pub(super) fn check_shape((rows, classes): (usize, usize)) -> Result<()> {
    if classes < 2 {
        return Err(Error::TooFewClasses { columns: classes });
    }
    if rows == 0 { Err(Error::Empty) } else { Ok(()) }
}
