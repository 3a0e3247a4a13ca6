//! Errors within groups of rows, and the error of a g that knows the group.

use super::bound::{Inflation, Spread};
use super::estimator::Estimator;
use super::holm::holm;
use super::observer::Nobody;
use super::report::{Group, GroupAware, GroupErrors};
use super::score_test::automatic_draws;
use crate::data::{Folds, Predictions, RowGroups};
use crate::error::Result;
use crate::run::Stop;

/// A group of fewer rows says nothing: its bound would be 0 whatever the labels were.
pub(crate) const FEWEST_ROWS: usize = 20;

impl Estimator {
    /// Estimates every group, and all of them together.
    pub(crate) fn groups(
        &self,
        predictions: &Predictions<'_>,
        groups: &RowGroups,
        stop: &Stop,
    ) -> Result<GroupErrors> {
        let mut rows_of: Vec<Vec<usize>> = vec![Vec::new(); groups.names.len()];
        for (row, &group) in groups.ids.iter().enumerate() {
            rows_of[group as usize].push(row);
        }
        let weight = |row: usize| predictions.weights().map_or(1.0, |weights| weights[row]);
        let plans: Vec<Option<Folds>> =
            rows_of.iter().map(|rows| self.folds_within(rows, predictions)).collect();
        let tested = plans.iter().flatten().count().max(1);
        // Given folds have other sizes in each group: the largest factor covers all.
        let factors = plans.iter().zip(&rows_of).filter_map(|(folds, rows)| {
            let folds = folds.as_ref()?;
            Some(match predictions.clusters() {
                None => Inflation::of(folds, self.repeats),
                Some(_) => {
                    self.clone().fold_plan(folds.clone()).inflation(&predictions.select(rows))
                }
            })
        });
        let inflation = factors.max_by(|a, b| a.factor().total_cmp(&b.factor()));
        let confidence = 1.0 - (1.0 - self.confidence) / tested as f64;
        let total: f64 = (0..predictions.rows()).map(weight).sum();
        let mut found = Vec::with_capacity(rows_of.len());
        let mut shares = Vec::with_capacity(rows_of.len());
        for ((name, rows), folds) in groups.names.iter().zip(&rows_of).zip(plans) {
            let estimates = match folds {
                None => None,
                Some(folds) => {
                    let own = predictions.select(rows);
                    // Holm's method multiplies p-values: more drawings keep them small.
                    let draws = automatic_draws(own.rows(), own.classes());
                    let draws = draws.max((100 * tested).min(9_999));
                    let within = self.within(folds, confidence, draws);
                    Some(within.whole(&own, stop, &mut Nobody)?.estimates)
                }
            };
            shares.push(rows.iter().map(|&row| weight(row)).sum::<f64>() / total);
            found.push(Group { name: name.clone(), rows: rows.len(), estimates });
        }
        // Groups that share a cluster are not independent, and nothing is known of them together.
        let shared = predictions.clusters().is_some_and(|clusters| clusters.span(&groups.ids));
        let aware = match shared {
            true => Vec::new(),
            false => aware(&found, &shares, inflation, self.confidence),
        };
        adjust(&mut found);
        Ok(GroupErrors { groups: found, aware, confidence })
    }

    /// The folds of a group's rows; none if there is too little to learn from or to hold out.
    pub(crate) fn folds_within(
        &self,
        rows: &[usize],
        predictions: &Predictions<'_>,
    ) -> Option<Folds> {
        let weight = |row: usize| predictions.weights().map_or(1.0, |weights| weights[row]);
        let informative = rows.iter().filter(|&&row| weight(row) > 0.0).count();
        if informative < FEWEST_ROWS {
            return None;
        }
        match &self.folds {
            Folds::Shuffled(count) => {
                let clusters = predictions.clusters().map(|all| all.select(rows).count());
                let enough = informative >= 2 * count && clusters.is_none_or(|own| own >= *count);
                enough.then_some(Folds::Shuffled(*count))
            }
            Folds::Given { ids, .. } => {
                let own: Vec<i64> = rows.iter().map(|&row| i64::from(ids[row])).collect();
                Folds::from_ids(&own).ok()
            }
        }
    }
}

/// Groups are fitted apart, so their estimates are independent: means and variances add up.
pub(crate) fn aware(
    groups: &[Group],
    shares: &[f64],
    inflation: Option<Inflation>,
    confidence: f64,
) -> Vec<GroupAware> {
    let estimated = || {
        let groups = groups.iter().zip(shares);
        groups.filter_map(|(group, share)| group.estimates.as_ref().map(|all| (all, *share)))
    };
    let Some(((first, _), inflation)) = estimated().next().zip(inflation) else {
        return Vec::new();
    };
    let combine = |number: usize| {
        let all = || estimated().map(|(all, share)| (&all[number], share));
        let bounded = Spread {
            mean: all().map(|(one, share)| share * one.bounded.mean).sum(),
            variance: all().map(|(one, share)| share * share * one.bounded.variance).sum(),
            rows: all().map(|(one, _)| one.bounded.rows).sum(),
        };
        GroupAware {
            metric: first[number].metric.clone(),
            value: all().map(|(one, share)| share * one.value).sum(),
            stderr: all().map(|(one, share)| (share * one.stderr).powi(2)).sum::<f64>().sqrt(),
            lower: bounded.lower(&inflation, confidence),
        }
    };
    (0..first.len()).map(combine).collect()
}

/// Adjusts the p-values of each metric over the groups.
pub(crate) fn adjust(groups: &mut [Group]) {
    let metrics = groups.iter().filter_map(|group| group.estimates.as_ref()).map(Vec::len).max();
    for number in 0..metrics.unwrap_or(0) {
        let mut own: Vec<&mut f64> = groups
            .iter_mut()
            .filter_map(|group| group.estimates.as_mut())
            .filter_map(|all| all.get_mut(number).and_then(|one| one.p_value.as_mut()))
            .collect();
        let adjusted = holm(&own.iter().map(|p| **p).collect::<Vec<_>>());
        own.iter_mut().zip(adjusted).for_each(|(p, adjusted)| **p = adjusted);
    }
}
