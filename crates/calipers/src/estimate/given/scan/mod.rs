//! The p-value of "f is calibrated given f and the features", by Monte Carlo.
//!
//! Given f and the features, calibration says that each label is a draw from its row's f. So labels are drawn from
//! f, again and again, and the p-value is the share of drawings that look at least as odd as the labels observed:
//! exact for any statistic. This one scans segments: [`coded`] features, in coarse cells, make conditions; a
//! [`combination`] of one to three features has a segment for each of their conditions together, and is asked about
//! many drawings of [`labels`] at once; what speaks for segments of each number of conditions, and for an error of f
//! alone, is put together by [`evidence`].

mod coded;
mod combination;
mod evidence;
mod labels;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use crate::data::Features;
use crate::estimate::Problem;
use crate::estimate::score_test::Tested;
use crate::run::stop;
use coded::Coded;
use combination::{Combination, Outcome};
use evidence::{KINDS, evidence};
use labels::{Class, Drawings, Rows};

/// Drawings by default; with the labels observed they fill lanes to the last.
const DRAWS: usize = 199;

/// Rows that are looked at in pairs of features, and in triples, at the most: of more features than that allows
/// for, those that look oddest are combined.
const PAIRED: f64 = 1e7;
const TRIPLED: f64 = 6e6;

/// The most features of which all triples are looked at: each has hundreds of segments.
const MOST_TRIPLED: usize = 16;

/// How much a smooth error, linear in one feature or in the product of two, counts beside segments.
const SMOOTH: f64 = 0.5;

/// What is left where nothing speaks for anything.
const LEAST: f64 = 1e-12;

/// How often labels drawn from f look as odd as those observed; none where labels share their fate.
pub(super) fn p_value(
    problem: &Problem<'_>,
    features: &Features,
    draws: Option<usize>,
    seed: u64,
) -> Option<Tested> {
    let draws = draws.unwrap_or(DRAWS);
    if draws == 0 || problem.clusters().is_some() {
        return None;
    }
    let rows = Rows::of(problem);
    let classes = Class::all(&rows);
    let drawings = Drawings::all(&rows, draws + 1, seed);
    let scan = Scan { rows: &rows, classes: &classes, drawings: &drawings, features };
    let evidence = evidence(&scan.statistics());
    // The last bits of sums must not decide.
    let reached = evidence[1..=draws].iter().filter(|&&drawn| drawn >= evidence[0] - 1e-6).count();
    let p_value = (1 + reached) as f64 / (1 + draws) as f64;
    (!stop::requested()).then_some(Tested { p_value, draws })
}

/// A scan under way.
struct Scan<'a> {
    rows: &'a Rows,
    classes: &'a [Class],
    drawings: &'a [Drawings],
    features: &'a Features,
}

impl Scan<'_> {
    /// What each drawing shows of errors of each kind; the first are the labels observed.
    fn statistics(&self) -> Vec<[f64; KINDS]> {
        let count = self.features.count();
        let all: Vec<usize> = (0..count).collect();
        let singles: Vec<Vec<usize>> = all.iter().map(|&one| vec![one]).collect();
        let one = self.outcomes(&self.coded(0), &singles);
        let mut scores = vec![0.0; count];
        raise(&mut scores, &singles, &one);
        let rows = self.rows.count() as f64 * self.classes.len() as f64;
        // m (m − 1)/2 pairs of m features, and nearly m³/6 triples.
        let paired = oddest(&scores, (0.5 + (0.25 + 2.0 * PAIRED / rows).sqrt()) as usize);
        let pairs = pairs(&paired);
        let two = self.outcomes(&self.coded(1), &pairs);
        raise(&mut scores, &pairs, &two);
        let most = (1.0 + (6.0 * TRIPLED / rows).cbrt()) as usize;
        let triples = triples(&oddest(&scores, most.min(MOST_TRIPLED)));
        let three = self.outcomes(&self.coded(2), &triples);
        let alone = self.alone();
        let kinds = [&one, &two, &three].map(|of| mean(of, alone.len()));
        (0..alone.len())
            .map(|draw| [alone[draw], kinds[0][draw], kinds[1][draw], kinds[2][draw]])
            .collect()
    }

    /// What speaks for an error of f alone, in each drawing.
    fn alone(&self) -> Vec<f64> {
        let each = self.drawings.par_iter().map(|drawings| {
            let mut sums = vec![0.0; drawings.count];
            for (place, class) in self.classes.iter().enumerate() {
                let own = class.alone(drawings, place);
                sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            }
            sums
        });
        each.flatten_iter().collect()
    }

    /// Every feature in the cells of so many conditions, from 0.
    fn coded(&self, order: usize) -> Vec<Coded> {
        let columns = self.features.columns().par_iter().zip(&self.features.grid().columns);
        columns.map(|(feature, cells)| Coded::of(feature, cells, order, self.rows.own())).collect()
    }

    /// For each combination, what each drawing shows of it, the classes taken together.
    fn outcomes(&self, coded: &[Coded], of: &[Vec<usize>]) -> Vec<Vec<Outcome>> {
        let one = |features: &Vec<usize>| {
            let coded: Vec<&Coded> = features.iter().map(|&feature| &coded[feature]).collect();
            let mut all: Vec<Outcome> = Vec::new();
            for (place, class) in self.classes.iter().enumerate() {
                if stop::requested() {
                    break;
                }
                let combination = Combination::new(&coded, class, self.rows);
                let outcomes = self.drawings.iter().flat_map(|drawings| {
                    let lanes = combination.outcomes(&coded, drawings, place, self.rows);
                    lanes.into_iter().take(drawings.count)
                });
                match all.is_empty() {
                    true => all = outcomes.collect(),
                    false => all.iter_mut().zip(outcomes).for_each(|(sum, own)| sum.add(own)),
                }
            }
            all
        };
        of.par_iter().map(one).collect()
    }
}

/// The logarithm of the mean over combinations, of which there may be none, in each of so many drawings.
fn mean(of: &[Vec<Outcome>], draws: usize) -> Vec<f64> {
    let smooth =
        of.iter().filter(|own| own.first().is_some_and(|own| own.smooth.is_some())).count();
    let one = |draw: usize| {
        let drawn = || of.iter().filter_map(|own| own.get(draw));
        let segments: f64 = drawn().map(|own| own.segments).sum::<f64>() / of.len().max(1) as f64;
        let along: f64 = drawn().filter_map(|own| own.smooth).sum::<f64>() / smooth.max(1) as f64;
        (segments + SMOOTH * along + LEAST).ln()
    };
    (0..draws).map(one).collect()
}

/// Adds to the features' scores the most that any drawing shows of a combination they are in: the labels observed
/// count as one of them, so that what is chosen by it is chosen for all alike.
fn raise(scores: &mut [f64], of: &[Vec<usize>], outcomes: &[Vec<Outcome>]) {
    for (features, outcomes) in of.iter().zip(outcomes) {
        let most = outcomes.iter().map(|own| own.segments).fold(0.0, f64::max);
        features.iter().for_each(|&feature| scores[feature] += most);
    }
}

/// All pairs, ascending.
fn pairs(of: &[usize]) -> Vec<Vec<usize>> {
    let with = |(place, &a): (usize, &usize)| {
        of[place + 1..].iter().map(move |&b| vec![a, b]).collect::<Vec<_>>()
    };
    of.iter().enumerate().flat_map(with).collect()
}

/// All sets of three, ascending.
fn triples(of: &[usize]) -> Vec<Vec<usize>> {
    let with = |(place, &a): (usize, &usize)| {
        let rest = pairs(&of[place + 1..]).into_iter();
        rest.map(move |pair| vec![a, pair[0], pair[1]]).collect::<Vec<_>>()
    };
    of.iter().enumerate().flat_map(with).collect()
}

/// The places of the largest, ascending.
fn oddest(scores: &[f64], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    order.truncate(most);
    order.sort_unstable();
    order
}
