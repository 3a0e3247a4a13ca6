//! Two models' held-out scores of the same rows: which of them more error is found in.
//!
//! The errors that are found, the means of the scores on new rows, differ for reasons that say nothing
//! of the errors themselves. A g that learns from noise misses more of one error than of the other; so
//! the smaller one counts with what may have been missed of it, and no difference counts unless the
//! larger error is itself shown to be above 0. And where both g lie on the same side, the difference
//! of two norms does not depend on the label at all, or depends on labels so rare that no row shows
//! them; so its variance is at least what labels drawn from either model would give it.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::Kept;
use crate::data::{Clusters, Predictions};
use crate::estimate::bound::{Inflation, Spread, quantile};
use crate::numeric::mean::weighted_mean;

/// Where weights leave fewer rows than this, nothing is claimed.
const FEWEST_ROWS: f64 = 1.5;

/// The mean difference of two models' scores, and how sure it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paired {
    /// The mean.
    pub value: f64,
    /// Its standard error, what folds share included.
    pub stderr: f64,
    /// How many unweighted rows carry as much information.
    pub rows: f64,
}

/// One of the two models.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side<'a> {
    /// What its lower bound is taken from.
    pub own: &'a Spread,
    /// How much of its error may have been missed because g had to be learnt.
    pub missed: f64,
}

/// What may be claimed of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim {
    pub interval: (f64, f64),
    pub p_value: f64,
}

impl Paired {
    /// The mean of the rows' differences; of its variance as they show it and as labels drawn from
    /// the models would make it, the larger.
    pub fn new(
        scores: [&[f64]; 2],
        weights: Option<&[f64]>,
        clusters: Option<&Clusters>,
        null_variance: f64,
        inflation: &Inflation,
    ) -> Self {
        // Where both are infinite there is no telling them apart.
        let apart: Vec<f64> = scores[0]
            .iter()
            .zip(scores[1])
            .map(|(a, b)| if a.total_cmp(b).is_eq() { 0.0 } else { a - b })
            .collect();
        let value = weighted_mean(&apart, weights).value;
        if !value.is_finite() {
            return Self { value, stderr: f64::INFINITY, rows: 1.0 };
        }
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        // The weight of each row, or of all that belong together, with its part of the sum.
        let mut parts = vec![(0.0, 0.0); clusters.map_or(apart.len(), Clusters::count)];
        for (row, apart) in apart.iter().enumerate().filter(|(row, _)| weight(*row) > 0.0) {
            let (all, sum) = &mut parts[clusters.map_or(row, |of| of.ids()[row] as usize)];
            *all += weight(row);
            *sum += weight(row) * (apart - value);
        }
        let total: f64 = parts.iter().map(|(weight, _)| weight).sum();
        let squares: f64 = parts.iter().map(|(weight, _)| weight * weight).sum();
        let spread: f64 = parts.iter().map(|(_, sum)| sum * sum).sum();
        let rows: f64 = total * total / squares;
        let correction = if rows > FEWEST_ROWS { rows / (rows - 1.0) } else { 3.0 };
        let variance = (spread * correction / (total * total)).max(null_variance);
        Self { value, stderr: (inflation.factor() * variance).sqrt(), rows }
    }

    /// An interval and a p-value that agree: 0 is outside the one exactly where the other is below 1 −
    /// confidence. Both allow for so many pairs.
    ///
    /// "The first is larger" takes its own error to be above 0, *and* to be above the second's with all
    /// that may have been missed of that. Each is tested at the full level, since both have to be
    /// shown. So the interval reaches from the first as it was found less the second with what was
    /// missed of it, to the other way about; and it leaves 0 no further than what is shown.
    pub fn claim(
        &self,
        sides: &[Side<'_>; 2],
        inflation: &Inflation,
        confidence: f64,
        pairs: usize,
    ) -> Claim {
        if !self.stderr.is_finite() {
            // Where one model's loss is infinite and the other's is not, rows say nothing of chance.
            return Claim { interval: (f64::NEG_INFINITY, f64::INFINITY), p_value: 1.0 };
        }
        if self.stderr <= 0.0 && self.value.abs() <= 0.0 {
            // Every row has the same score under both, whatever its label.
            return Claim { interval: (0.0, 0.0), p_value: 1.0 };
        }
        let tail = 0.5 * (1.0 - confidence) / pairs as f64;
        let margin = quantile(self.rows, 1.0 - tail) * self.stderr;
        let shown = sides.each_ref().map(|side| side.own.lower(inflation, 1.0 - tail));
        let (least, most) = (self.value - sides[1].missed, self.value + sides[0].missed);
        // No −0 at the end.
        let to = (most + margin).max(-shown[1]) + 0.0;
        let interval = ((least - margin).min(shown[0]), to);
        let p = if self.value > 0.0 {
            self.one_sided(least).max(exceeds(sides[0].own, inflation))
        } else {
            self.one_sided(-most).max(exceeds(sides[1].own, inflation))
        };
        Claim { interval, p_value: (2.0 * pairs as f64 * p).min(1.0) }
    }

    /// How often a difference this far above 0 is due to chance.
    fn one_sided(&self, difference: f64) -> f64 {
        if !(difference > 0.0 && self.rows >= FEWEST_ROWS) {
            return 1.0;
        }
        above(difference / self.stderr, self.rows)
    }
}

/// The p-value of "there is no error": the level at which the lower bound would be 0.
fn exceeds(own: &Spread, inflation: &Inflation) -> f64 {
    if own.mean >= f64::INFINITY {
        return 0.0;
    }
    if !(own.mean > 0.0 && own.rows >= FEWEST_ROWS) {
        return 1.0;
    }
    let t = own.mean / own.variance.sqrt();
    above(t / inflation.factor().sqrt(), own.rows).max(2.0 * above(t, own.rows))
}

/// The probability that Student's t of so many rows is above a number.
fn above(t: f64, rows: f64) -> f64 {
    if t >= f64::INFINITY {
        return 0.0;
    }
    let freedom = (rows - 1.0).max(1e-3);
    StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |student| student.sf(t))
}

/// The variance of the mean difference of a metric's scores if labels were draws from the predictions
/// of one model or the other, whichever is larger.
pub(super) fn null_variance(
    metric: usize,
    models: [&Predictions<'_>; 2],
    kept: [&Kept; 2],
    weights: Option<&[f64]>,
) -> f64 {
    let names = models.map(Predictions::class_names);
    // The second model's place of each class of the first.
    let places: Vec<Option<usize>> =
        names[0].iter().map(|name| names[1].iter().position(|other| other == name)).collect();
    let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
    let mut buffers = models.map(|model| vec![0.0; model.classes()]);
    let (mut sums, mut squares) = ([0.0; 2], 0.0);
    for ((row, first), (_, second)) in kept[0].rows(metric).zip(kept[1].rows(metric)) {
        let squared = weight(row) * weight(row);
        squares += squared;
        let mut f = models.iter().zip(&mut buffers).map(|(model, to)| model.held().row(row, to));
        let (Some(one), Some(other)) = (f.next(), f.next()) else { break };
        let apart = || {
            let both = places.iter().enumerate().filter_map(|(at, place)| Some((at, (*place)?)));
            both.map(|(at, place)| (one[at], other[place], first[at] - second[place]))
                // What cannot be, or what no finite variance allows for, says nothing.
                .filter(|(.., apart)| apart.is_finite())
        };
        sums[0] += squared * variance(apart().map(|(f, _, apart)| (f, apart)));
        sums[1] += squared * variance(apart().map(|(_, f, apart)| (f, apart)));
    }
    let rows = models[0].rows();
    let (total, all): (f64, f64) = (0..rows)
        .map(weight)
        .fold((0.0, 0.0), |(total, all), weight| (total + weight, all + weight * weight));
    if squares <= 0.0 {
        return 0.0;
    }
    sums[0].max(sums[1]) * all / squares / (total * total)
}

/// The variance of numbers that have these probabilities.
fn variance(all: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let mean: f64 = all.clone().map(|(f, apart)| f * apart).sum();
    all.map(|(f, apart)| f * (apart - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Folds;

    fn inflation() -> Inflation {
        Inflation::averaged(&Folds::Shuffled(5), 1)
    }

    fn own(mean: f64) -> Spread {
        Spread { mean, variance: 0.01 * 0.01, rows: 1e6 }
    }

    #[test]
    fn interval_and_p_value_agree_for_any_number_of_pairs() {
        let mut clear = 0;
        for pairs in [1, 3, 10] {
            for value in [-0.06, -0.03, -0.005, 0.005, 0.02, 0.03, 0.04, 0.06] {
                for mean in [-0.1, 0.01, 0.028, 0.03, 0.04, 0.06] {
                    for missed in [0.0, 0.005, 0.02] {
                        let paired = Paired { value, stderr: 0.01, rows: 1e6 };
                        let (one, other) = (own(mean), own(mean - value));
                        let sides = [Side { own: &one, missed }, Side { own: &other, missed }];
                        let claim = paired.claim(&sides, &inflation(), 0.95, pairs);
                        let (from, to) = claim.interval;
                        assert!(from <= value && value <= to);
                        let outside = from > 0.0 || to < 0.0;
                        assert_eq!(
                            outside,
                            claim.p_value < 0.05,
                            "{pairs} {value} {mean} {claim:?}"
                        );
                        clear += usize::from(outside);
                    }
                }
            }
        }
        assert!(clear > 40, "{clear}");
    }

    #[test]
    fn nothing_is_claimed_where_the_larger_error_is_not_shown_or_the_smaller_may_be_missed() {
        let paired = Paired { value: 0.5, stderr: 0.001, rows: 1e6 };
        let claim = |mean: f64, missed: f64| {
            let (one, other) = (own(mean), own(-0.5));
            let sides = [Side { own: &one, missed: 0.0 }, Side { own: &other, missed }];
            paired.claim(&sides, &inflation(), 0.95, 1)
        };
        assert!(claim(-0.1, 0.0).p_value >= 1.0 && claim(-0.1, 0.0).interval.0 <= 0.0);
        assert!(claim(0.02, 0.0).p_value > 0.05);
        assert!(claim(0.1, 0.0).p_value < 1e-6);
        // No more than what is shown of the larger.
        assert!(claim(0.1, 0.0).interval.0 < 0.1);
        assert!(claim(0.1, 0.499).p_value > 0.05 && claim(0.1, 0.51).p_value >= 1.0);
    }

    #[test]
    fn labels_that_no_row_shows_widen_the_difference() {
        let scores = [vec![0.01; 1000], vec![-0.01; 1000]];
        let narrow = Paired::new([&scores[0], &scores[1]], None, None, 0.0, &inflation());
        let wide = Paired::new([&scores[0], &scores[1]], None, None, 1e-4, &inflation());
        assert!(narrow.stderr < 1e-9 && (wide.stderr - 0.01 * 2f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn the_variance_is_that_of_a_draw() {
        let all = [(0.2, 1.0), (0.3, -2.0), (0.5, 0.5)];
        // 0.2·1 + 0.3·4 + 0.5·0.25 less the square of 0.2 − 0.6 + 0.25.
        assert!((variance(all.into_iter()) - (1.525 - 0.0225)).abs() < 1e-15);
    }
}
