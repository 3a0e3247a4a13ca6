//! g as a curve over f, and how sure it is.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use crate::data::{Clusters, Folds, Probs, Sample};
use crate::error::Result;
use crate::estimate::Problem;
use crate::estimate::bound::quantile;
use crate::numeric::random::{derive_seed, generator};
use crate::recalibrate::Recalibrator;
use crate::run::stop;

/// The band's fits leave out one of so many groups of rows at a time.
const GROUPS: usize = 20;

/// The band's fits see at most so many rows, so that they take no longer however many there are.
pub(crate) const MOST_ROWS: usize = 50_000;

/// Half of the points of a curve are quantiles of f, half evenly spaced.
const HALF: usize = 100;

/// The band covers the truth at a point with this probability, where g does without bias.
const COVERAGE: f64 = 0.95;

/// What the seeds of the subset and of the groups are derived by: away from those of folds.
const PLACE: u64 = 0x6261_6e64;

/// g on a grid of f.
#[derive(Debug, Clone)]
pub(crate) struct Curve {
    /// f, ascending, within the range of the predictions.
    pub x: Vec<f64>,
    /// g(f).
    pub g: Vec<f64>,
    /// The ends of a pointwise 95 % band, if there are rows enough for one.
    pub band: Option<(Vec<f64>, Vec<f64>)>,
    /// How many rows the band's fits were taken from.
    pub band_rows: usize,
}

/// The rows that the band is computed from, in ascending order of f.
struct BandRows {
    cells: Vec<f64>,
    labels: Vec<u32>,
    weights: Option<Vec<f64>>,
    clusters: Option<Clusters>,
}

impl Curve {
    /// Fits g once, to at most [`MOST_ROWS`] rows: quick, and without a band.
    pub fn sketch(
        problem: &Problem<'_>,
        recalibrator: &dyn Recalibrator,
        seed: u64,
    ) -> Result<Option<Self>> {
        let seed = derive_seed(seed, &[PLACE]);
        let some = BandRows::draw(problem, seed);
        let x = grid(&some.cells);
        let mut sample = Sample::empty();
        let probs = Probs::trusted(some.cells.as_slice().into(), 2);
        if !sample.fill(&probs, &some.labels, some.weights.as_deref(), |_| true) {
            return Ok(None);
        }
        let fitted = recalibrator.fit(&sample, derive_seed(seed, &[0]))?;
        let g = ones(&fitted.predict(pairs(&x).view())?);
        Ok(Some(Self { x, g, band: None, band_rows: some.labels.len() }))
    }

    /// Fits g to all rows of a two-class problem, and to all but each of [`GROUPS`] groups of (at most
    /// [`MOST_ROWS`]) rows: the delete-a-group jackknife.
    ///
    /// With θⱼ the curve without group j, the variance is (G − 1)/G Σ(θⱼ − mean θ)², and the band is
    /// g ± t·√variance with Student's quantile of G − 1 degrees of freedom, kept within [0, 1]. Fits to
    /// m of n rows vary n/m times as much as fits to all would, so that the band is scaled by √(m/n).
    pub fn fit(
        problem: &Problem<'_>,
        recalibrator: &dyn Recalibrator,
        seed: u64,
    ) -> Result<Option<Self>> {
        let rows = problem.rows();
        let seed = derive_seed(seed, &[PLACE]);
        let some = BandRows::draw(problem, seed);
        stop::check()?;
        let x = grid(&some.cells);
        let at = pairs(&x);
        let at = at.view();
        let mut sample = Sample::empty();
        if !problem.training(&[], None, &mut sample) {
            return Ok(None);
        }
        let g = ones(&recalibrator.fit(&sample, derive_seed(seed, &[0]))?.predict(at)?);
        drop(sample);
        let clusters = some.clusters.as_ref();
        let groups = GROUPS.min(clusters.map_or(some.labels.len(), Clusters::count));
        let without = some.leave_out(groups, recalibrator, at, seed)?;
        stop::check()?;
        // Fewer rows of a cluster are not fewer clusters.
        let share = some.labels.len() as f64 / rows as f64;
        let scale = if clusters.is_some() { 1.0 } else { share.sqrt() };
        let band = without.map(|fits| band(&g, &fits, scale));
        Ok(Some(Self { x, g, band, band_rows: some.labels.len() }))
    }
}

impl BandRows {
    /// All rows, or a fixed draw of [`MOST_ROWS`] of them.
    fn draw(problem: &Problem<'_>, seed: u64) -> Self {
        let rows = problem.rows();
        let chosen: Vec<usize> = if rows <= MOST_ROWS {
            (0..rows).collect()
        } else {
            rand::seq::index::sample(&mut generator(seed, 0), rows, MOST_ROWS).into_vec()
        };
        let mut buffer = [0.0; 2];
        let mut chosen: Vec<(f64, usize)> =
            chosen.into_iter().map(|row| (problem.prediction(row, &mut buffer)[1], row)).collect();
        chosen.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let each = || chosen.iter().map(|&(_, row)| row);
        Self {
            cells: chosen.iter().flat_map(|&(f, _)| [1.0 - f, f]).collect(),
            labels: each().map(|row| problem.label(row) as u32).collect(),
            weights: problem.is_weighted().then(|| each().map(|row| problem.weight(row)).collect()),
            clusters: problem
                .clusters()
                .map(|clusters| clusters.select(&each().collect::<Vec<_>>())),
        }
    }

    /// One fit without each group, evaluated; none if there are too few rows for that.
    fn leave_out(
        &self,
        groups: usize,
        recalibrator: &dyn Recalibrator,
        at: ArrayView2<'_, f64>,
        seed: u64,
    ) -> Result<Option<Vec<Vec<f64>>>> {
        if groups < 2 {
            return Ok(None);
        }
        let clusters = self.clusters.as_ref();
        let of = Folds::Shuffled(groups).assign(self.labels.len(), clusters, seed, 1);
        let probs = Probs::trusted(self.cells.as_slice().into(), 2);
        (0..groups as u32)
            .into_par_iter()
            .map(|group| {
                stop::check()?;
                let mut sample = Sample::empty();
                let weights = self.weights.as_deref();
                if !sample.fill(&probs, &self.labels, weights, |row| of[row] != group) {
                    return Ok(None);
                }
                let fitted = recalibrator.fit(&sample, derive_seed(seed, &[1, group.into()]))?;
                Ok(Some(ones(&fitted.predict(at)?)))
            })
            .collect()
    }
}

/// The probabilities of class 1.
fn ones(g: &Array2<f64>) -> Vec<f64> {
    g.column(1).to_vec()
}

/// The probabilities of both classes.
fn pairs(x: &[f64]) -> Array2<f64> {
    Array2::from_shape_fn(
        (x.len(), 2),
        |(row, class)| if class == 1 { x[row] } else { 1.0 - x[row] },
    )
}

/// Quantiles of f and evenly spaced numbers between the least and the largest f.
fn grid(ascending: &[f64]) -> Vec<f64> {
    let f = |row: usize| ascending[2 * row + 1];
    let last = ascending.len() / 2 - 1;
    let (from, to) = (f(0), f(last));
    let step = |number: usize| number as f64 / (HALF - 1) as f64;
    let quantiles = (0..HALF).map(|number| f((step(number) * last as f64).round() as usize));
    let even = (0..HALF).map(|number| (from + step(number) * (to - from)).min(to));
    let mut points: Vec<f64> = quantiles.chain(even).collect();
    points.sort_unstable_by(f64::total_cmp);
    points.dedup_by(|b, a| *b - *a <= 1e-9);
    points
}

fn band(g: &[f64], fits: &[Vec<f64>], scale: f64) -> (Vec<f64>, Vec<f64>) {
    let groups = fits.len() as f64;
    let margin = quantile(groups, 0.5 + 0.5 * COVERAGE) * scale;
    let ends = g.iter().enumerate().map(|(point, &g)| {
        let mean = fits.iter().map(|fit| fit[point]).sum::<f64>() / groups;
        let squares: f64 = fits.iter().map(|fit| (fit[point] - mean).powi(2)).sum();
        let reach = margin * (squares * (groups - 1.0) / groups).sqrt();
        ((g - reach).max(0.0), (g + reach).min(1.0))
    });
    ends.unzip()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::data::{Predictions, simulate};
    use crate::loss::Scope;
    use crate::recalibrate::recalibrator;

    fn curve(name: &str, predictions: &Predictions<'_>) -> Curve {
        let problem = Problem::new(predictions, Scope::Canonical, 0);
        Curve::fit(&problem, recalibrator(name).unwrap().as_ref(), 0).unwrap().unwrap()
    }

    #[test]
    fn the_identity_is_the_diagonal_without_a_doubt() {
        let predictions = simulate("binary-overconfident", 300, 0).unwrap();
        let Curve { x, g, band, .. } = curve("identity", &predictions);
        let (low, high) = band.unwrap();
        for point in 0..x.len() {
            for y in [g[point], low[point], high[point]] {
                assert!((y - x[point]).abs() < 1e-12);
            }
        }
        assert!(x.is_sorted() && x.len() <= 2 * HALF);
        let f = predictions.probs();
        let least = f.column(1).iter().copied().fold(1.0, f64::min);
        let largest = f.column(1).iter().copied().fold(0.0, f64::max);
        assert!((x[0] - least).abs() < 1e-9 && (x[x.len() - 1] - largest).abs() < 1e-9);
    }

    /// The jackknife of a mean over groups of equal size is the standard error of the groups' means.
    #[test]
    fn the_band_of_a_constant_is_that_of_a_mean() {
        let predictions = simulate("binary-overconfident", 2000, 3).unwrap();
        let Curve { g, band, .. } = curve("constant", &predictions);
        let (low, high) = band.unwrap();
        let ones = predictions.labels().iter().filter(|&&label| label == 1).count() as f64;
        let p = ones / 2000.0;
        // The uniform is mixed in with a weight of 1/(n + 1).
        assert!((g[0] - p).abs() < 1e-3);
        let half = 0.5 * (high[0] - low[0]);
        let binomial = 2.093 * (p * (1.0 - p) / 2000.0).sqrt();
        // A standard deviation from 20 groups has a relative error of 1/√38, a sixth: three of them.
        assert!((half / binomial - 1.0).abs() < 0.5, "{half} {binomial}");
    }

    #[test]
    fn the_band_of_a_mean_covers_it_as_often_as_it_says() {
        let covered = (0..400)
            .filter(|&seed| {
                let mut chance = generator(seed, 0);
                let labels: Vec<u32> =
                    (0..400).map(|_| u32::from(chance.random_bool(0.4))).collect();
                let predictions = Predictions::binary(vec![0.5; 400], &labels).unwrap();
                let (low, high) = curve("constant", &predictions).band.unwrap();
                low[0] <= 0.4 && 0.4 <= high[0]
            })
            .count();
        // 95 % of 400 with three standard errors of 4.4.
        assert!((367..=393).contains(&covered), "{covered}");
    }

    #[test]
    fn a_few_rows_have_a_curve_and_one_row_no_band() {
        let one = Predictions::binary(&[0.3], &[1]).unwrap();
        let found = curve("isotonic", &one);
        assert!(found.x.len() == 1 && found.band.is_none());
        let three = Predictions::binary(&[0.3, 0.3, 0.9], &[1, 0, 1]).unwrap();
        assert!(curve("isotonic", &three).band.is_some());
    }

    #[test]
    fn many_rows_are_drawn_from_and_the_band_is_narrower() {
        let many = simulate("binary-overconfident", 4 * MOST_ROWS, 0).unwrap();
        let few = simulate("binary-overconfident", MOST_ROWS, 0).unwrap();
        let width = |curve: &Curve| {
            let (low, high) = curve.band.as_ref().unwrap();
            low.iter().zip(high).map(|(low, high)| high - low).sum::<f64>() / low.len() as f64
        };
        let (many, few) = (curve("temperature", &many), curve("temperature", &few));
        assert_eq!((many.band_rows, few.band_rows), (MOST_ROWS, MOST_ROWS));
        // One over √4, and each width is known to a sixth.
        assert!((0.3..0.8).contains(&(width(&many) / width(&few))));
    }
}
