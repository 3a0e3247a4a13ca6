//! What the smooth maps miss: steps, found by a mixture over all prunings of a tree.
//!
//! The tree halves the rows by their rank. In a node the truth is the smooth map, or the smooth map
//! shifted by a constant on the scale of logits; or the node's two halves have truths of their own. The
//! evidence of a node is that of its own shift and that of its halves, half each, from the leaves up, so
//! that every pruning of the tree is weighed by how well it explains the labels (as in context-tree
//! weighting). Given the labels, the shift of a cell is the mean over the nodes on its way down.
//!
//! Where predictions take few values each gets a frequency of its own, shrunk towards the smooth map; a
//! truth of any shape is approached as rows come in; and where the smooth map is right, the tree says so
//! in its root.

use fearless_simd::{Level, Simd, dispatch};
use serde::{Deserialize, Serialize};

use super::cells::Cell;
use super::models::precision;
use super::spans::Spans;
use crate::numeric::simplex::is_moderate;

/// How likely it is beforehand that a node needs no shift, if it is not split.
const LEVEL: f64 = 0.8;

/// The shifts' standard deviations beforehand, all as likely.
const SPREADS: [f64; 3] = [0.1, 0.35, 1.2];

/// Where the roots of the trees are cut, whose shifts are averaged: no border is the same in two trees, so
/// that a smooth truth is approached by finer steps.
const FIRST_CUTS: [f64; 3] = [0.5, 1.0 / 3.0, 2.0 / 3.0];

/// How often a node's shift is improved at most; a step below [`STILL`] ends it, since the parabola that takes
/// the likelihood's place is as good a step away from the mode.
const STEPS: usize = 20;
const STILL: f64 = 1e-5;

/// Distances that differ by less than this share are equal: the order of sums must not decide.
const ROUNDING: f64 = 1e-9;

/// Shifts below this change nothing: a tree without larger ones is not kept.
const LEAST_SHIFT: f64 = 1e-4;

/// A shift of the logit that is level between borders.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Steps {
    borders: Vec<f64>,
    shifts: Vec<f64>,
}

/// A node: its cells, and what its labels say.
struct Node {
    from: usize,
    to: usize,
    /// Its halves: the numbers of the first and the second, if it has any.
    halves: Option<(usize, usize)>,
    /// The mean of its own shift, given the labels.
    shift: f64,
    /// The log evidence of "this node is not split", beside that of no shift.
    own: f64,
}

impl Steps {
    /// Fits a tree over cells of rows, ascending by their `logits`, to what is left by a map that gives
    /// them the logits `smooth`.
    pub fn fit(cells: &[Cell], logits: &[f64], smooth: &[f64]) -> Self {
        let mut mass = Vec::with_capacity(cells.len() + 1);
        mass.push(0.0);
        for cell in cells {
            mass.push(mass[mass.len() - 1] + cell.mass);
        }
        let mut shifts = vec![0.0; cells.len()];
        dispatch!(Level::new(), simd => {
            let spans = Spans::new(simd, cells, smooth);
            for first in FIRST_CUTS {
                let share = 1.0 / FIRST_CUTS.len() as f64;
                let tree = averaged(&grown(simd, &spans, &mass, first), cells.len());
                shifts.iter_mut().zip(tree).for_each(|(mean, shift)| *mean += share * shift);
            }
        });
        if shifts.iter().all(|shift| shift.abs() < LEAST_SHIFT) {
            return Self::default();
        }
        let borders = logits.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
        Self { borders, shifts }
    }

    /// The shift of a logit.
    pub fn at(&self, logit: f64) -> f64 {
        if self.shifts.is_empty() {
            return 0.0;
        }
        self.shifts[self.borders.partition_point(|&border| border <= logit)]
    }

    /// Whether loaded numbers fit together.
    pub fn is_sound(&self) -> bool {
        let counted = self.shifts.len() == self.borders.len() + 1;
        (counted || (self.shifts.is_empty() && self.borders.is_empty()))
            && self.borders.is_sorted()
            && self.borders.iter().chain(&self.shifts).all(|&value| is_moderate(value))
    }
}

impl Node {
    /// A node over some of the cells; its shift is looked for from `start` on.
    #[inline(always)]
    fn new<S: Simd>(simd: S, spans: &Spans, from: usize, to: usize, start: f64) -> Self {
        // The widest of the spreads keeps the shift of labels that are all alike finite.
        let widest = precision(SPREADS[SPREADS.len() - 1]);
        let mut mode = start;
        let (mut slope, mut bend) = spans.slopes(simd, from, to, mode);
        for _ in 0..STEPS {
            let step = ((slope - mode * widest) / (bend + widest)).clamp(-1.0, 1.0);
            if step.abs() < STILL {
                break;
            }
            mode += step;
            (slope, bend) = spans.slopes(simd, from, to, mode);
        }
        let gain = if mode.abs() > 0.0 { spans.gain(simd, from, to, mode) } else { 0.0 };
        // The log likelihood is a parabola about the mode: with a normal prior, so is the posterior.
        let line = slope + bend * mode;
        let level = gain - slope * mode - 0.5 * bend * mode * mode;
        let mut evidence = [(LEVEL.ln(), 0.0); 1 + SPREADS.len()];
        for (evidence, spread) in evidence[1..].iter_mut().zip(SPREADS) {
            let precision = bend + precision(spread);
            let prior = ((1.0 - LEVEL) / SPREADS.len() as f64).ln();
            let log =
                level + 0.5 * line * line / precision - 0.5 * (spread * spread * precision).ln();
            *evidence = (prior + log, line / precision);
        }
        let own = log_sum(evidence.iter().map(|(log, _)| *log));
        let shift = evidence.iter().map(|(log, shift)| (log - own).exp() * shift).sum();
        Self { from, to, halves: None, shift, own }
    }
}

/// A tree over cells whose masses add up so: its root is cut at a share of the rows, other nodes in their
/// middle. Halves come after what they are halves of.
#[inline(always)]
fn grown<S: Simd>(simd: S, spans: &Spans, mass: &[f64], first: f64) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(2 * mass.len());
    nodes.push(Node::new(simd, spans, 0, mass.len() - 1, 0.0));
    let mut at = 0;
    while at < nodes.len() {
        let (from, to, shift) = (nodes[at].from, nodes[at].to, nodes[at].shift);
        if to - from > 1 {
            let share = if at == 0 { first } else { 0.5 };
            let middle = mass[from] + share * (mass[to] - mass[from]);
            let cut = mass[from..=to].partition_point(|&mass| mass < middle) + from;
            // The border that is nearer to the middle, with a cell on either side.
            let nearer = cut > from && {
                let (before, after) = (middle - mass[cut - 1], mass[cut.min(to)] - middle);
                before < after * (1.0 - ROUNDING)
            };
            let cut = (cut - usize::from(nearer)).clamp(from + 1, to - 1);
            nodes[at].halves = Some((nodes.len(), nodes.len() + 1));
            nodes.push(Node::new(simd, spans, from, cut, shift));
            nodes.push(Node::new(simd, spans, cut, to, shift));
        }
        at += 1;
    }
    nodes
}

/// The mean shift of every cell over all prunings, given the labels.
fn averaged(nodes: &[Node], cells: usize) -> Vec<f64> {
    let half = 0.5f64.ln();
    let mut whole: Vec<f64> = nodes.iter().map(|node| node.own).collect();
    let mut split = vec![0.0; nodes.len()];
    for (at, node) in nodes.iter().enumerate().rev() {
        if let Some((first, second)) = node.halves {
            let halves = half + whole[first] + whole[second];
            whole[at] = log_sum([half + node.own, halves].into_iter());
            split[at] = (halves - whole[at]).exp();
        }
    }
    let mut shifts = vec![0.0; cells];
    let mut reached = vec![1.0; nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        let own = reached[at] * (1.0 - split[at]) * node.shift;
        shifts[node.from..node.to].iter_mut().for_each(|shift| *shift += own);
        if let Some((first, second)) = node.halves {
            (reached[first], reached[second]) = (reached[at] * split[at], reached[at] * split[at]);
        }
    }
    shifts
}

fn log_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    largest + logs.map(|log| (log - largest).exp()).sum::<f64>().ln()
}
