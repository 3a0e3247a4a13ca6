//! The second door: probabilities with what was observed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;

use ndarray::{Array2, ArrayView1, ArrayView2, CowArray, Ix2};

use super::clusters::Clusters;
use super::features::Features;
use super::leak::leak;
use super::origin::Origin;
use super::probabilities::{Probabilities, check_shape};
use super::probs::{Probs, Real};
use crate::error::{Error, Result};
use crate::numeric::simplex::argmax;

/// A classifier's predictions with what was observed, validated.
///
/// They are [`Probabilities`], of which each row has a label, the index of the observed class, and
/// may have a weight and a group.
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
pub struct Predictions<'a> {
    f: Probabilities<'a>,
    labels: Vec<u32>,
    weights: Option<Vec<f64>>,
    class_names: Vec<String>,
    groups: Option<RowGroups>,
    clusters: Option<Clusters>,
    features: Option<Arc<Features>>,
    origin: Option<Origin>,
}

/// Which group each row belongs to; groups are numbered in the order of their first row.
#[derive(Debug, Clone)]
pub struct RowGroups {
    /// The group's number, one a row.
    pub ids: Vec<u32>,
    /// The group's name, one a group.
    pub names: Vec<String>,
}

impl<'a> Probabilities<'a> {
    /// Says which class was observed in each row, by its column's number.
    ///
    /// # Errors
    /// A number of labels that differs from the number of rows; a label that is not a column's number.
    pub fn with_labels<L>(self, labels: &[L]) -> Result<Predictions<'a>>
    where
        L: Copy + Display + TryInto<usize>,
    {
        check_length("labels", self.rows(), labels.len())?;
        let classes = self.classes();
        Ok(Predictions {
            f: self,
            labels: check_labels(labels, classes)?,
            weights: None,
            class_names: (0..classes).map(|class| class.to_string()).collect(),
            groups: None,
            clusters: None,
            features: None,
            origin: None,
        })
    }
}

impl<'a> Predictions<'a> {
    /// Checks probabilities (one row a sample, one column a class) and labels.
    ///
    /// # Errors
    /// No rows, fewer than two columns, lengths that differ; a probability that is not finite,
    /// negative or above 1; a row sum further than [`SUM_TOLERANCE`](crate::SUM_TOLERANCE) from 1; a label that is not
    /// a column's number.
    pub fn new<L>(probs: Array2<f64>, labels: &[L]) -> Result<Self>
    where
        L: Copy + Display + TryInto<usize>,
    {
        check_both(probs.dim(), labels.len())?;
        Probabilities::new(probs)?.with_labels(labels)
    }

    /// Checks probabilities that stay where they are, in any layout, and labels.
    ///
    /// # Errors
    /// As [`Predictions::new`].
    ///
    /// ```
    /// use calipers::Predictions;
    /// use ndarray::array;
    ///
    /// let columns = array![[0.7_f32, 0.1], [0.2, 0.1], [0.1, 0.8]];
    /// let predictions = Predictions::borrowed(columns.t(), &[0, 2])?;
    /// assert_eq!((predictions.rows(), predictions.classes()), (2, 3));
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn borrowed<T, L>(probs: ArrayView2<'a, T>, labels: &[L]) -> Result<Self>
    where
        T: Real,
        L: Copy + Display + TryInto<usize>,
    {
        check_both(probs.dim(), labels.len())?;
        Probabilities::borrowed(probs)?.with_labels(labels)
    }

    /// Checks the probabilities of class 1 in a problem of two classes; a slice is borrowed, a vector
    /// is taken.
    ///
    /// # Errors
    /// As [`Predictions::new`]; the column named is 1, the class whose probability was given.
    ///
    /// ```
    /// let predictions = calipers::Predictions::binary(&[0.3, 0.9], &[0, 1])?;
    /// assert_eq!(predictions.probs()[[0, 1]], 0.3);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn binary<L>(probs: impl Into<Cow<'a, [f64]>>, labels: &[L]) -> Result<Self>
    where
        L: Copy + Display + TryInto<usize>,
    {
        Probabilities::binary(probs)?.with_labels(labels)
    }

    /// Checks the probabilities of class 1 in a problem of two classes, which stay where they are,
    /// with any stride.
    ///
    /// # Errors
    /// As [`Predictions::binary`].
    ///
    /// ```
    /// use calipers::Predictions;
    /// use ndarray::array;
    ///
    /// let both = array![[0.75_f32, 0.25], [0.125, 0.875]];
    /// let predictions = Predictions::borrowed_binary(both.column(1), &[0, 1])?;
    /// assert_eq!(predictions.probs(), both.mapv(f64::from));
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn borrowed_binary<T, L>(probs: ArrayView1<'a, T>, labels: &[L]) -> Result<Self>
    where
        T: Real,
        L: Copy + Display + TryInto<usize>,
    {
        Probabilities::borrowed_binary(probs)?.with_labels(labels)
    }

    /// Turns logits into probabilities by softmax; a single column is the logit of class 1.
    ///
    /// # Errors
    /// As [`Probabilities::from_logits`] and [`Predictions::new`].
    ///
    /// ```
    /// use ndarray::array;
    ///
    /// let predictions = calipers::Predictions::from_logits(array![[0.0], [2.0]].view(), &[0, 1])?;
    /// assert_eq!(predictions.classes(), 2);
    /// assert_eq!(predictions.probs()[[0, 1]], 0.5);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn from_logits<T, L>(logits: ArrayView2<'_, T>, labels: &[L]) -> Result<Self>
    where
        T: Real,
        L: Copy + Display + TryInto<usize>,
    {
        Probabilities::from_logits(logits)?.with_labels(labels)
    }

    /// Gives each row a weight: not negative, not all zero. Only their ratios matter.
    ///
    /// # Errors
    /// A length that differs, a weight that is negative or not finite, all weights zero.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        check_weights(&weights, self.rows())?;
        self.weights = Some(relative(weights));
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
        self.groups = Some(RowGroups { ids, names });
        Ok(self)
    }

    /// Says which rows belong together, such as those of one patient: they may share their fate. Folds then
    /// keep them together, and standard errors, bounds and p-values are those of the clusters.
    ///
    /// # Errors
    /// A length that differs from the number of rows.
    pub fn with_clusters<S: AsRef<str>>(mut self, clusters: &[S]) -> Result<Self> {
        check_length("clusters", self.rows(), clusters.len())?;
        self.clusters = Some(Clusters::of(clusters.iter().map(AsRef::as_ref)));
        Ok(self)
    }

    /// Says when each row was, where neighbours in time may share their fate: stretches of time are then
    /// [clusters](Self::with_clusters), and each fold is one piece of time.
    ///
    /// # Errors
    /// A length that differs from the number of rows; a time that is not finite.
    ///
    /// ```
    /// use calipers::simulate;
    ///
    /// let days: Vec<f64> = (0..1000).map(f64::from).collect();
    /// let predictions = simulate("binary-overconfident", 1000, 0)?.with_times(&days)?;
    /// assert_eq!(predictions.clusters().unwrap().count(), 50);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn with_times(mut self, times: &[f64]) -> Result<Self> {
        check_length("times", self.rows(), times.len())?;
        if let Some(row) = times.iter().position(|time| !time.is_finite()) {
            let reason = format!("row {row}: {} is not finite", times[row]);
            return Err(Error::Setting { name: "times", reason });
        }
        self.clusters = Some(Clusters::of_times(times));
        Ok(self)
    }

    /// Says what else is known of each row: errors are then estimated given that, too
    /// ([`Report::given_features`](crate::Report::given_features)).
    ///
    /// # Errors
    /// No feature; another number of rows; a feature that tells the label almost perfectly, which f does not:
    /// probably it was made from the label.
    ///
    /// ```
    /// use calipers::{Estimator, Features, simulate};
    ///
    /// let predictions = simulate("binary-overconfident", 1_000, 0)?;
    /// let heights = (0..1_000).map(|row| f64::from(row % 7)).collect();
    /// let predictions = predictions.with_features(Features::new().number("height", heights)?)?;
    /// let report = Estimator::new().metric("l1".parse()?).estimate(&predictions)?;
    /// assert_eq!(report.given_features.unwrap().estimates[0].metric, "l1");
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn with_features(mut self, features: Features) -> Result<Self> {
        if features.count() == 0 {
            let reason = "there are none".to_owned();
            return Err(Error::Setting { name: "features", reason });
        }
        check_length("rows of features", self.rows(), features.rows())?;
        let untold = self.untold();
        for (feature, cells) in features.columns().iter().zip(&features.grid().columns) {
            if let Some(reason) = leak(feature, cells, &self.labels, untold) {
                return Err(Error::Feature { name: feature.name.clone(), reason });
            }
        }
        self.features = Some(Arc::new(features));
        Ok(self)
    }

    /// How many labels are not the most probable class.
    fn untold(&self) -> usize {
        let mut buffer = vec![0.0; self.classes()];
        let wrong = |&row: &usize, buffer: &mut [f64]| {
            argmax(self.held().row(row, buffer)) != self.labels[row] as usize
        };
        (0..self.rows()).filter(|row| wrong(row, &mut buffer)).count()
    }

    /// The prediction that all rows have, to the bit, if there is one.
    pub(crate) fn constant(&self) -> Option<Vec<f64>> {
        let (mut first, mut buffer) = (vec![0.0; self.classes()], vec![0.0; self.classes()]);
        self.held().read(0, &mut first);
        (1..self.rows()).all(|row| self.held().is(row, &first, &mut buffer)).then_some(first)
    }

    /// Says which columns they were read from; reports show it.
    #[must_use]
    pub fn with_origin(mut self, origin: Origin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// The same rows without their groups.
    pub(crate) fn without_groups(self) -> Self {
        Self { groups: None, ..self }
    }

    /// Some of the rows, at least one of them, without their groups and features.
    pub(crate) fn select(&self, rows: &[usize]) -> Predictions<'static> {
        let classes = self.classes();
        let mut cells = vec![0.0; rows.len() * classes];
        for (&row, cells) in rows.iter().zip(cells.chunks_exact_mut(classes)) {
            self.held().read(row, cells);
        }
        Predictions {
            f: Probabilities::trusted(Probs::trusted(cells.into(), classes), 0),
            labels: rows.iter().map(|&row| self.labels[row]).collect(),
            weights: self
                .weights
                .as_ref()
                .map(|weights| relative(rows.iter().map(|&row| weights[row]).collect())),
            class_names: self.class_names.clone(),
            groups: None,
            clusters: self.clusters.as_ref().map(|clusters| clusters.select(rows)),
            features: None,
            origin: None,
        }
    }

    /// The number of samples.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.f.classes()
    }

    /// The probabilities, one row a sample; every row sums to 1. A view of what is held, or where that
    /// is single precision, a single column or has rows to be divided by their sums, a copy.
    pub fn probs(&self) -> CowArray<'_, f64, Ix2> {
        self.f.probs()
    }

    /// The probabilities as they are held.
    pub(crate) fn held(&self) -> &Probs<'a> {
        self.f.held()
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
    pub fn groups(&self) -> Option<&RowGroups> {
        self.groups.as_ref()
    }

    /// Which rows belong together, if that was said.
    pub fn clusters(&self) -> Option<&Clusters> {
        self.clusters.as_ref()
    }

    /// What else is known of each row, if that was said.
    pub fn features(&self) -> Option<&Arc<Features>> {
        self.features.as_ref()
    }

    /// The columns they were read from, if that was said.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// How many rows summed to something other than 1 by more than rounding.
    pub fn renormalised_rows(&self) -> usize {
        self.f.renormalised_rows()
    }
}

/// Refuses weights of which some are negative or not finite, or all zero, or that are not one a row.
///
/// # Errors
/// As [`Predictions::with_weights`].
///
/// ```
/// assert!(calipers::check_weights(&[1.0, 0.0], 2).is_ok());
/// assert!(calipers::check_weights(&[1.0, -1.0], 2).is_err());
/// ```
pub fn check_weights(weights: &[f64], rows: usize) -> Result<()> {
    check_length("weights", rows, weights.len())?;
    for (row, &value) in weights.iter().enumerate() {
        if !value.is_finite() {
            return Err(Error::Weight { row, value, reason: "is not finite" });
        }
        if value < 0.0 {
            return Err(Error::Weight { row, value, reason: "is negative" });
        }
    }
    if weights.iter().all(|&weight| weight <= 0.0) {
        return Err(Error::ZeroWeights);
    }
    Ok(())
}

/// Weights divided by the largest, which keeps their sums from overflowing, and their squares from
/// vanishing all at once.
fn relative(weights: Vec<f64>) -> Vec<f64> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        return weights;
    }
    weights.into_iter().map(|weight| weight / largest).collect()
}

fn check_length(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

/// Refuses a table of the wrong shape, and a number of labels that is not that of its rows, before any
/// cell is looked at.
fn check_both(shape: (usize, usize), labels: usize) -> Result<()> {
    check_shape(shape)?;
    check_length("labels", shape.0, labels)
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
            with(1, 1, 0.505),
            "row 1: the probabilities sum to 1.005, more than 0.004 away from 1; divide each row by its \
             sum if that is what is meant, or give scores as logits"
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
    fn a_logit_of_minus_infinity_is_a_probability_of_0() {
        let (never, always) = (f64::NEG_INFINITY, f64::INFINITY);
        let logits = array![[never, 1.0, 1.0], [never, never, -1e4]];
        let predictions = Predictions::from_logits(logits.view(), &[1, 2]).unwrap();
        assert_eq!(predictions.probs().row(0).to_vec(), [0.0, 0.5, 0.5]);
        assert_eq!(predictions.probs().row(1).to_vec(), [0.0, 0.0, 1.0]);
        let single = Predictions::from_logits(array![[never], [0.0]].view(), &[0, 1]).unwrap();
        assert_eq!(single.probs().row(0).to_vec(), [1.0, 0.0]);
        let wrong = |logits: Array2<f64>| {
            let error = Predictions::from_logits(logits.view(), &[0, 1]).unwrap_err();
            (error.row(), error.column())
        };
        assert_eq!(wrong(array![[0.0, 1.0], [never, never]]), (Some(1), Some(0)));
        assert_eq!(wrong(array![[0.0, always], [0.0, 1.0]]), (Some(0), Some(1)));
        assert_eq!(wrong(array![[0.0], [always]]), (Some(1), Some(0)));
    }

    #[test]
    fn groups_are_numbered_by_first_appearance() {
        let predictions = Predictions::binary(&[0.1, 0.2, 0.3], &[0, 0, 1]).unwrap();
        let predictions = predictions.with_groups(&["b", "a", "b"]).unwrap();
        let groups = predictions.groups().unwrap();
        assert_eq!((groups.ids.as_slice(), groups.names.len()), ([0, 1, 0].as_slice(), 2));
    }
}
