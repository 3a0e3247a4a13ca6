//! Several models on the same labels.

mod board;
mod keeper;
mod paired;

use serde_json::{Map, Value, json};

use super::bound::Inflation;
use super::estimator::Estimator;
use super::observer::{Nobody, Observer};
use super::report::{Estimate, Report, number};
use crate::data::Predictions;
use crate::error::{Error, Result};

pub use board::{Leaderboard, Place};
use keeper::{Keeper, Kept};
use paired::{Paired, Side, null_variance};

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
    /// The standard error of the mean of the rows' differences, what folds share included; at least
    /// what it would be if labels were drawn from the predictions of either model.
    pub stderr: f64,
    /// A confidence interval of the difference of what is found, where an estimate below 0 is nothing
    /// found. The intervals of all pairs hold together with the report's confidence. 0 is outside
    /// exactly where the p-value is below 1 − confidence.
    pub interval: (f64, f64),
    /// The two-sided p-value of "no more error is found in one than in the other", multiplied by the
    /// number of pairs. It is small only where the larger error is itself shown to be above 0.
    pub p_value: f64,
}

impl Difference {
    /// Whether more error is found in one than in the other, at the level that belongs to a confidence:
    /// in the first if the value is above 0.
    pub fn is_clear(&self, confidence: f64) -> bool {
        self.p_value < 1.0 - confidence
    }
}

impl Estimator {
    /// Estimates several models on the same labels and compares every two of them.
    ///
    /// Rows are paired: what differs is the score of one row under two models, so that what makes a
    /// row hard for both cancels. The difference is of what is *found* of each error. What is found of
    /// an error bounds it from below, and nothing bounds it from above, so no claim is made that one
    /// model is worse: the recalibrator may find more of an error that is no larger. "More is found in
    /// the first" is claimed where its own error is shown to be above 0, and above what is found in
    /// the second.
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
        // What is compared is what is found; a guess of each would say nothing of the difference.
        let asked = self.clone().best(false);
        asked.compare_by(models, |predictions| asked.estimate_kept(predictions, &mut Nobody))
    }

    /// Estimates one of several models: the report, bracketed, and what its scores could have been.
    pub(crate) fn estimate_kept(
        &self,
        predictions: &Predictions<'_>,
        beside: &mut (dyn Observer + Send),
    ) -> Result<(Report, Kept)> {
        let asked = self.clone().bracket(true);
        let mut keeper = Keeper::new(&asked, predictions, beside)?;
        let report = asked.estimate_observed(predictions, &mut keeper)?;
        Ok((report, keeper.finish()))
    }

    /// As [`compare`](Self::compare), by another way to [`estimate_kept`](Self::estimate_kept).
    pub(crate) fn compare_by(
        &self,
        models: &[(&str, &Predictions<'_>)],
        estimate: impl Fn(&Predictions<'_>) -> Result<(Report, Kept)>,
    ) -> Result<Comparison> {
        check(models)?;
        let mut seen = Vec::with_capacity(models.len());
        for (_, model) in models {
            let (mut report, kept) = estimate(model)?;
            let missed: Vec<f64> = report.estimates.iter().map(missed).collect();
            if !self.bracket {
                forget_in_sample(&mut report);
            }
            seen.push(Seen { report, kept, missed });
        }
        let pairs: Vec<(usize, usize)> = (0..models.len())
            .flat_map(|first| (first + 1..models.len()).map(move |second| (first, second)))
            .collect();
        let metrics = seen.first().map_or(0, |first| first.missed.len());
        let mut differences = Vec::with_capacity(metrics * pairs.len());
        for metric in 0..metrics {
            for &(first, second) in &pairs {
                let both = [first, second].map(|model| (models[model].1, &seen[model]));
                differences.push(self.difference(metric, (first, second), both, pairs.len()));
            }
        }
        let reports = seen.into_iter().map(|seen| seen.report).collect();
        let names = models.iter().map(|(name, _)| (*name).to_owned()).collect();
        Ok(Comparison { models: names, reports, differences })
    }

    /// How far two models are apart by one metric, as one of so many pairs.
    fn difference(
        &self,
        metric: usize,
        (first, second): (usize, usize),
        both: [(&Predictions<'_>, &Seen); 2],
        pairs: usize,
    ) -> Difference {
        let weights = both[0].0.weights();
        let kept = both.map(|(_, seen)| &seen.kept);
        let null = null_variance(metric, both.map(|(model, _)| model), kept, weights);
        let own = both.map(|(_, seen)| &seen.report.estimates[metric]);
        let inflation = self.inflation(both[0].0);
        let clusters = both[0].0.clusters();
        let averaged = match clusters {
            None => Inflation::averaged(&self.folds, self.repeats),
            Some(_) => inflation,
        };
        let scores = own.map(|one| &one.scores[..]);
        let paired = Paired::new(scores, weights, clusters, null, &averaged);
        let sides = both.map(|(_, seen)| Side {
            own: &seen.report.estimates[metric].bounded,
            missed: seen.missed[metric],
        });
        let claim = paired.claim(&sides, &inflation, self.confidence, pairs);
        Difference {
            metric: own[0].metric.clone(),
            first,
            second,
            value: paired.value,
            stderr: paired.stderr,
            interval: claim.interval,
            p_value: claim.p_value,
        }
    }
}

/// A model, estimated for a comparison.
struct Seen {
    report: Report,
    kept: Kept,
    /// How much of each error may have been missed.
    missed: Vec<f64>,
}

/// How much of an error the held-out estimate misses because g has to be learnt: half of the way to the
/// in-sample one. What a g that is no better than its rows loses on new rows it gains on its own.
fn missed(estimate: &Estimate) -> f64 {
    estimate.in_sample.map_or(0.0, |above| (0.5 * (above - estimate.value)).max(0.0))
}

/// Takes the in-sample estimates out again, which nobody asked to see.
fn forget_in_sample(report: &mut Report) {
    let groups = report.groups.iter_mut().flat_map(|groups| groups.groups.iter_mut());
    let of_groups = groups.filter_map(|group| group.estimates.as_mut()).flatten();
    report.estimates.iter_mut().chain(of_groups).for_each(|one| one.in_sample = None);
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
        if first.clusters() != other.clusters() {
            return fault(format!("the clusters of {name} and {other_name} differ"));
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
