use super::{FEWEST_ROWS, Spread, Together};
use crate::numeric::simd::{sum_of, widely};

/// What the score of a row is, and what it could have been.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Possible {
    /// The score of the observed class.
    pub score: f64,
    /// The mean of the score if the label were drawn from f.
    pub mean: f64,
    /// The mean of its square.
    pub square: f64,
}

impl Possible {
    /// From the scores of all classes of a problem.
    pub fn of(f: &[f64], scores: &[f64], label: usize) -> Self {
        // A score that cannot happen, or that no finite variance allows for, says nothing.
        let counted = |f: f64, score: f64| if f > 0.0 && score.is_finite() { score } else { 0.0 };
        let (mean, square) = widely(
            f.len(),
            #[inline(always)]
            || {
                // One after the other: both in one loop are not added up by vectors.
                (
                    sum_of(f, scores, |f, score| f * counted(f, score)),
                    sum_of(f, scores, |f, score| f * counted(f, score) * counted(f, score)),
                )
            },
        );
        Self { score: scores[label], mean, square }
    }

    /// From the two scores of "this class or not", one such problem of several a row: added up over
    /// the classes, what differs between labels is the step from "not" to "this".
    pub fn of_one_class(f: &[f64], scores: &[f64], label: usize) -> Self {
        let step = scores[1] - scores[0];
        let step = if f[1] > 0.0 && step.is_finite() { step } else { 0.0 };
        Self { score: scores[label], mean: f[1] * step, square: f[1] * step * step }
    }

    /// That of a share.
    pub fn scaled(self, by: f64) -> Self {
        Self { score: self.score * by, mean: self.mean * by, square: self.square * by * by }
    }

    /// The sum of two parts of a row's score.
    pub fn plus(self, other: Self) -> Self {
        // An infinite improvement is a fact that no other class can take back.
        let score = match self.score >= f64::INFINITY || other.score >= f64::INFINITY {
            true => f64::INFINITY,
            false => self.score + other.score,
        };
        Self { score, mean: self.mean + other.mean, square: self.square + other.square }
    }

    /// The variance of the score if the label were drawn from f.
    pub fn null_variance(&self) -> f64 {
        (self.square - self.mean * self.mean).max(0.0)
    }
}

/// The moments of the scores of one metric, a repeat at a time.
pub(crate) struct Moments {
    /// Rows that are not complete before every class has been scored, or that belong together.
    rows: Option<Vec<Possible>>,
    current: Sums,
    means: f64,
    variances: f64,
    null_variances: f64,
    repeats: f64,
    information: f64,
}

/// Sums over scores, from which their mean and its variance follow.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sums {
    /// Σ w and Σ w².
    pub weights: f64,
    pub squared_weights: f64,
    /// Σ w s.
    pub scores: f64,
    /// Σ w² s and Σ w² s², from which Σ w² (s − m)² follows for any m.
    pub first: f64,
    pub second: f64,
    /// Σ w² times the variance of the score if the label were drawn from f.
    pub null: f64,
    /// Whether a score was +∞, or −∞.
    pub infinite: (bool, bool),
}

impl Moments {
    /// An empty one; rows are `kept` until the end of a repeat if they have several problems, or belong
    /// together.
    pub fn new(rows: usize, kept: bool) -> Self {
        Self {
            rows: kept.then(|| vec![Possible::default(); rows]),
            current: Sums::default(),
            means: 0.0,
            variances: 0.0,
            null_variances: 0.0,
            repeats: 0.0,
            information: 0.0,
        }
    }

    /// Adds a share of a row's score.
    #[inline]
    pub fn add(&mut self, row: usize, weight: f64, possible: Possible, share: f64) {
        let possible = possible.scaled(share);
        match &mut self.rows {
            None => self.current.add(weight, possible),
            Some(rows) => rows[row] = rows[row].plus(possible),
        }
    }

    /// Ends a repeat: every row has been scored.
    pub fn end_repeat(&mut self, weights: Option<&[f64]>, together: Option<&Together<'_>>) {
        let mut sums = std::mem::take(&mut self.current);
        if let Some(rows) = &mut self.rows {
            let all = rows.iter_mut().enumerate().map(|(row, possible)| {
                (weights.map_or(1.0, |weights| weights[row]), std::mem::take(possible))
            });
            match together {
                Some(together) => sums = together.sums(all),
                None => all.for_each(|(weight, possible)| sums.add(weight, possible)),
            }
        }
        let (mean, variance, null, information) = sums.moments();
        self.repeats += 1.0;
        self.means += mean;
        self.variances += variance;
        self.null_variances += null;
        self.information = information;
    }

    /// The mean over repeats.
    pub fn spread(&self) -> Spread {
        let repeats = self.repeats.max(1.0);
        Spread {
            mean: self.means / repeats,
            variance: self.variances.max(self.null_variances) / repeats,
            rows: self.information,
        }
    }
}

impl Sums {
    #[inline]
    pub fn add(&mut self, weight: f64, possible: Possible) {
        self.add_many(weight, weight * weight, possible);
    }

    /// Adds the mean score of rows that belong together, and w² times its variance under calibration.
    pub fn add_mean(&mut self, weight: f64, score: f64, null: f64) {
        self.add_many(weight, weight * weight, Possible { score, ..Possible::default() });
        self.null += null;
    }

    /// Adds rows of one score, whose weights and whose squares add up so.
    #[inline]
    pub fn add_many(&mut self, weight: f64, squared: f64, possible: Possible) {
        if weight <= 0.0 {
            return;
        }
        if possible.score.is_infinite() {
            let up = possible.score > 0.0;
            self.infinite = (self.infinite.0 || up, self.infinite.1 || !up);
            return;
        }
        self.weights += weight;
        self.squared_weights += squared;
        self.scores += weight * possible.score;
        self.first += squared * possible.score;
        self.second += squared * possible.score * possible.score;
        self.null += squared * possible.null_variance();
    }

    /// The mean of rows that are independent of what g learnt from, and how sure it is.
    pub fn spread(&self) -> Spread {
        let (mean, variance, null, rows) = self.moments();
        Spread { mean, variance: variance.max(null), rows }
    }

    /// The mean, its variance as the scores show it and under calibration, and (Σw)²/Σw².
    fn moments(&self) -> (f64, f64, f64, f64) {
        let information = self.weights * self.weights / self.squared_weights.max(f64::MIN_POSITIVE);
        match self.infinite {
            (true, _) => return (f64::INFINITY, 0.0, 0.0, information),
            (_, true) => return (f64::NEG_INFINITY, 0.0, 0.0, information),
            _ if self.weights <= 0.0 => return (0.0, 0.0, 0.0, 0.0),
            _ => {}
        }
        let mean = self.scores / self.weights;
        let spread = self.second - 2.0 * mean * self.first + mean * mean * self.squared_weights;
        // Where one row has nearly all of the weight, rounding would be divided by rounding.
        let rows = information.max(FEWEST_ROWS);
        let correction = rows / (rows - 1.0);
        let squared = self.weights * self.weights;
        (mean, spread.max(0.0) * correction / squared, self.null / squared, information)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variance_under_calibration_is_that_of_a_draw_from_f() {
        let (f, scores) = ([0.2, 0.3, 0.5], [1.0, -2.0, 0.5]);
        let possible = Possible::of(&f, &scores, 1);
        let mean = 0.2 - 0.6 + 0.25;
        let variance = 0.2 * (1.0f64 - mean).powi(2)
            + 0.3 * (-2.0 - mean).powi(2)
            + 0.5 * (0.5 - mean).powi(2);
        assert!((possible.null_variance() - variance).abs() < 1e-15);
        assert!((possible.score + 2.0).abs() < 1e-15);
    }

    /// One-versus-rest problems of a row added up: the same as the variance, over a draw from f, of the
    /// sum of the scores.
    #[test]
    fn classes_of_a_row_add_up_before_the_variance_is_taken() {
        let f = [0.2, 0.3, 0.5];
        let scores = [[0.1, -0.4], [0.3, 0.2], [-0.5, 0.7]];
        let mut moments = Moments::new(1, true);
        for class in 0..3 {
            let pair = [1.0 - f[class], f[class]];
            let observed = usize::from(class == 2);
            moments.add(0, 1.0, Possible::of_one_class(&pair, &scores[class], observed), 1.0 / 3.0);
        }
        moments.end_repeat(None, None);
        let total = |label: usize| -> f64 {
            (0..3).map(|class| scores[class][usize::from(class == label)] / 3.0).sum()
        };
        let mean: f64 = (0..3).map(|label| f[label] * total(label)).sum();
        let variance: f64 = (0..3).map(|label| f[label] * (total(label) - mean).powi(2)).sum();
        let spread = moments.spread();
        assert!((spread.mean - total(2)).abs() < 1e-15);
        assert!((spread.variance - variance).abs() < 1e-15, "{} {variance}", spread.variance);
    }

    #[test]
    fn without_weights_it_is_the_textbook_variance_and_weight_zero_counts_for_nothing() {
        let score = |score| Possible { score, mean: 0.0, square: 0.0 };
        let mut moments = Moments::new(5, false);
        for (row, s) in [1.0, 2.0, 3.0, 4.0].into_iter().enumerate() {
            moments.add(row, 7.0, score(s), 1.0);
        }
        moments.add(4, 0.0, score(f64::INFINITY), 1.0);
        moments.end_repeat(None, None);
        let spread = moments.spread();
        assert!((spread.mean - 2.5).abs() < 1e-15 && (spread.rows - 4.0).abs() < 1e-12);
        assert!((spread.variance - 5.0 / 12.0).abs() < 1e-14);
    }
}
