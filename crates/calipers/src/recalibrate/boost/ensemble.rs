//! Forests trained on inner folds, averaged, and mapped by what their held-out rows say.

use std::cmp::Ordering;

use ndarray::{Array2, ArrayView2, ArrayViewMut2};
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::by_bin::Odds;
use super::rows::normalise;
use super::{BinnedRows, Forest, Grower, Growth, TOGETHER};
use crate::data::{Probs, Sample};
use crate::numeric::borders;
use crate::numeric::random::{derive_seed, generator};
use crate::numeric::simplex::{FLOOR, mix_with_uniform};
use crate::recalibrate::{LogisticMap, Model};
use crate::run::stop;

/// Where boosting starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Start {
    /// At f: the trees learn what f gets wrong.
    Warm,
    /// At the same probability for every class.
    Uniform,
    /// At the classes' frequencies.
    Frequencies,
}

/// How an ensemble is trained.
///
/// The rows are dealt into inner folds, stratified by label (which is harmless here: the estimate
/// is taken on rows that none of them holds). For each fold a forest grows on the others, and keeps
/// the rounds up to the one with the least log loss on the fold. g is the mean of the forests'
/// probabilities, mapped by the logistic map that was fitted to the folds' own predictions, mixed
/// with 1/(n + 1) of the uniform.
///
/// The rows are sorted first, so their order does not matter. Two classes have one feature, the
/// probability of class 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plan<G> {
    /// Where boosting starts.
    pub start: Start,
    /// The most rounds.
    pub trees: usize,
    /// The number of rounds without improvement after which a forest stops growing.
    pub patience: usize,
    /// The most borders of a feature, if not as many as [`automatic_borders`] says.
    pub borders: Option<usize>,
    /// The number of inner folds.
    pub inner: usize,
    /// How trees grow.
    pub growth: G,
}

impl<G: Growth> Plan<G> {
    /// Learns g.
    pub fn fit(&self, sample: &Sample, seed: u64) -> Boosted<G::Forest> {
        let mut order = sorted_rows(sample);
        let borders = self.borders(sample);
        if stop::requested() {
            // What is left to do will be thrown away: one row makes it short.
            order.truncate(1);
        }
        let mut all = self.rows(sample, &order, &borders);
        if stop::requested() {
            all = all.select(|row| row == 0);
        }
        let folds = self.inner.min(all.len());
        let fold_of = deal(&all.labels, all.classes, folds, seed);
        let trained: Vec<(G::Forest, BinnedRows)> = (0..folds as u32)
            .into_par_iter()
            .map(|fold| {
                let go_on = !stop::requested();
                let training = all.select(|row| go_on && fold_of[row] != fold);
                let held_out = all.select(|row| go_on && fold_of[row] == fold);
                self.train(training, held_out, derive_seed(seed, &[u64::from(fold)]))
            })
            .collect();
        let mut forests = Vec::with_capacity(folds);
        let mut held_out = Vec::with_capacity(folds);
        for (forest, rows) in trained {
            forests.push(forest);
            held_out.push(rows.probs);
        }
        // Back into one table, by walking each fold's rows in their order.
        let mut unread: Vec<_> =
            held_out.iter().map(|probs| probs.chunks_exact(all.classes)).collect();
        let go_on = !stop::requested();
        let mut probs = vec![0.0; all.len() * all.classes];
        let rows = probs.chunks_exact_mut(all.classes).zip(&fold_of);
        for (row, &fold) in rows.take_while(|_| go_on) {
            let read = unread[fold as usize].next().unwrap_or_default();
            row.iter_mut().zip(read).for_each(|(to, from)| *to = *from);
        }
        let probs = Probs::trusted(probs.into(), all.classes);
        let mut left_out = Sample::empty();
        left_out.fill(&probs, &all.labels, Some(&all.weights), |row| go_on || row == 0);
        Boosted {
            start: self.start,
            frequencies: frequencies(sample),
            borders,
            forests,
            map: LogisticMap::fit(&left_out),
            training_rows: sample.effective_rows(),
        }
    }

    fn borders(&self, sample: &Sample) -> Vec<Vec<f64>> {
        let columns = features(sample.classes());
        let column = |class| sample.column(class).iter().map(|(p, _, _)| p).collect();
        let most = self.borders.unwrap_or_else(|| automatic_borders(sample.classes()));
        let borders = |class| borders::choose(column(class), most);
        columns.map(|class| if stop::requested() { Vec::new() } else { borders(class) }).collect()
    }

    fn rows(&self, sample: &Sample, order: &[usize], borders: &[Vec<f64>]) -> BinnedRows {
        let classes = sample.classes();
        let frequencies = frequencies(sample);
        let mut rows = BinnedRows {
            features: borders.len(),
            classes,
            bins: Vec::with_capacity(order.len() * borders.len()),
            borders: borders.iter().map(Vec::len).collect(),
            labels: order.iter().map(|&row| sample.labels()[row]).collect(),
            weights: order.iter().map(|&row| sample.weight(row)).collect(),
            probs: vec![0.0; order.len() * classes],
        };
        for (&row, probs) in order.iter().zip(rows.probs.chunks_exact_mut(classes)) {
            let f = sample.row(row);
            rows.bins.extend(bins(borders, f));
            self.start.write(f, &frequencies, probs);
        }
        rows
    }

    /// Grows a forest on some rows for as long as it gets better on others.
    pub fn train(
        &self,
        mut training: BinnedRows,
        mut held_out: BinnedRows,
        seed: u64,
    ) -> (G::Forest, BinnedRows) {
        let (mut grower, mut forest) = self.growth.grower(&training, self.trees, seed);
        let mut best = (0, held_out.log_loss(), held_out.probs.clone());
        if training.len() == 0 {
            return (forest, held_out);
        }
        for round in (0..self.trees).take_while(|_| !stop::requested()) {
            grower.grow(&mut training, &mut forest);
            let loss = held_out.advance(&forest, round);
            if loss < best.1 {
                best.0 = round + 1;
                best.1 = loss;
                best.2.copy_from_slice(&held_out.probs);
            } else if round + 1 - best.0 >= self.patience {
                break;
            }
        }
        forest.truncate(best.0);
        held_out.probs = best.2;
        (forest, held_out)
    }
}

impl Start {
    fn write(self, f: &[f64], frequencies: &[f64], probs: &mut [f64]) {
        match self {
            Start::Warm => {
                probs.iter_mut().zip(f).for_each(|(p, f)| *p = f.max(FLOOR));
                normalise(probs);
            }
            Start::Uniform => probs.fill(1.0 / probs.len() as f64),
            Start::Frequencies => probs.copy_from_slice(frequencies),
        }
    }
}

/// The paper has 254 borders. On the development corpus fewer recover as much, and they are faster
/// to try (docs/choices.md, "Boosted trees").
fn automatic_borders(classes: usize) -> usize {
    if classes == 2 { 32 } else { 16 }
}

/// The classes whose probabilities are features: the second of two tells all there is.
fn features(classes: usize) -> std::ops::Range<usize> {
    if classes == 2 { 1..2 } else { 0..classes }
}

fn bins<'a>(borders: &'a [Vec<f64>], f: &'a [f64]) -> impl Iterator<Item = u8> + 'a {
    let values = &f[features(f.len())];
    borders.iter().zip(values).map(|(borders, &value)| borders::bin(borders, value))
}

/// The classes' shares of the weight, none below the floor.
fn frequencies(sample: &Sample) -> Vec<f64> {
    let mut frequencies = vec![0.0; sample.classes()];
    for (row, &label) in sample.labels().iter().enumerate() {
        frequencies[label as usize] += sample.weight(row) / sample.rows() as f64;
    }
    frequencies.iter_mut().for_each(|share| *share = share.max(FLOOR));
    normalise(&mut frequencies);
    frequencies
}

/// The rows by prediction, label and weight: an order that does not depend on theirs.
fn sorted_rows(sample: &Sample) -> Vec<usize> {
    // From the last class on: two classes come sorted by their second. Its probability is held
    // beside the row's number, so that few comparisons have to look at rows far apart in memory.
    let last = |row: usize| sample.row(row).last().copied().unwrap_or_default();
    let mut order: Vec<(f64, usize)> = (0..sample.rows()).map(|row| (last(row), row)).collect();
    order.sort_unstable_by(|&(p, a), &(q, b)| {
        p.total_cmp(&q).then_with(|| {
            let (one, other) = (sample.row(a).iter().rev(), sample.row(b).iter().rev());
            one.zip(other)
                .map(|(one, other)| one.total_cmp(other))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
                .then(sample.labels()[a].cmp(&sample.labels()[b]))
                .then(sample.weight(a).total_cmp(&sample.weight(b)))
        })
    });
    order.into_iter().map(|(_, row)| row).collect()
}

/// Deals rows into folds so that each has nearly as many of every class.
pub(crate) fn deal(labels: &[u32], classes: usize, folds: usize, seed: u64) -> Vec<u32> {
    let mut draws = generator(seed, 0);
    let mut of_class: Vec<Vec<usize>> = vec![Vec::new(); classes];
    labels.iter().enumerate().for_each(|(row, &label)| of_class[label as usize].push(row));
    let mut fold_of = vec![0; labels.len()];
    let mut next = (0..folds as u32).cycle();
    for rows in of_class.iter_mut().take_while(|_| !stop::requested()) {
        rows.shuffle(&mut draws);
        rows.iter().zip(&mut next).for_each(|(&row, fold)| fold_of[row] = fold);
    }
    fold_of
}

/// A fitted ensemble.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Boosted<F> {
    start: Start,
    frequencies: Vec<f64>,
    borders: Vec<Vec<f64>>,
    forests: Vec<F>,
    map: LogisticMap,
    training_rows: f64,
}

impl<F: Forest> Boosted<F> {
    /// The mean of the forests' probabilities for a row.
    fn average(&self, f: &[f64], scratch: &mut Scratch, mean: &mut [f64]) {
        scratch.bins.clear();
        scratch.bins.extend(bins(&self.borders, f));
        self.start.write(f, &self.frequencies, &mut scratch.start);
        mean.fill(0.0);
        for forest in &self.forests {
            scratch.probs.copy_from_slice(&scratch.start);
            for round in 0..forest.rounds() {
                forest.apply(round, &scratch.bins, &mut scratch.probs);
                if round % TOGETHER == TOGETHER - 1 {
                    normalise(&mut scratch.probs);
                }
            }
            normalise(&mut scratch.probs);
            mean.iter_mut().zip(&scratch.probs).for_each(|(mean, p)| *mean += p);
        }
        normalise(mean);
    }

    /// The same for all rows; of two classes by the odds of each bin.
    fn averages(&self, f: ArrayView2<'_, f64>, mut means: ArrayViewMut2<'_, f64>) {
        let f = f.as_standard_layout();
        let (Some(f), Some(means)) = (f.as_slice(), means.as_slice_mut()) else { return };
        let classes = self.frequencies.len();
        if let ([borders], 2) = (&*self.borders, classes) {
            let bin = |pair: &[f64; 2]| borders::bin(borders, pair[1]);
            let rows = f.as_chunks::<2>().0;
            // A single row needs those of its own bin.
            let (first, bins) = match rows {
                [only] => (bin(only), 1),
                _ => (0, borders.len() + 1),
            };
            let odds = Odds::new(&self.forests, first, bins);
            let rows = rows.iter().zip(means.as_chunks_mut::<2>().0);
            for (f, mean) in rows.take_while(|_| !stop::requested()) {
                let mut start = [0.0; 2];
                self.start.write(f, &self.frequencies, &mut start);
                *mean = odds.mean((bin(f) - first) as usize, start);
                normalise(mean);
            }
            return;
        }
        let mut scratch = Scratch::new(classes);
        let rows = f.chunks_exact(classes).zip(means.chunks_exact_mut(classes));
        for (f, mean) in rows.take_while(|_| !stop::requested()) {
            self.average(f, &mut scratch, mean);
        }
    }
}

struct Scratch {
    bins: Vec<u8>,
    start: Vec<f64>,
    probs: Vec<f64>,
}

impl Scratch {
    fn new(classes: usize) -> Self {
        let (start, probs) = (vec![0.0; classes], vec![0.0; classes]);
        Self { bins: Vec::with_capacity(classes), start, probs }
    }
}

impl<F: Forest> Model for Boosted<F> {
    const NAME: &'static str = F::NAME;

    fn map_row(&self, f: &[f64], g: &mut [f64]) {
        if let (Ok(f), Ok(g)) =
            (ArrayView2::from_shape((1, f.len()), f), ArrayViewMut2::from_shape((1, f.len()), g))
        {
            self.map_rows(f, g);
        }
    }

    fn map_rows(&self, f: ArrayView2<'_, f64>, mut g: ArrayViewMut2<'_, f64>) {
        let mut means = Array2::zeros(f.dim());
        self.averages(f, means.view_mut());
        self.map.map_rows(means.view(), g.view_mut());
        for mut g in g.rows_mut() {
            if let Some(g) = g.as_slice_mut() {
                mix_with_uniform(g, self.training_rows);
            }
        }
    }

    fn classes(&self) -> Option<usize> {
        Some(self.frequencies.len())
    }

    fn is_sound(&self) -> bool {
        let classes = self.frequencies.len();
        classes >= 2
            && !self.forests.is_empty()
            && self.frequencies.iter().all(|share| (0.0..=1.0).contains(share) && *share > 0.0)
            && self.borders.len() == features(classes).len()
            && self.borders.iter().all(|borders| {
                borders.len() <= super::MOST_BORDERS
                    && borders.is_sorted_by(|a, b| a < b)
                    && borders.iter().all(|border| border.is_finite())
            })
            && self.forests.iter().all(|forest| forest.is_sound(self.borders.len(), classes))
            && self.map.is_sound()
            && self.map.classes() == Some(classes)
            && self.training_rows > 0.0
    }

    fn converged(&self) -> bool {
        self.map.converged()
    }
}
