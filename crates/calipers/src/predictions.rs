//! The door: predictions and labels come in here, are checked once, and are trusted ever after.

use std::collections::HashMap;
use std::fmt::Display;

use ndarray::{Array2, ArrayView2, Axis};

use crate::error::{Error, Result};

/// How far from 1 a row's sum may lie and still be renormalised.
pub const SUM_TOLERANCE: f64 = 1e-3;

/// Sums this close to 1 are rounding of single precision and not worth a word.
const SUM_ROUNDING: f64 = 1e-6;

/// A classifier's predictions with what was observed, validated.
///
/// Each row of `probs` is a point f(X) of the simplex; each label is the index of the observed
/// class. A row whose sum is within [`SUM_TOLERANCE`] of 1 is divided by it; how many rows were
/// off by more than rounding is kept in [`renormalised_rows`](Self::renormalised_rows).
///
/// ```
/// use calipers::Predictions;
/// use ndarray::array;
///
/// let predictions = Predictions::new(array![[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]], &[0, 2])?
///     .with_class_names(["cat", "dog", "fox"])?
///     .with_weights(vec![1.0, 2.5])?;
/// assert_eq!((predictions.rows(), predictions.classes()), (2, 3));
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Predictions {
    probs: Array2<f64>,
    labels: Vec<u32>,
    weights: Option<Vec<f64>>,
    class_names: Vec<String>,
    groups: Option<Groups>,
    renormalised_rows: usize,
}

/// Which group each row belongs to; groups are numbered in the order of their first row.
#[derive(Debug, Clone)]
pub struct Groups {
    /// The group's number, one a row.
    pub ids: Vec<u32>,
    /// The group's name, one a group.
    pub names: Vec<String>,
}

impl Predictions {
    /// Checks probabilities (one row a sample, one column a class) and labels.
    ///
    /// # Errors
    /// No rows, fewer than two columns, lengths that differ; a probability that is not finite,
    /// negative or above 1; a row sum further than [`SUM_TOLERANCE`] from 1; a label that is not
    /// a column's number.
    pub fn new<L>(probs: Array2<f64>, labels: &[L]) -> Result<Self>
    where
        L: Copy + Display + TryInto<usize>,
    {
        let (rows, classes) = probs.dim();
        if classes < 2 {
            return Err(Error::TooFewClasses { columns: classes });
        }
        if rows == 0 {
            return Err(Error::Empty);
        }
        check_length("labels", rows, labels.len())?;
        let mut probs = standard_layout(probs);
        let renormalised_rows = normalise(&mut probs)?;
        Ok(Self {
            probs,
            labels: check_labels(labels, classes)?,
            weights: None,
            class_names: (0..classes).map(|class| class.to_string()).collect(),
            groups: None,
            renormalised_rows,
        })
    }

    /// Checks the probabilities of class 1 in a problem of two classes.
    ///
    /// # Errors
    /// As [`Predictions::new`]; the column named is 1, the class whose probability was given.
    ///
    /// ```
    /// let predictions = calipers::Predictions::binary(&[0.3, 0.9], &[0, 1])?;
    /// assert_eq!(predictions.probs()[[0, 1]], 0.3);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn binary<L>(probs: &[f64], labels: &[L]) -> Result<Self>
    where
        L: Copy + Display + TryInto<usize>,
    {
        for (row, &value) in probs.iter().enumerate() {
            check_probability(row, 1, value)?;
        }
        let columns = Array2::from_shape_fn((probs.len(), 2), |(row, class)| {
            // A value above 1 by rounding leaves nothing for class 0 and is renormalised.
            if class == 1 { probs[row] } else { (1.0 - probs[row]).max(0.0) }
        });
        Self::new(columns, labels)
    }

    /// Turns logits into probabilities by softmax; a single column is the logit of class 1.
    ///
    /// # Errors
    /// A logit that is not finite; otherwise as [`Predictions::new`].
    ///
    /// ```
    /// use ndarray::array;
    ///
    /// let predictions = calipers::Predictions::from_logits(array![[0.0], [2.0]].view(), &[0, 1])?;
    /// assert_eq!(predictions.classes(), 2);
    /// assert_eq!(predictions.probs()[[0, 1]], 0.5);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn from_logits<L>(logits: ArrayView2<'_, f64>, labels: &[L]) -> Result<Self>
    where
        L: Copy + Display + TryInto<usize>,
    {
        for ((row, column), &value) in logits.indexed_iter() {
            if !value.is_finite() {
                return Err(Error::Logit { row, column, value });
            }
        }
        let mut probs = if logits.ncols() == 1 {
            let mut both = Array2::zeros((logits.nrows(), 2));
            both.column_mut(1).assign(&logits.column(0));
            both
        } else {
            standard_layout(logits.to_owned())
        };
        for mut row in probs.rows_mut() {
            if let Some(row) = row.as_slice_mut() {
                crate::simplex::softmax(row);
            }
        }
        Self::new(probs, labels)
    }

    /// Gives each row a weight: not negative, not all zero. Only their ratios matter.
    ///
    /// # Errors
    /// A length that differs, a weight that is negative or not finite, all weights zero.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        check_length("weights", self.rows(), weights.len())?;
        for (row, &value) in weights.iter().enumerate() {
            if !value.is_finite() {
                return Err(Error::Weight { row, value, reason: "is not finite" });
            }
            if value < 0.0 {
                return Err(Error::Weight { row, value, reason: "is negative" });
            }
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if largest <= 0.0 {
            return Err(Error::ZeroWeights);
        }
        // Dividing by the largest keeps sums of weights from overflowing.
        self.weights = Some(weights.into_iter().map(|weight| weight / largest).collect());
        Ok(self)
    }

    /// Names the classes, in the order of the columns.
    ///
    /// # Errors
    /// A number of names that differs from the number of classes, or two equal names.
    pub fn with_class_names<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> Result<Self> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        check_length("class names", self.classes(), names.len())?;
        let mut seen = HashMap::new();
        for (second, name) in names.iter().enumerate() {
            if let Some(first) = seen.insert(name, second) {
                return Err(Error::ClassName { first, second, name: name.clone() });
            }
        }
        self.class_names = names;
        Ok(self)
    }

    /// Says which group each row belongs to.
    ///
    /// # Errors
    /// A length that differs from the number of rows.
    pub fn with_groups<S: AsRef<str>>(mut self, groups: &[S]) -> Result<Self> {
        check_length("groups", self.rows(), groups.len())?;
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut names = Vec::new();
        let ids = groups
            .iter()
            .map(|group| {
                let group = group.as_ref();
                *numbers.entry(group).or_insert_with(|| {
                    names.push(group.to_owned());
                    names.len() as u32 - 1
                })
            })
            .collect();
        self.groups = Some(Groups { ids, names });
        Ok(self)
    }

    /// The number of samples.
    pub fn rows(&self) -> usize {
        self.probs.nrows()
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.probs.ncols()
    }

    /// The probabilities, one row a sample; every row sums to 1.
    pub fn probs(&self) -> ArrayView2<'_, f64> {
        self.probs.view()
    }

    /// The observed classes.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The weights, if any were given, scaled so that the largest is 1.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The classes' names; their numbers unless names were given.
    pub fn class_names(&self) -> &[String] {
        &self.class_names
    }

    /// The groups, if any were given.
    pub fn groups(&self) -> Option<&Groups> {
        self.groups.as_ref()
    }

    /// How many rows summed to something other than 1 by more than rounding.
    pub fn renormalised_rows(&self) -> usize {
        self.renormalised_rows
    }
}

fn standard_layout(array: Array2<f64>) -> Array2<f64> {
    if array.is_standard_layout() { array } else { array.as_standard_layout().into_owned() }
}

fn check_length(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

fn check_probability(row: usize, column: usize, value: f64) -> Result<()> {
    let reason = if !value.is_finite() {
        "is not finite"
    } else if value < 0.0 {
        "is negative"
    } else if value > 1.0 + SUM_TOLERANCE {
        "is above 1"
    } else {
        return Ok(());
    };
    Err(Error::Probability { row, column, value, reason })
}

/// Divides each row by its sum; returns how many sums were off by more than rounding.
fn normalise(probs: &mut Array2<f64>) -> Result<usize> {
    let mut off = 0;
    for (row, mut values) in probs.axis_iter_mut(Axis(0)).enumerate() {
        let mut sum = 0.0;
        for (column, &value) in values.iter().enumerate() {
            check_probability(row, column, value)?;
            sum += value;
        }
        let gap = (sum - 1.0).abs();
        if gap > SUM_TOLERANCE {
            return Err(Error::RowSum { row, sum, tolerance: SUM_TOLERANCE });
        }
        // A row that sums to 1 as well as rounding allows is left alone: dividing it again would
        // only move its last bits, and break ties.
        if gap > f64::EPSILON * values.len() as f64 {
            values.mapv_inplace(|value| value / sum);
        }
        off += usize::from(gap > SUM_ROUNDING);
    }
    Ok(off)
}

fn check_labels<L>(labels: &[L], classes: usize) -> Result<Vec<u32>>
where
    L: Copy + Display + TryInto<usize>,
{
    labels
        .iter()
        .enumerate()
        .map(|(row, &label)| match label.try_into() {
            Ok(class) if class < classes => Ok(class as u32),
            _ => Err(Error::Label { row, value: label.to_string(), classes }),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn every_fault_is_named_with_its_place() {
        let good = || array![[0.4, 0.6], [0.5, 0.5]];
        let with = |row: usize, column: usize, value: f64| {
            let mut probs = good();
            probs[[row, column]] = value;
            Predictions::new(probs, &[0, 1]).unwrap_err().to_string()
        };
        assert_eq!(with(0, 1, f64::NAN), "row 0, column 1: probability NaN is not finite");
        assert_eq!(with(1, 0, f64::INFINITY), "row 1, column 0: probability inf is not finite");
        assert_eq!(with(1, 1, -0.5), "row 1, column 1: probability -0.5 is negative");
        assert_eq!(with(1, 1, 1.5), "row 1, column 1: probability 1.5 is above 1");
        assert_eq!(
            with(1, 1, 0.502),
            "row 1: the probabilities sum to 1.002, more than 0.001 away from 1"
        );
        let message = |result: Result<Predictions>| result.unwrap_err().to_string();
        assert_eq!(
            message(Predictions::new(good(), &[0, 2])),
            "row 1: label 2 is not one of the 2 classes 0 to 1"
        );
        assert_eq!(
            message(Predictions::new(good(), &[-1, 1])),
            "row 0: label -1 is not one of the 2 classes 0 to 1"
        );
        assert_eq!(message(Predictions::new(good(), &[0])), "labels: expected 2, found 1");
        assert_eq!(
            message(Predictions::new(array![[1.0], [1.0]], &[0, 0])),
            "1 class column(s): at least 2 classes are needed"
        );
        assert_eq!(message(Predictions::new(Array2::zeros((0, 2)), &[0; 0])), "there are no rows");
        let weights = |weights: Vec<f64>| {
            message(Predictions::new(good(), &[0, 1]).unwrap().with_weights(weights))
        };
        assert_eq!(weights(vec![1.0, -2.0]), "row 1: weight -2 is negative");
        assert_eq!(weights(vec![f64::NAN, 1.0]), "row 0: weight NaN is not finite");
        assert_eq!(weights(vec![0.0, 0.0]), "all weights are zero");
        assert_eq!(weights(vec![1.0]), "weights: expected 2, found 1");
    }

    #[test]
    fn a_binary_column_is_reported_as_class_one() {
        let error = Predictions::binary(&[0.5, -0.1], &[0, 1]).unwrap_err();
        assert_eq!((error.row(), error.column()), (Some(1), Some(1)));
    }

    #[test]
    fn rows_within_the_tolerance_are_renormalised_and_counted() {
        let probs = array![[0.4, 0.6], [0.5, 0.5004], [0.25, 0.750_000_1]];
        let predictions = Predictions::new(probs, &[0, 1, 1]).unwrap();
        assert_eq!(predictions.renormalised_rows(), 1);
        for row in predictions.probs().rows() {
            assert!((row.sum() - 1.0).abs() < 1e-15, "{row}");
        }
    }

    #[test]
    fn extreme_logits_stay_on_the_simplex() {
        let logits = array![[1e4, -1e4, 0.0], [-1e4, -1e4, -1e4]];
        let predictions = Predictions::from_logits(logits.view(), &[0, 1]).unwrap();
        assert_eq!(predictions.probs().row(0).to_vec(), [1.0, 0.0, 0.0]);
        assert!((predictions.probs()[[1, 0]] - 1.0 / 3.0).abs() < 1e-15);
        let error = Predictions::from_logits(array![[f64::NAN]].view(), &[0]).unwrap_err();
        assert_eq!(error.to_string(), "row 0, column 0: logit NaN is not finite");
    }

    #[test]
    fn groups_are_numbered_by_first_appearance() {
        let predictions = Predictions::binary(&[0.1, 0.2, 0.3], &[0, 0, 1]).unwrap();
        let predictions = predictions.with_groups(&["b", "a", "b"]).unwrap();
        let groups = predictions.groups().unwrap();
        assert_eq!((groups.ids.as_slice(), groups.names.len()), ([0, 1, 0].as_slice(), 2));
    }
}
