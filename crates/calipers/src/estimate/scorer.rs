//! A metric at work: what it makes of f, g and a label.

use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

use super::bound::Possible;
use crate::error::Result;
use crate::loss::{BinaryNorm, Metric, ProperLoss, Purpose, Scope, Side};
use crate::run::stop;

/// Numbers (rows × classes) that are scored together, unless the loss asks for another number of rows.
const NUMBERS: usize = 1 << 15;

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
    /// A metric that so many classes, or a stated confidence, do not have.
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
            loss: metric.loss(classes, binary, floor)?,
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

    /// Scores one row; the buffers have a place a class.
    #[inline]
    pub fn row(&self, f: &[f64], g: &[f64], label: usize, buffers: &mut Buffers) -> Scored {
        self.loss.class_scores(f, g, &mut buffers.scores);
        let plain = self.possible(f, &buffers.scores, label);
        let hedge = self.loss.hedge();
        if hedge <= 0.0 {
            return Scored { plain, hedged: None };
        }
        for (mixed, (f, g)) in buffers.mixed.iter_mut().zip(f.iter().zip(g)) {
            *mixed = g + hedge * (f - g);
        }
        self.loss.class_scores(f, &buffers.mixed, &mut buffers.scores);
        Scored { plain, hedged: Some(self.possible(f, &buffers.scores, label)) }
    }

    /// By how much one g's scores of some rows are above another's, and could have been.
    pub fn between(
        &self,
        f: ArrayView2<'_, f64>,
        [g, other]: [ArrayView2<'_, f64>; 2],
        labels: &[u32],
    ) -> Vec<Possible> {
        let [mut scores, mut others] = [Array2::zeros(f.dim()), Array2::zeros(f.dim())];
        self.loss.block_scores(f, g, scores.view_mut());
        self.loss.block_scores(f, other, others.view_mut());
        // Where both are infinite there is no telling them apart.
        scores.zip_mut_with(&others, |score, other| {
            *score = if score.total_cmp(other).is_eq() { 0.0 } else { *score - other };
        });
        let rows = f.rows().into_iter().zip(scores.rows()).zip(labels);
        rows.map(|((f, scores), &label)| {
            self.possible(&f.to_vec(), &scores.to_vec(), label as usize)
        })
        .collect()
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

    /// Scores a block of rows, all of one shape, for losses that want to see many rows at once.
    pub fn block(
        &self,
        f: ArrayView2<'_, f64>,
        g: ArrayView2<'_, f64>,
        labels: &[u32],
    ) -> Vec<Scored> {
        if self.loss.block() > 1 {
            let mut scores = Array2::zeros(f.dim());
            self.loss.block_scores(f, g, scores.view_mut());
            let rows = f.rows().into_iter().zip(scores.rows()).zip(labels);
            let scored = |((f, scores), label): ((ndarray::ArrayView1<'_, f64>, _), &u32)| {
                let scores: ndarray::ArrayView1<'_, f64> = scores;
                let plain = self.possible(&f.to_vec(), &scores.to_vec(), *label as usize);
                Scored { plain, hedged: None }
            };
            return rows.map(scored).collect();
        }
        let mut buffers = Buffers::new(f.ncols());
        let (f, g) = (f.as_standard_layout(), g.as_standard_layout());
        let rows = f.rows().into_iter().zip(g.rows()).zip(labels);
        rows.map(|((f, g), label)| match (f.as_slice(), g.as_slice()) {
            (Some(f), Some(g)) => self.row(f, g, *label as usize, &mut buffers),
            _ => Scored::default(),
        })
        .collect()
    }

    /// What the score of a row is and could have been, from those of all classes.
    pub fn possible(&self, f: &[f64], scores: &[f64], label: usize) -> Possible {
        match self.scope {
            Scope::Classwise => Possible::of_one_class(f, scores, label),
            Scope::Canonical | Scope::Top => Possible::of(f, scores, label),
        }
    }
}

/// Room for what one row needs.
pub(crate) struct Buffers {
    scores: Vec<f64>,
    mixed: Vec<f64>,
}

impl Buffers {
    /// For so many classes.
    pub fn new(classes: usize) -> Self {
        Self { scores: vec![0.0; classes], mixed: vec![0.0; classes] }
    }
}
