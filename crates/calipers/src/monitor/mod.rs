//! Monitoring: evidence against calibration that may be looked at after every row.
//!
//! If f is calibrated, labels are draws from f, and nobody can expect to win by betting against it
//! at the odds that it states. [`Monitor`] bets: at each row it has a g, learnt from the rows before
//! it, and stakes on the classes that g thinks more probable than f does. Its wealth is the e-value.
//!
//! [`quadratic`] and [`scaling`] learn g, for two classes and for more; [`stakes`] says how much is
//! staked on it; [`state`] saves it all.

mod quadratic;
mod scaling;
mod stakes;
mod state;

use serde::{Deserialize, Serialize};

use self::quadratic::Quadratic;
use self::scaling::Scaling;
use self::stakes::Stakes;
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::numeric::simplex::floored_ln;
use crate::run::stop;

/// Evidence against "these probabilities are calibrated", which grows as rows arrive.
///
/// [`e_value`](Self::e_value) is the wealth of a player who began with 1 and bets against f at the
/// odds that f states. At each row he stakes on a g that he has learnt from earlier rows, and his
/// wealth is multiplied by 1 + 0.98 λ (g_Y/f_Y − 1), which is 1 in expectation if Y ~ f. So, whatever
/// the predictions and however they came about, if labels are draws from f,
///
/// P(the e-value ever reaches 1/α) ≤ α
///
/// (Ville's inequality). It holds at all times at once: one may look after every row, stop when one
/// likes, and go on later. A wealth of 20 is evidence at 5 %, for good: [`largest`](Self::largest) is
/// the highest that it has been, and [`p_value`](Self::p_value) is 1/largest.
///
/// What is refuted is Y ~ f, given everything that was known before each row, which is a little more
/// than calibration: if labels depend on each other beyond what f says, that counts as well. And the
/// order of rows must not depend on their labels: where one outcome is known sooner than the other,
/// enter a row when either would have been known.
///
/// # The bets
/// Two classes: logit g = logit f + a quadratic in logit f, learnt by a Bayesian logistic regression
/// that is updated row by row, and averaged over its posterior. More classes: half of the wealth on
/// softmax((1 + a) ln f), half on softmax((1 + a) ln f + b). Of each, 80 % is staked in full (λ = 1),
/// 10 % by half, 10 % by a quarter. The cost of a row is O(k), and so is the memory: rows are not
/// kept. Bets are learnt from all earlier rows alike, so that an error which begins after many
/// calibrated rows is noticed later than one that is there from the start.
///
/// A class that f rules out and that is observed makes the e-value infinite, for good.
///
/// # Reference
/// J. Ville, *Étude critique de la notion de collectif* (1939); A. Ramdas, P. Grünwald, V. Vovk and
/// G. Shafer, *Game-theoretic statistics and safe anytime-valid inference*, Statistical Science
/// (2023). The project's `docs/method.md`, "Monitoring: an e-value", has the power.
///
/// ```
/// use calipers::{Monitor, simulate};
///
/// let mut monitor = Monitor::new(2)?;
/// for day in 0..20 {
///     monitor.observe(&simulate("binary-overconfident", 50, day)?)?;
///     if monitor.p_value() <= 0.01 {
///         break;
///     }
/// }
/// assert!(monitor.largest() >= 100.0 && monitor.rows() < 1000);
/// // Saved and resumed, it goes on as if it had never stopped.
/// let resumed = Monitor::from_json(&monitor.to_json())?;
/// assert_eq!(resumed, monitor);
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Monitor {
    classes: usize,
    rows: usize,
    /// How many observed classes had probability 0.
    impossible_rows: usize,
    /// The logarithm of the highest finite wealth so far.
    log_largest: f64,
    accounts: Vec<Account>,
}

/// An equal share of the money, and who bets it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Account {
    player: Player,
    stakes: Stakes,
}

/// A way to learn g as rows arrive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Player {
    Quadratic(Quadratic),
    Scaling(Scaling),
}

/// Room for a row and what is computed of it.
struct Row {
    f: Vec<f64>,
    /// ln f, with the floor that features have.
    logs: Vec<f64>,
    scores: Vec<f64>,
}

impl Monitor {
    /// A monitor of so many classes that has not seen a row: its e-value is 1.
    ///
    /// # Errors
    /// Fewer than two classes.
    pub fn new(classes: usize) -> Result<Self> {
        let players = match classes {
            0 | 1 => return Err(Error::TooFewClasses { columns: classes }),
            2 => vec![Player::Quadratic(Quadratic::new())],
            _ => vec![
                Player::Scaling(Scaling::temperature()),
                Player::Scaling(Scaling::vector(classes)),
            ],
        };
        let account = |player| Account { player, stakes: Stakes::new() };
        Ok(Self {
            classes,
            rows: 0,
            impossible_rows: 0,
            log_largest: 0.0,
            accounts: players.into_iter().map(account).collect(),
        })
    }

    /// Takes in rows, in the order in which they arrived. How they are cut into batches makes no
    /// difference, to the last bit.
    ///
    /// Rows that [belong together](Predictions::with_clusters) are bet on once, by what was learnt before any
    /// of them: the e-value then holds however their labels depend on each other. A cluster has to come in
    /// one batch, since none is remembered.
    ///
    /// # Errors
    /// Another number of classes, or weights; nothing has been taken in then. Weights are refused
    /// because a row is bet on once, in its turn: a row that counts twice would be a bet on a result
    /// already known, and a weighted e-value would not be one.
    pub fn observe(&mut self, predictions: &Predictions<'_>) -> Result<()> {
        if predictions.classes() != self.classes {
            let (expected, found) = (self.classes, predictions.classes());
            return Err(Error::Length { what: "classes", expected, found });
        }
        if predictions.weights().is_some() {
            return Err(Error::Setting {
                name: "weights",
                reason: "a monitor bets on each row once, so that weights have no meaning for it"
                    .to_owned(),
            });
        }
        // Whoever stops it in the middle finds it as it was.
        let mut next = self.clone();
        let mut row = Row::new(self.classes);
        match predictions.clusters() {
            None => {
                for (at, &label) in predictions.labels().iter().enumerate() {
                    predictions.held().read(at, &mut row.f);
                    next.take(&mut row, label as usize);
                    if stop::requested_at(at) {
                        break;
                    }
                }
            }
            Some(clusters) => {
                let mut rows_of: Vec<Vec<usize>> = vec![Vec::new(); clusters.count()];
                clusters
                    .ids()
                    .iter()
                    .enumerate()
                    .for_each(|(at, &id)| rows_of[id as usize].push(at));
                for rows in rows_of.iter().take_while(|_| !stop::requested()) {
                    next.take_together(&mut row, predictions, rows);
                }
            }
        }
        stop::check()?;
        *self = next;
        Ok(())
    }

    /// Bets on a row, and learns from it.
    fn take(&mut self, row: &mut Row, label: usize) {
        self.rows = self.rows.saturating_add(1);
        if row.f[label] <= 0.0 {
            self.impossible_rows = self.impossible_rows.saturating_add(1);
            return;
        }
        row.logs.iter_mut().zip(&row.f).for_each(|(log, &f)| *log = floored_ln(f));
        for Account { player, stakes } in &mut self.accounts {
            stakes.settle(player.play(row, label));
        }
        // The mean is at most the largest of its parts, and seldom has to be computed.
        let best = self.accounts.iter().map(|account| account.stakes.log_best());
        if best.fold(f64::NEG_INFINITY, f64::max) > self.log_largest {
            self.log_largest = self.log_largest.max(self.log_wealth());
        }
    }

    /// Bets once on rows that belong together, by what was learnt before any of them, and learns from them
    /// all.
    fn take_together(&mut self, row: &mut Row, predictions: &Predictions<'_>, rows: &[usize]) {
        self.rows = self.rows.saturating_add(rows.len());
        let labels = predictions.labels();
        let (mut possible, mut buffer) = (Vec::with_capacity(rows.len()), vec![0.0; self.classes]);
        for &at in rows {
            let f = predictions.held().row(at, &mut buffer);
            match f[labels[at] as usize] > 0.0 {
                true => possible.push(at),
                false => self.impossible_rows = self.impossible_rows.saturating_add(1),
            }
        }
        if possible.is_empty() {
            return;
        }
        for Account { player, stakes } in &mut self.accounts {
            let before = player.clone();
            let mut ratios = Vec::with_capacity(possible.len());
            for &at in &possible {
                predictions.held().read(at, &mut row.f);
                row.logs.iter_mut().zip(&row.f).for_each(|(log, &f)| *log = floored_ln(f));
                ratios.push(before.clone().play(row, labels[at] as usize));
                player.play(row, labels[at] as usize);
            }
            stakes.settle_together(&ratios);
        }
        self.log_largest = self.log_largest.max(self.log_wealth());
    }

    /// The logarithm of the money in all accounts, as if nothing impossible had been observed.
    fn log_wealth(&self) -> f64 {
        stakes::log_mean(self.accounts.iter().map(|account| &account.stakes))
    }

    /// The evidence against calibration after the rows so far: at most 1 in expectation if there is
    /// none. Beyond 1e308 it is infinite, though its logarithm is not.
    pub fn e_value(&self) -> f64 {
        self.log_e_value().exp()
    }

    /// The logarithm of the e-value; +∞ once a class of probability 0 has been observed.
    pub fn log_e_value(&self) -> f64 {
        if self.impossible_rows > 0 { f64::INFINITY } else { self.log_wealth() }
    }

    /// The largest e-value after any row so far, to which Ville's inequality applies: if labels are
    /// draws from f, it ever reaches 1/α with a probability of at most α.
    pub fn largest(&self) -> f64 {
        self.log_largest().exp()
    }

    /// The logarithm of the largest e-value.
    pub fn log_largest(&self) -> f64 {
        if self.impossible_rows > 0 { f64::INFINITY } else { self.log_largest }
    }

    /// 1/largest, a p-value for "labels are draws from f" that holds at all times at once: it never
    /// rises.
    pub fn p_value(&self) -> f64 {
        (-self.log_largest()).exp().min(1.0)
    }

    /// How many rows it has seen.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How many of the rows were of a class to which f gave a probability of 0.
    pub fn impossible_rows(&self) -> usize {
        self.impossible_rows
    }
}

impl Player {
    /// ln g_Y/f_Y for the g of the rows before; then learns from this one.
    fn play(&mut self, row: &mut Row, label: usize) -> f64 {
        match self {
            Self::Quadratic(player) => {
                let z = row.logs[1] - row.logs[0];
                player.play([row.f[0], row.f[1]], z, label)
            }
            Self::Scaling(player) => player.play(&row.f, &row.logs, &mut row.scores, label),
        }
    }
}

impl Row {
    fn new(classes: usize) -> Self {
        let zeros = vec![0.0; classes];
        Self { f: zeros.clone(), logs: zeros.clone(), scores: zeros }
    }
}

#[cfg(test)]
mod tests;
