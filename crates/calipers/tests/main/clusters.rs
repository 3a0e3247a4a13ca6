//! Rows that belong together: bounds, p-values and e-values hold however labels of a cluster depend on each
//! other, and do not where nobody says which rows belong together.
use calipers::{Estimator, Folds, Monitor, Predictions, recalibrator};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF, Normal};

use crate::common;

/// What predictions are like.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scores {
    /// Uniform.
    Wide,
    /// Half of them below 0.0125, none above 0.2.
    Rare,
}

/// Clusters of calibrated predictions.
#[derive(Debug, Clone, Copy)]
struct Setting {
    scores: Scores,
    clusters: usize,
    /// Whether a few clusters have most of the rows; all have ten otherwise.
    skewed: bool,
    /// How much of what decides a label its cluster decides.
    correlation: f64,
}

impl Setting {
    fn sizes(&self) -> Vec<usize> {
        let size = |number: usize| {
            if self.skewed { (40 / (number + 1)).max(1) + number % 5 } else { 10 }
        };
        // The same shape for any number of clusters: the first twenty, again and again.
        (0..self.clusters).map(|cluster| size(cluster % 20)).collect()
    }

    /// Labels by a Gaussian copula: each is drawn from its f, and those of a cluster are alike.
    fn draw(&self, seed: u64) -> (Predictions<'static>, Vec<String>) {
        let mut draws = ChaCha8Rng::seed_from_u64(seed);
        let normal = Normal::standard();
        let gauss = |draws: &mut ChaCha8Rng| normal.inverse_cdf(draws.random_range(1e-12..1.0));
        let (mut f, mut labels, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for (cluster, size) in self.sizes().into_iter().enumerate() {
            let common = gauss(&mut draws);
            // What a cluster's rows are like is alike, too.
            let middle: f64 = draws.random();
            for _ in 0..size {
                let own: f64 = 0.5 * (middle + draws.random::<f64>());
                let p = if self.scores == Scores::Wide { own } else { 0.2 * own.powi(4) };
                let rho = self.correlation;
                let latent = rho.sqrt() * common + (1.0 - rho).sqrt() * gauss(&mut draws);
                f.push(p);
                labels.push(u32::from(normal.cdf(latent) < p));
                names.push(format!("c{cluster}"));
            }
        }
        (Predictions::binary(f, &labels).unwrap(), names)
    }
}

/// Of so many data sets, the shares whose bounds of l1 and brier are above 0, and whose p-value is at most 5 %.
fn shares(setting: Setting, learner: &str, data_sets: u64, told: bool) -> [f64; 3] {
    let mut found = [0.0; 3];
    for seed in 0..data_sets {
        let (predictions, names) = setting.draw(seed);
        let predictions = match told {
            true => predictions.with_clusters(&names).unwrap(),
            false => predictions,
        };
        let report = Estimator::new()
            .metric("l1".parse().unwrap())
            .metric("brier".parse().unwrap())
            .recalibrator(recalibrator(learner).unwrap())
            .draws(99)
            .seed(seed)
            .threads(1)
            .estimate(&predictions)
            .unwrap();
        let [l1, brier] = [0, 1].map(|at| &report.estimates[at]);
        let wrong = [l1.lower > 0.0, brier.lower > 0.0, l1.p_value.unwrap() <= 0.05];
        found.iter_mut().zip(wrong).for_each(|(sum, wrong)| *sum += f64::from(u8::from(wrong)));
    }
    found.map(|sum| sum / data_sets as f64)
}

/// No share is above 5 % by more than three of its Monte-Carlo standard errors (300 data sets: 3.8 points; at
/// length 1,000 and 64 cells: 2.1).
#[test]
fn what_is_claimed_of_clusters_holds_however_their_labels_depend_on_each_other() {
    let (data_sets, most) = if common::is_long() { (1_000, 0.071) } else { (300, 0.088) };
    let counts: &[usize] = if common::is_long() { &[20, 50, 200, 2_000] } else { &[20, 100] };
    let correlations: &[f64] = if common::is_long() { &[0.0, 0.3, 0.6, 0.9] } else { &[0.0, 0.9] };
    let learners: &[&str] =
        if common::is_long() { &["logistic", "isotonic"] } else { &["logistic"] };
    let mut failed = Vec::new();
    for scores in [Scores::Wide, Scores::Rare] {
        for &clusters in counts {
            for &correlation in correlations {
                for skewed in [false, true] {
                    for learner in learners {
                        let setting = Setting { scores, clusters, skewed, correlation };
                        let found = shares(setting, learner, data_sets, true);
                        println!("{setting:?} {learner}: {found:.3?}");
                        if found.iter().any(|share| *share > most) {
                            failed.push((setting, *learner, found));
                        }
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// The same data as if all rows were independent.
#[test]
fn without_a_word_of_clusters_the_same_data_break_the_bound() {
    let setting = Setting { scores: Scores::Wide, clusters: 100, skewed: false, correlation: 0.9 };
    let found = shares(setting, "logistic", 100, false);
    assert!(found[0] > 0.3 && found[2] > 0.3, "{found:?}");
}

/// Ville's inequality at 5 %: 400 data sets, two standard errors are 2.2 points.
#[test]
fn bets_are_made_once_a_cluster() {
    let setting = Setting { scores: Scores::Wide, clusters: 100, skewed: true, correlation: 0.9 };
    let (mut together, mut apart) = (0, 0);
    for seed in 0..400 {
        let (predictions, names) = setting.draw(seed);
        let mut alone = Monitor::new(2).unwrap();
        alone.observe(&predictions).unwrap();
        apart += usize::from(alone.p_value() <= 0.05);
        let mut monitor = Monitor::new(2).unwrap();
        monitor.observe(&predictions.with_clusters(&names).unwrap()).unwrap();
        assert_eq!(monitor.rows(), alone.rows());
        together += usize::from(monitor.p_value() <= 0.05);
    }
    assert!(together <= 28 && apart > 100, "{together} {apart}");
}

#[test]
fn clusters_of_one_row_change_the_bound_by_nothing_but_what_folds_are_drawn() {
    let (predictions, _) =
        Setting { scores: Scores::Wide, clusters: 50, skewed: true, correlation: 0.0 }.draw(1);
    let ids: Vec<i64> = (0..predictions.rows() as i64).map(|row| row % 5).collect();
    let names: Vec<String> = (0..predictions.rows()).map(|row| row.to_string()).collect();
    let estimator = Estimator::new().fold_plan(Folds::from_ids(&ids).unwrap()).draws(0);
    let rows = estimator.estimate(&predictions).unwrap();
    let clusters = estimator.estimate(&predictions.with_clusters(&names).unwrap()).unwrap();
    for (one, other) in rows.estimates.iter().zip(&clusters.estimates) {
        assert_eq!(one.value.to_bits(), other.value.to_bits());
        // Sums in another order.
        assert!(
            (one.lower - other.lower).abs() < 1e-12 && (one.stderr - other.stderr).abs() < 1e-12
        );
    }
}

/// Errors that come and go in time: neighbours share their fate, and folds are pieces of time.
#[test]
fn neighbours_in_time_are_held_out_together() {
    let (mut told, mut untold) = (0, 0);
    for seed in 0..200 {
        // Each twenty neighbours are one cluster that nobody names.
        let setting =
            Setting { scores: Scores::Wide, clusters: 100, skewed: false, correlation: 0.9 };
        let (predictions, _) = setting.draw(seed);
        let times: Vec<f64> = (0..predictions.rows()).map(|row| row as f64).collect();
        let estimator = Estimator::new().metric("l1".parse().unwrap()).threads(1).draws(99);
        let estimator = estimator.recalibrator(recalibrator("logistic").unwrap());
        let wrong = |predictions: &Predictions<'_>| {
            let report = estimator.estimate(predictions).unwrap();
            usize::from(report.estimates[0].lower > 0.0)
        };
        untold += wrong(&predictions);
        told += wrong(&predictions.with_times(&times).unwrap());
    }
    // Two standard errors of 200 data sets are 3.1 points.
    assert!(told <= 16 && untold > 60, "{told} {untold}");
}

/// Predictions that all but rule out what happens in every second row, twenty clusters of two rows: where
/// nothing is to be expected, no label in a cluster is decided by chance, and what is seen is proof.
#[test]
fn what_was_all_but_ruled_out_is_seen_in_few_clusters() {
    let labels: Vec<u32> = (0..40).map(|row| row % 2).collect();
    let names: Vec<String> = (0..40).map(|row| (row / 2).to_string()).collect();
    let predictions = Predictions::binary(vec![1e-6; 40], &labels).unwrap();
    let predictions = predictions.with_clusters(&names).unwrap();
    let report = Estimator::new().metric("l1".parse().unwrap()).estimate(&predictions).unwrap();
    assert!(report.estimates[0].p_value.unwrap() <= 0.01, "{:?}", report.estimates[0].p_value);
    // And none at all is none: what was predicted has happened.
    let calm =
        Predictions::binary(vec![1e-6; 40], &[0; 40]).unwrap().with_clusters(&names).unwrap();
    let report = Estimator::new().metric("l1".parse().unwrap()).estimate(&calm).unwrap();
    assert!(report.estimates[0].p_value.unwrap() > 0.5);
}

#[test]
fn what_cannot_be_asked_of_clusters_is_refused() {
    let (predictions, names) =
        Setting { scores: Scores::Wide, clusters: 20, skewed: false, correlation: 0.0 }.draw(1);
    let clustered = predictions.clone().with_clusters(&names).unwrap();
    let refused = |estimator: Estimator, of: &Predictions<'_>| {
        estimator.estimate(of).unwrap_err().to_string()
    };
    assert_eq!(
        refused(Estimator::new().folds(21), &clustered),
        "clusters: 20 clusters are too few for 21 folds: every fold needs one"
    );
    assert_eq!(
        refused(Estimator::new().sample(50), &clustered),
        "sample: rows that belong together cannot be learnt from in part"
    );
    assert_eq!(
        refused(Estimator::new().test(calipers::Test::Refit), &clustered),
        "test: a refitted test takes rows for independent"
    );
    let times: Vec<f64> = (0..predictions.rows()).map(|row| row as f64).collect();
    assert_eq!(
        refused(Estimator::new().repeats(2), &predictions.clone().with_times(&times).unwrap()),
        "repeats: 2 repeats of folds in the order of time would all be the same"
    );
    assert!(predictions.clone().with_clusters(&names[1..]).is_err());
    assert_eq!(
        predictions.with_times(&vec![f64::NAN; 200]).unwrap_err().to_string(),
        "times: row 0: NaN is not finite"
    );
}
