//! Rows that belong together, added up before a variance is taken.

use super::moments::{Possible, Sums};
use crate::data::{Clusters, Predictions};

/// If labels of a cluster were all decided at once, so many clusters should hold a surprise before what
/// varies between clusters is trusted to show it. With fewer, the variance is at least that of labels which
/// are (`CALIPERS_LONG=1 cargo test --package calipers --test main clusters -- --nocapture`).
const SURPRISES: f64 = 5.0;

/// Which rows belong together, and how far their labels are trusted to show how much they vary.
///
/// The mean score of a cluster counts as one score, with the weight of all of its rows: whatever its labels
/// have in common is in what the clusters' means show. Where surprises are rare that may be nothing, so
/// that the variance under calibration, which bounds it from below, is taken between two extremes: labels
/// of a cluster are independent, or one draw decides them all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Together<'a> {
    clusters: &'a Clusters,
    /// 1 if there are surprises enough to show what labels have in common, 0 if none is to be expected.
    shown: f64,
}

/// What is known of a cluster.
#[derive(Debug, Clone, Copy, Default)]
struct Cluster {
    weight: f64,
    /// Σ w s.
    score: f64,
    /// Σ w² v and Σ w √v, v being the variance of a row's score if its label were drawn from f.
    apart: f64,
    at_once: f64,
}

impl<'a> Together<'a> {
    /// Those of predictions, if they have clusters.
    pub fn of(predictions: &'a Predictions<'_>) -> Option<Self> {
        let clusters = predictions.clusters()?;
        let (mut weights, mut surprises) =
            (vec![0.0; clusters.count()], vec![0.0; clusters.count()]);
        let mut buffer = vec![0.0; predictions.classes()];
        for (row, &id) in clusters.ids().iter().enumerate() {
            let weight = predictions.weights().map_or(1.0, |weights| weights[row]);
            let f = predictions.held().row(row, &mut buffer);
            let surprise = 1.0 - f.iter().copied().fold(0.0, f64::max);
            weights[id as usize] += weight;
            surprises[id as usize] += weight * surprise;
        }
        let each = surprises.iter().zip(&weights).filter(|(_, weight)| **weight > 0.0);
        let expected: f64 = each.map(|(surprise, weight)| surprise / weight).sum();
        Some(Self { clusters, shown: (expected / SURPRISES).min(1.0) })
    }

    /// Whether what labels have in common is trusted to show.
    pub fn is_shown(&self) -> bool {
        self.shown >= 1.0
    }

    /// The clusters.
    pub fn clusters(&self) -> &'a Clusters {
        self.clusters
    }

    /// Sums over the clusters' mean scores.
    pub fn sums(&self, rows: impl Iterator<Item = (f64, Possible)>) -> Sums {
        let mut clusters = vec![Cluster::default(); self.clusters.count()];
        let mut sums = Sums::default();
        for ((weight, possible), &id) in rows.zip(self.clusters.ids()) {
            if weight <= 0.0 {
                continue;
            }
            if possible.score.is_infinite() {
                sums.add(weight, possible);
                continue;
            }
            let cluster = &mut clusters[id as usize];
            let variance = possible.null_variance();
            cluster.weight += weight;
            cluster.score += weight * possible.score;
            cluster.apart += weight * weight * variance;
            cluster.at_once += weight * variance.sqrt();
        }
        for Cluster { weight, score, apart, at_once } in clusters {
            if weight > 0.0 {
                let null = self.shown * apart + (1.0 - self.shown) * at_once * at_once;
                sums.add_mean(weight, score / weight, null);
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(score: f64) -> Possible {
        Possible { score, mean: 0.0, square: 0.25 }
    }

    /// Two clusters of three rows and one: scores 2 (the mean of 1, 2, 3) and 6, weights 3 and 1.
    #[test]
    fn a_clusters_mean_is_one_score() {
        let clusters = Clusters::of(["a", "a", "b", "a"]);
        let scores = [1.0, 2.0, 6.0, 3.0].map(|s| (1.0, score(s)));
        let shown = Together { clusters: &clusters, shown: 1.0 }.sums(scores.into_iter()).spread();
        assert!((shown.mean - 3.0).abs() < 1e-15 && (shown.rows - 1.6).abs() < 1e-15);
        // 3² (2 − 3)² + 1² (6 − 3)² = 18, over 4², times 1.6/0.6.
        assert!((shown.variance - 18.0 / 16.0 * 1.6 / 0.6).abs() < 1e-12, "{}", shown.variance);
    }

    #[test]
    fn labels_that_may_be_decided_at_once_have_the_larger_variance() {
        let clusters = Clusters::of(["a", "a", "b", "a"]);
        let same = [1.0; 4].map(|s| (1.0, score(s)));
        let variance = |shown: f64| {
            Together { clusters: &clusters, shown }.sums(same.into_iter()).spread().variance
        };
        // 4 · 0.25 over 4²; (3 · 0.5)² + 0.5² over 4²; and half of the way.
        assert!((variance(1.0) - 1.0 / 16.0).abs() < 1e-15);
        assert!((variance(0.0) - 2.5 / 16.0).abs() < 1e-15);
        assert!((variance(0.5) - 1.75 / 16.0).abs() < 1e-15);
    }

    #[test]
    fn clusters_of_one_row_are_rows() {
        let clusters = Clusters::of([1, 2, 3]);
        let rows = [(1.0, score(0.5)), (2.0, score(-1.0)), (0.0, score(9.0))];
        let mut alone = Sums::default();
        rows.iter().for_each(|(weight, possible)| alone.add(*weight, *possible));
        let (alone, together) = (
            alone.spread(),
            Together { clusters: &clusters, shown: 0.3 }.sums(rows.into_iter()).spread(),
        );
        assert!((alone.mean - together.mean).abs() < 1e-15);
        assert!((alone.variance - together.variance).abs() < 1e-15);
        assert!((alone.rows - together.rows).abs() < 1e-15);
    }

    #[test]
    fn surprises_are_counted_by_clusters() {
        let predictions = Predictions::binary(vec![0.9; 40], &[1; 40]).unwrap();
        let names: Vec<String> = (0..40).map(|row| (row / 2).to_string()).collect();
        let predictions = predictions.with_clusters(&names).unwrap();
        // Twenty clusters with a tenth of a surprise each, of five.
        let together = Together::of(&predictions).unwrap();
        assert!((together.shown - 0.4).abs() < 1e-12 && !together.is_shown());
    }
}
