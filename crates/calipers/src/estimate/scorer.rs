//! A metric at work: what it makes of f, g and a label.

use ndarray::{ArrayView2, ArrayViewMut2, Axis};
use rayon::prelude::*;

use super::bound::Possible;
use crate::error::Result;
use crate::loss::{BinaryNorm, Metric, ProperLoss, Purpose, Scope, Side};
use crate::run::stop;

/// Numbers (rows × classes) that are scored together, unless the loss asks for another number of rows.
const NUMBERS: usize = 1 << 15;

/// Numbers that are scored before the next are looked at.
const NEAR: usize = 1 << 10;

/// A metric of so many classes, ready to score rows.
pub(crate) struct Scorer {
    /// The metric's name.
    pub name: String,
    /// Which problem it is measured on.
    pub scope: Scope,
    /// Which share of the error it is.
    pub side: Option<Side>,
    /// What multiplies its scores.
    pub factor: f64,
    loss: Box<dyn ProperLoss>,
}

/// What the score of a row is and could have been.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Scored {
    /// What the estimate and its standard error are taken from.
    pub plain: Possible,
    /// What the lower bound is taken from, if that is something else.
    pub hedged: Option<Possible>,
}

impl Scorer {
    /// That of a metric.
    ///
    /// # Errors
    /// A metric that so many classes do not have.
    pub fn new(metric: &Metric, classes: usize, binary: BinaryNorm, floor: f64) -> Result<Self> {
        let whole_pair = metric.scope() == Scope::Canonical && classes == 2;
        let factor = match binary {
            BinaryNorm::Vector if whole_pair => metric.vector_factor(),
            _ => 1.0,
        };
        Ok(Self {
            name: metric.to_string(),
            scope: metric.scope(),
            side: metric.side(),
            factor,
            loss: metric.loss(classes, floor)?,
        })
    }

    /// What its loss needs of g.
    pub fn purpose(&self) -> Purpose {
        self.loss.purpose()
    }

    /// Its loss.
    pub fn loss(&self) -> &dyn ProperLoss {
        self.loss.as_ref()
    }

    /// Whether the lower bound is taken from other scores than the estimate.
    pub fn hedges(&self) -> bool {
        self.loss.hedge() > 0.0
    }

    /// Whether the rows of a fold are scored as soon as they are predicted: those of many classes, whose
    /// predictions take more room than their scores, and those of losses that want to see many at once.
    pub fn scores_at_once(&self, classes: usize) -> bool {
        classes > 2 || self.loss.block() > 1
    }

    /// Scores rows, some at a time.
    pub fn blocks(
        &self,
        f: ArrayView2<'_, f64>,
        g: ArrayView2<'_, f64>,
        labels: &[u32],
    ) -> Vec<Scored> {
        let size = self.loss.block().max((NUMBERS / f.ncols()).max(1));
        let parts = labels.par_chunks(size).enumerate().map(|(number, labels)| {
            if stop::requested() {
                return vec![Scored::default(); labels.len()];
            }
            let rows = (number * size..number * size + labels.len()).into();
            self.block(f.slice_axis(Axis(0), rows), g.slice_axis(Axis(0), rows), labels)
        });
        parts.flatten_iter().collect()
    }

    /// Scores a block of rows.
    pub fn block(
        &self,
        f: ArrayView2<'_, f64>,
        g: ArrayView2<'_, f64>,
        labels: &[u32],
    ) -> Vec<Scored> {
        let (f, g) = (f.as_standard_layout(), g.as_standard_layout());
        let mut scored = Vec::with_capacity(labels.len());
        let Some((f, g)) = f.as_slice().zip(g.as_slice()) else { return scored };
        // What is made of a few rows stays in the nearest cache.
        let classes = f.len() / labels.len().max(1);
        let rows = self.loss.block().max(NEAR / classes.max(1));
        let some = rows * classes.max(1);
        let (mut scores, mut mixed) = (vec![0.0; some], vec![0.0; some]);
        for ((f, g), labels) in f.chunks(some).zip(g.chunks(some)).zip(labels.chunks(rows)) {
            let shape = (labels.len(), classes);
            let scores = &mut scores[..f.len()];
            self.all_scores(shape, f, g, scores);
            let first = scored.len();
            let each = || f.chunks_exact(classes).zip(labels);
            for ((f, &label), scores) in each().zip(scores.chunks_exact(classes)) {
                let plain = self.possible(f, scores, label as usize);
                scored.push(Scored { plain, hedged: None });
            }
            let hedge = self.loss.hedge();
            if hedge <= 0.0 {
                continue;
            }
            let mixed = &mut mixed[..f.len()];
            for (mixed, (f, g)) in mixed.iter_mut().zip(f.iter().zip(g)) {
                *mixed = g + hedge * (f - g);
            }
            self.all_scores(shape, f, mixed, scores);
            let known = scored[first..].iter_mut();
            for (((f, &label), scores), known) in
                each().zip(scores.chunks_exact(classes)).zip(known)
            {
                known.hedged = Some(self.possible(f, scores, label as usize));
            }
        }
        scored
    }

    /// Writes the scores of all classes of some rows.
    fn all_scores(&self, shape: (usize, usize), f: &[f64], g: &[f64], scores: &mut [f64]) {
        let tables = [f, g].map(|table| ArrayView2::from_shape(shape, table));
        let [Ok(f), Ok(g)] = tables else { return };
        if let Ok(scores) = ArrayViewMut2::from_shape(shape, scores) {
            self.loss.block_scores(f, g, scores);
        }
    }

    /// What the score of a row is and could have been, from those of all classes.
    #[inline]
    fn possible(&self, f: &[f64], scores: &[f64], label: usize) -> Possible {
        match self.scope {
            Scope::Classwise => Possible::of_one_class(f, scores, label),
            Scope::Canonical | Scope::Top => Possible::of(f, scores, label),
        }
    }
}
