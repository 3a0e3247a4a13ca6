//! Several models on the same labels.

use serde_json::{Map, Value, json};

use super::bound::{Inflation, quantile};
use super::estimator::Estimator;
use super::holm::holm;
use super::report::{Report, number};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::numeric::mean::weighted_mean;

/// Several models, estimated with the same folds, and how they differ.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Comparison {
    /// The models' names, in the order in which they were given.
    pub models: Vec<String>,
    /// Their reports.
    pub reports: Vec<Report>,
    /// The differences of every two models, metric by metric.
    pub differences: Vec<Difference>,
}

/// How far the estimates of two models are apart.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Difference {
    /// The metric's name.
    pub metric: String,
    /// The first model's number.
    pub first: usize,
    /// The second model's number.
    pub second: usize,
    /// The first estimate less the second.
    pub value: f64,
    /// The standard error of the mean of the rows' differences, what folds share included.
    pub stderr: f64,
    /// A confidence interval of the report's confidence.
    pub interval: (f64, f64),
    /// The two-sided p-value of "there is no difference", adjusted by Holm's method over the pairs of
    /// models.
    pub p_value: f64,
}

impl Difference {
    /// Whether the two differ at the level that belongs to a confidence.
    pub fn is_clear(&self, confidence: f64) -> bool {
        self.p_value < 1.0 - confidence
    }
}

impl Estimator {
    /// Estimates several models on the same labels and compares every two of them.
    ///
    /// Rows are paired: what differs is the score of one row under two models, so that what makes a
    /// row hard for both cancels. The difference is of what was *recovered* of each error; both are
    /// lower bounds in expectation, so it is the difference of the errors themselves as far as the
    /// recalibrator finds as much of one as of the other.
    ///
    /// ```
    /// use calipers::{Estimator, Predictions, Simulation};
    ///
    /// let setting = Simulation::named("binary-overconfident")?;
    /// let raw = setting.draw(2_000, 0)?;
    /// // The same rows with the probabilities that their labels were drawn from.
    /// let right: Vec<f64> = raw.probs().rows().into_iter().map(|f| setting.truth(f)[1]).collect();
    /// let right = Predictions::binary(right, raw.labels())?;
    /// let comparison = Estimator::new().compare(&[("raw", &raw), ("right", &right)])?;
    /// let l1 = &comparison.differences[0];
    /// assert!(l1.value > 0.0 && l1.is_clear(0.95));
    /// # Ok::<(), calipers::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than two models; labels or weights that differ; otherwise as
    /// [`estimate`](Self::estimate).
    pub fn compare(&self, models: &[(&str, &Predictions<'_>)]) -> Result<Comparison> {
        self.compare_by(models, |predictions| self.estimate(predictions))
    }

    pub(crate) fn compare_by(
        &self,
        models: &[(&str, &Predictions<'_>)],
        estimate: impl Fn(&Predictions<'_>) -> Result<Report>,
    ) -> Result<Comparison> {
        check(models)?;
        let reports =
            models.iter().map(|(_, model)| estimate(model)).collect::<Result<Vec<_>>>()?;
        let weights = models.first().and_then(|(_, first)| first.weights());
        let inflation = Inflation::averaged(&self.folds, self.repeats);
        let mut differences = Vec::new();
        for number in 0..reports.first().map_or(0, |report| report.estimates.len()) {
            let from = differences.len();
            for first in 0..models.len() {
                for second in first + 1..models.len() {
                    let one = &reports[first].estimates[number];
                    let other = &reports[second].estimates[number];
                    let pair = one.scores.iter().zip(&other.scores);
                    // Where both are infinite there is no telling them apart.
                    let apart: Vec<f64> = pair
                        .map(|(a, b)| if a.total_cmp(b).is_eq() { 0.0 } else { a - b })
                        .collect();
                    let (value, stderr, rows) = paired(&apart, weights, &inflation);
                    let margin = quantile(rows, 0.5 + 0.5 * self.confidence) * stderr;
                    let metric = one.metric.clone();
                    let interval = if value.is_finite() {
                        (value - margin, value + margin)
                    } else {
                        (f64::NEG_INFINITY, f64::INFINITY)
                    };
                    let p_value = two_sided(value, stderr, rows);
                    differences.push(Difference {
                        metric,
                        first,
                        second,
                        value,
                        stderr,
                        interval,
                        p_value,
                    });
                }
            }
            let own = &mut differences[from..];
            let adjusted = holm(&own.iter().map(|one| one.p_value).collect::<Vec<_>>());
            own.iter_mut().zip(adjusted).for_each(|(one, p)| one.p_value = p);
        }
        let names = models.iter().map(|(name, _)| (*name).to_owned()).collect();
        Ok(Comparison { models: names, reports, differences })
    }
}

/// The mean of differences, its standard error, and the rows' worth of information.
fn paired(apart: &[f64], weights: Option<&[f64]>, inflation: &Inflation) -> (f64, f64, f64) {
    let value = weighted_mean(apart, weights).value;
    if !value.is_finite() {
        return (value, f64::INFINITY, 1.0);
    }
    let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
    let (mut total, mut squares, mut spread) = (0.0, 0.0, 0.0);
    for (row, apart) in apart.iter().enumerate().filter(|(row, _)| weight(*row) > 0.0) {
        let weight = weight(row);
        total += weight;
        squares += weight * weight;
        spread += (weight * (apart - value)).powi(2);
    }
    let rows: f64 = total * total / squares;
    let correction = if rows > 1.0 { rows / (rows - 1.0) } else { 1.0 };
    (value, (inflation.factor() * spread * correction).sqrt() / total, rows)
}

fn two_sided(value: f64, stderr: f64, rows: f64) -> f64 {
    use statrs::distribution::{ContinuousCDF, StudentsT};

    if value.is_nan() || value.abs() <= 0.0 {
        return 1.0;
    }
    if stderr <= 0.0 {
        return 0.0;
    }
    // Where one model's loss is infinite and the other's is not, the rows say nothing of chance.
    if !stderr.is_finite() {
        return 1.0;
    }
    let freedom = (rows - 1.0).max(1e-3);
    let t = (value / stderr).abs();
    StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |student| 2.0 * student.sf(t))
}

fn check(models: &[(&str, &Predictions<'_>)]) -> Result<()> {
    let fault = |reason: String| Err(Error::Setting { name: "models", reason });
    let [(name, first), others @ ..] = models else {
        return fault("none: at least 2 are needed".to_owned());
    };
    if others.is_empty() {
        return fault("1: at least 2 are needed".to_owned());
    }
    for (other_name, other) in others {
        if other.rows() != first.rows() {
            return fault(format!(
                "{name} has {} rows and {other_name} has {}: they must be the same rows",
                first.rows(),
                other.rows()
            ));
        }
        let label =
            |of: &Predictions<'_>, row: usize| of.class_names()[of.labels()[row] as usize].clone();
        if let Some(row) = (0..first.rows()).find(|&row| label(first, row) != label(other, row)) {
            return fault(format!(
                "row {row}: the label is {:?} in {name} and {:?} in {other_name}: they must be the \
                 same rows",
                label(first, row),
                label(other, row)
            ));
        }
        if first.weights() != other.weights() {
            return fault(format!("the weights of {name} and {other_name} differ"));
        }
    }
    Ok(())
}

impl Comparison {
    /// The comparison as JSON.
    pub fn to_json(&self) -> Value {
        let models: Map<String, Value> =
            self.models.iter().cloned().zip(self.reports.iter().map(Report::to_json)).collect();
        let differences: Vec<Value> = self
            .differences
            .iter()
            .map(|one| {
                json!({
                    "metric": one.metric,
                    "first": self.models[one.first],
                    "second": self.models[one.second],
                    "value": number(one.value),
                    "stderr": number(one.stderr),
                    "interval": [number(one.interval.0), number(one.interval.1)],
                    "p_value": number(one.p_value),
                })
            })
            .collect();
        json!({ "models": models, "differences": differences })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_infinite_loss_can_be_compared() {
        let labels = [0, 1, 0, 1, 1, 0];
        let sure = Predictions::binary(&[0.0, 0.0, 0.2, 0.9, 0.7, 0.3], &labels).unwrap();
        let calm = Predictions::binary(&[0.1, 0.6, 0.2, 0.9, 0.7, 0.3], &labels).unwrap();
        let estimator = Estimator::new().folds(2).metric("log".parse().unwrap());
        let found = estimator.compare(&[("sure", &sure), ("calm", &calm)]).unwrap();
        let one = &found.differences[0];
        assert!(one.value >= f64::INFINITY && (one.p_value - 1.0).abs() < 1e-15);
        assert!(one.interval.0 <= f64::NEG_INFINITY && one.interval.1 >= f64::INFINITY);
    }
}
