//! Cox's recalibration: slope and intercept.

use super::line::{Line, Order};
use super::listed::Listed;
use super::rule::{Chance, Found, Outcome, Rule};
use super::tail::chi_square;
use crate::numeric::simplex::sigmoid;
use crate::run::stop;

/// The slope b of the logistic regression P(y) = sigmoid(a + b·logit f), with its `intercept` a.
///
/// 1 and 0 if f is calibrated; b < 1 where f is over-confident. `slope_stderr` and
/// `intercept_stderr` are from the information matrix. `in_the_large` is the intercept with the slope
/// held at 1. The p-value is the likelihood ratio's, chi-square with two degrees, against a = 0,
/// b = 1. Rows with f of 0 or 1 that were right say nothing of the slope: they are left out, and
/// counted as `certain`. Where such a row was wrong, where a threshold on f separates the labels, or
/// where there is but one prediction, there is no slope, and the reason is given. Cost: some ten passes.
///
/// ## Reference
/// Cox, *Two further applications of a model for binary regression*, 1958.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cox;

impl Listed for Cox {
    const NAME: &'static str = "cox";
    const ABOUT: &'static str = "slope (and intercept) of a logistic regression of y on logit f";
    const ORDER: Order = Order::AsGiven;
}

/// Newton's steps converge quadratically: far more than they need.
const MOST_STEPS: usize = 60;

/// Where the gain of a step in mean log-likelihood is rounding.
const SMALLEST_GAIN: f64 = 1e-15;

struct Fit {
    intercept: f64,
    slope: f64,
    /// The mean log-likelihood.
    likelihood: f64,
    /// The information matrix of a row: of the intercept, of both, of the slope.
    information: [f64; 3],
}

/// Rows as (logit f, y).
struct LogitRows(Vec<(f64, f64)>);

impl LogitRows {
    /// What keeps the slope from being determined and finite.
    fn obstacle(&self) -> Option<&'static str> {
        let range = |happened: bool| {
            let own = self.0.iter().filter(move |(_, y)| (*y > 0.5) == happened).map(|(x, _)| *x);
            own.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
        };
        let ((least_not, most_not), (least, most)) = (range(false), range(true));
        if least_not.min(least) >= most_not.max(most) {
            Some("there is no slope: there are no two different predictions")
        } else if most_not <= least || most <= least_not {
            // An infinite range is that of no rows.
            Some("there is no finite slope: a threshold on f separates the labels")
        } else {
            None
        }
    }

    /// Mean log-likelihood, its gradient and its information at (a, b).
    fn look(&self, a: f64, b: f64) -> (f64, [f64; 2], [f64; 3]) {
        let (mut value, mut gradient, mut information) = (0.0, [0.0; 2], [0.0; 3]);
        for &(x, y) in &self.0 {
            let t = a + b * x;
            // ln sigmoid(t) or ln sigmoid(−t), without overflow.
            let s = if y > 0.5 { t } else { -t };
            value += s.min(0.0) - (-s.abs()).exp().ln_1p();
            let p = sigmoid(t);
            let (r, w) = (y - p, p * (1.0 - p));
            gradient[0] += r;
            gradient[1] += r * x;
            information[0] += w;
            information[1] += w * x;
            information[2] += w * x * x;
        }
        let rows = self.0.len() as f64;
        (value / rows, gradient.map(|g| g / rows), information.map(|i| i / rows))
    }

    /// Newton's method with halved steps; none if it does not converge.
    fn fit(&self, with_slope: bool) -> Option<Fit> {
        let (mut a, mut b) = (0.0, 1.0);
        let (mut value, mut gradient, mut information) = self.look(a, b);
        for _ in 0..MOST_STEPS {
            let [aa, ab, bb] = information;
            let (da, db) = if with_slope {
                let determinant = aa * bb - ab * ab;
                let da = (bb * gradient[0] - ab * gradient[1]) / determinant;
                (da, (aa * gradient[1] - ab * gradient[0]) / determinant)
            } else {
                (gradient[0] / aa, 0.0)
            };
            let expected = da * gradient[0] + db * gradient[1];
            if !(da.is_finite() && db.is_finite()) || stop::requested() {
                return None;
            }
            if expected <= SMALLEST_GAIN {
                return Some(Fit { intercept: a, slope: b, likelihood: value, information });
            }
            let mut share = 1.0;
            loop {
                let next = self.look(a + share * da, b + share * db);
                if next.0 >= value {
                    (a, b) = (a + share * da, b + share * db);
                    (value, gradient, information) = next;
                    break;
                }
                share *= 0.5;
                if share < 1e-9 {
                    return Some(Fit { intercept: a, slope: b, likelihood: value, information });
                }
            }
        }
        None
    }
}

impl Rule for Cox {
    fn on_line(&self, line: &Line, _: &Chance) -> Outcome {
        let certain = |f: f64| f <= 0.0 || f >= 1.0;
        let wrong = line.iter().filter(|&(f, y)| certain(f) && (f - y).abs() > 0.5).count();
        if wrong > 0 {
            return Err(format!("{wrong} row(s) with f = 0 or 1 were wrong, whatever the slope"));
        }
        let uncertain = line.iter().filter(|&(f, _)| !certain(f));
        let rows = LogitRows(uncertain.map(|(f, y)| (f.ln() - (-f).ln_1p(), y)).collect());
        if let Some(obstacle) = rows.obstacle() {
            return Err(obstacle.to_owned());
        }
        let diverged = || "the logistic regression did not converge".to_owned();
        let fit = rows.fit(true).ok_or_else(diverged)?;
        let in_the_large = rows.fit(false).ok_or_else(diverged)?;
        let all = rows.0.len() as f64;
        let [aa, ab, bb] = fit.information;
        let determinant = aa * bb - ab * ab;
        let ratio = 2.0 * all * (fit.likelihood - rows.look(0.0, 1.0).0);
        Ok(Found::new(fit.slope)
            .tested(chi_square(ratio, 2.0))
            .with("slope_stderr", (aa / determinant / all).sqrt())
            .with("intercept", fit.intercept)
            .with("intercept_stderr", (bb / determinant / all).sqrt())
            .with("in_the_large", in_the_large.intercept)
            .with("certain", line.rows() as f64 - all))
    }
}
