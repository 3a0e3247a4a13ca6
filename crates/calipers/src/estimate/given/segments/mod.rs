//! Who: segments in words, found in some folds and measured in the others.
//!
//! [`search`] looks for conditions under which labels are not what f says, in the rows of some folds;
//! [`measure`] says what the rows of the other folds show of what was found, which were never looked at.

mod measure;
mod search;

use std::sync::Arc;

use crate::data::{Features, Predictions};
use crate::estimate::Estimator;
use crate::estimate::bound::Together;
use crate::estimate::report::{Segment, Segments};
use crate::run::stop;
use measure::{Measured, measure};
use search::Search;

/// The most segments that are looked for, of all classes together.
const MOST: usize = 8;

/// The most classes that are looked at, the most frequent.
const MOST_CLASSES: usize = 8;

impl Estimator {
    /// The rows that segments are looked for in, about half of the folds, and those that they are measured in.
    pub(crate) fn search_and_measure(&self, predictions: &Predictions<'_>) -> (Vec<u32>, Vec<u32>) {
        let rows = predictions.rows();
        let folds = self.folds.assign(rows, predictions.clusters(), self.own_seed(), 0);
        // Three of five: what is never found is not measured either.
        let first = self.folds.count().div_ceil(2) as u32;
        let weight = |row: usize| predictions.weights().map_or(1.0, |weights| weights[row]);
        let there = (0..rows).filter(|&row| weight(row) > 0.0).map(|row| row as u32);
        there.partition(|&row| folds[row as usize] < first)
    }

    /// Looks for segments in about half of the folds, and measures them in the others.
    pub(super) fn segments(
        &self,
        predictions: &Predictions<'_>,
        features: &Arc<Features>,
    ) -> Segments {
        let (seen, unseen) = self.search_and_measure(predictions);
        let asked = classes(predictions);
        let each = (MOST / asked.len().max(1)).max(1);
        let mut found = Vec::new();
        for &class in &asked {
            let mut search = Search::new(predictions, features, &seen, class);
            while found.iter().filter(|(of, _)| *of == class).count() < each
                && !stop::requested()
                && let Some(rule) = search.next()
            {
                found.push((class, rule));
            }
        }
        // The strongest first, and no more than can be told apart.
        found.sort_by(|(_, a), (_, b)| b.evidence.total_cmp(&a.evidence));
        found.truncate(MOST);
        let together = Together::of(predictions);
        let level = (1.0 - self.confidence) / found.len().max(1) as f64;
        let mut shown = Vec::new();
        // Of each row the last class of which a segment was shown that it is in.
        let mut covered = vec![None; predictions.rows()];
        for (class, rule) in &found {
            let inside = |rows: &[u32]| -> Vec<u32> {
                rows.iter().copied().filter(|&row| rule.holds(features, row)).collect()
            };
            let off = |rows: &[u32]| {
                let found =
                    measure(predictions, together.as_ref(), rows, *class, rule.above, level)?;
                let is_off = (found.bound > found.predicted) == rule.above;
                (is_off && (found.bound - found.predicted).abs() > 0.0).then_some(found)
            };
            let own = inside(&unseen);
            let others: Vec<u32> =
                own.iter().copied().filter(|&row| covered[row as usize] != Some(*class)).collect();
            // What is off only because a segment that is shown overlaps it says nothing new.
            let (Some(Measured { predicted, observed, bound }), Some(_)) =
                (off(&own), off(&others))
            else {
                continue;
            };
            own.iter().for_each(|&row| covered[row as usize] = Some(*class));
            shown.push(Segment {
                conditions: rule.conditions(features),
                class: predictions.class_names()[*class].clone(),
                rows: own.len() + inside(&seen).len(),
                measured: own.len(),
                predicted,
                observed,
                bound,
                above: rule.above,
            });
        }
        let far = |segment: &Segment| {
            (segment.bound - segment.predicted).abs() * (segment.measured as f64).sqrt()
        };
        shown.sort_by(|a, b| far(b).total_cmp(&far(a)));
        Segments { shown, tried: found.len(), searched: seen.len(), measured: unseen.len() }
    }
}

/// The classes to look at: the second of two, or the most frequent.
fn classes(predictions: &Predictions<'_>) -> Vec<usize> {
    if predictions.classes() == 2 {
        return vec![1];
    }
    let mut counts = vec![0usize; predictions.classes()];
    predictions.labels().iter().for_each(|&label| counts[label as usize] += 1);
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&class| std::cmp::Reverse(counts[class]));
    order.truncate(MOST_CLASSES);
    order
}
