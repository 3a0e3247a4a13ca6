//! The p-value of "f is calibrated given f and the features", by Monte Carlo.
//!
//! Given f and the features, calibration says that each label is a draw from its row's f. So labels are drawn from
//! f, again and again, and the p-value is the share of drawings that look at least as odd as the labels observed:
//! exact for any statistic. This one scans segments: [`coded`] features, in coarse cells, make conditions; a
//! [`combination`] of one to three features has a segment for each of their conditions together; what speaks for
//! segments of each number of conditions, and for an error of f alone, is put together by [`evidence`].

mod coded;
mod combination;
mod evidence;
mod labels;

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::data::Features;
use crate::estimate::Problem;
use crate::estimate::score_test::Tested;
use crate::run::stop;
use coded::Coded;
use combination::{Combination, Outcome};
use evidence::{KINDS, evidence};
use labels::{Class, Rows};

/// Drawings by default.
const DRAWS: usize = 199;

/// All triples of so many features are scanned; of more, those of the features that look oddest in a drawing.
const MOST_TRIPLED: usize = 8;
const TRIPLED: usize = 6;

/// What a drawing may spend on pairs of features, a row counted or a cell of a segment added up being one: so much,
/// and so much for each row. Of more features than that allows for, those that look oddest are paired.
const PAIRED: f64 = 400_000.0;
const PAIRED_BY_ROW: f64 = 20.0;

/// What the segments of a pair cost.
const SEGMENTS: f64 = 1_200.0;

/// How much a smooth error, linear in one feature or in the product of two, counts beside segments.
const SMOOTH: f64 = 0.5;

/// What is left where nothing speaks for anything.
const LEAST: f64 = 1e-12;

/// Features in the cells of each number of conditions.
struct Scan<'a> {
    rows: &'a Rows,
    classes: &'a [Class],
    coded: [Vec<Coded>; 3],
}

/// Combinations of some number of features, ready for labels: for each, one a class.
struct Prepared {
    /// The features of each, ascending.
    of: Vec<Vec<usize>>,
    combinations: Vec<Vec<Combination>>,
}

/// What one drawing shows before triples are looked at.
struct First {
    statistics: [f64; 3],
    /// The features to be tripled.
    oddest: Vec<usize>,
}

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
    let coded = |order: usize| -> Vec<Coded> {
        let columns = features.columns().par_iter().zip(&features.grid().columns);
        columns.map(|(feature, cells)| Coded::of(feature, cells, order, rows.own())).collect()
    };
    let scan = Scan { rows: &rows, classes: &classes, coded: [coded(0), coded(1), coded(2)] };
    let p_value = scan.p_value(draws, seed);
    (!stop::requested()).then_some(Tested { p_value, draws })
}

impl Scan<'_> {
    fn p_value(&self, draws: usize, seed: u64) -> f64 {
        let count = self.coded[0].len();
        let singles = self.prepare((0..count).map(|one| vec![one]).collect());
        let paired = self.paired();
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| vec![a, b]));
        let pairs = self.prepare(pairs.collect());
        // The first are the labels observed.
        let first: Vec<First> = (0..=draws)
            .into_par_iter()
            .map(|draw| self.first(&self.rows.drawn(draw, seed), &singles, &pairs, paired))
            .collect();
        let wanted: BTreeSet<Vec<usize>> =
            first.iter().flat_map(|first| triples(&first.oddest)).collect();
        let tripled = self.prepare(wanted.into_iter().collect());
        let statistics: Vec<[f64; KINDS]> = first
            .par_iter()
            .enumerate()
            .map(|(draw, first)| {
                let labels = self.rows.drawn(draw, seed);
                let own = triples(&first.oddest);
                let places = own.iter().filter_map(|triple| tripled.of.binary_search(triple).ok());
                let outcomes = self.outcomes(&tripled, &labels, places);
                let [alone, one, two] = first.statistics;
                [alone, one, two, mean(&outcomes, |outcome| Some(outcome.segments)).ln_at_least()]
            })
            .collect();
        if stop::requested() {
            return 1.0;
        }
        let evidence = evidence(&statistics);
        // The last bits of sums must not decide.
        let reached = evidence[1..].iter().filter(|&&drawn| drawn >= evidence[0] - 1e-9).count();
        (1 + reached) as f64 / (1 + draws) as f64
    }

    /// How many features are paired in a drawing.
    fn paired(&self) -> usize {
        let counted: f64 = self.classes.iter().map(|class| class.expected + SEGMENTS).sum();
        let pairs = (PAIRED + PAIRED_BY_ROW * self.rows.count() as f64) / counted;
        // m (m − 1)/2 pairs of m.
        let most = (0.5 + (0.25 + 2.0 * pairs).sqrt()) as usize;
        most.max(TRIPLED)
    }

    fn prepare(&self, of: Vec<Vec<usize>>) -> Prepared {
        let one = |features: &Vec<usize>| -> Vec<Combination> {
            let coded = self.of(features);
            let own = self.classes.iter();
            own.map(|class| Combination::new(&coded, class, self.rows)).collect()
        };
        let stopped = |_: &&Vec<usize>| !stop::requested();
        let combinations = of.par_iter().filter(stopped).map(one).collect();
        Prepared { of, combinations }
    }

    fn of(&self, features: &[usize]) -> Vec<&Coded> {
        features.iter().map(|&feature| &self.coded[features.len() - 1][feature]).collect()
    }

    /// What some labels show of some combinations, the classes taken together.
    fn outcomes(
        &self,
        prepared: &Prepared,
        labels: &[Vec<u32>],
        places: impl Iterator<Item = usize>,
    ) -> Vec<Outcome> {
        let mut counts = Vec::new();
        let one = |place: usize| {
            let (Some(features), Some(combinations)) =
                (prepared.of.get(place), prepared.combinations.get(place))
            else {
                return Outcome::default();
            };
            let coded = self.of(features);
            let all = combinations.iter().zip(labels);
            let all = all.map(|(own, rows)| own.outcome(&coded, rows, self.rows, &mut counts));
            Outcome::mean(all)
        };
        places.take_while(|_| !stop::requested()).map(one).collect()
    }

    fn first(
        &self,
        labels: &[Vec<u32>],
        singles: &Prepared,
        pairs: &Prepared,
        paired: usize,
    ) -> First {
        let count = self.coded[0].len();
        let alone: f64 =
            self.classes.iter().zip(labels).map(|(class, rows)| class.alone(rows)).sum();
        let one = self.outcomes(singles, labels, 0..count);
        let mut scores: Vec<f64> = one.iter().map(|outcome| outcome.segments).collect();
        scores.resize(count, 0.0);
        let chosen = oddest(&scores, paired);
        let both =
            |features: &[usize]| features.iter().all(|one| chosen.binary_search(one).is_ok());
        let places: Vec<usize> =
            (0..pairs.of.len()).filter(|&place| both(&pairs.of[place])).collect();
        let two = self.outcomes(pairs, labels, places.iter().copied());
        for (&place, outcome) in places.iter().zip(&two) {
            pairs.of[place].iter().for_each(|&feature| scores[feature] += outcome.segments);
        }
        let tripled = if count <= MOST_TRIPLED { count } else { TRIPLED };
        let statistic = |outcomes: &[Outcome]| {
            let segments = mean(outcomes, |outcome| Some(outcome.segments));
            (segments + SMOOTH * mean(outcomes, |outcome| outcome.smooth)).ln_at_least()
        };
        First {
            statistics: [alone, statistic(&one), statistic(&two)],
            oddest: oddest(&scores, tripled),
        }
    }
}

trait Least {
    /// The logarithm of what may be 0.
    fn ln_at_least(self) -> f64;
}

impl Least for f64 {
    fn ln_at_least(self) -> f64 {
        (self + LEAST).ln()
    }
}

/// The mean of what there is; 0 if there is nothing.
fn mean(outcomes: &[Outcome], of: impl Fn(&Outcome) -> Option<f64>) -> f64 {
    let (sum, count) = outcomes
        .iter()
        .filter_map(of)
        .fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

/// All sets of three, ascending.
fn triples(of: &[usize]) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    for (place, &a) in of.iter().enumerate() {
        for (next, &b) in of.iter().enumerate().skip(place + 1) {
            found.extend(of[next + 1..].iter().map(|&c| vec![a, b, c]));
        }
    }
    found
}

/// The places of the largest, ascending.
fn oddest(scores: &[f64], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    order.truncate(most);
    order.sort_unstable();
    order
}
