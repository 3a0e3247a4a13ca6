//! The problem that a scope measures: the whole vector, the top class, or one class against the
//! rest.

use std::borrow::Cow;
use std::sync::Arc;

use rayon::prelude::*;

use crate::data::{Clusters, FeatureRows, Features, Predictions, Probs, Sample};
use crate::loss::Scope;
use crate::numeric::order::ascending;
use crate::numeric::simplex::argmax;

/// Predictions and labels of one problem, in the user's order.
pub(crate) struct Problem<'a> {
    probs: Probs<'a>,
    labels: Cow<'a, [u32]>,
    weights: Option<&'a [f64]>,
    clusters: Option<&'a Clusters>,
    /// What g may see beside f.
    features: Option<&'a Arc<Features>>,
    sorted: Option<Sorted>,
}

/// The rows of a two-class problem once more, in ascending order of f₁: sorted once here, every
/// fold's training rows are sorted already, and maps of one variable need not sort again.
struct Sorted {
    /// The user's row at each place.
    order: Arc<[u32]>,
    probs: Probs<'static>,
    labels: Vec<u32>,
    weights: Option<Vec<f64>>,
}

/// The rows of a two-class problem in ascending order of f₁.
#[derive(Clone, Copy)]
pub(crate) struct Ascending<'a> {
    pub pairs: &'a [[f64; 2]],
    pub labels: &'a [u32],
    /// None if all rows count alike.
    pub weights: Option<&'a [f64]>,
}

impl Ascending<'_> {
    /// Where cells of about so many rows begin, and where the last ends: rows of one prediction, to the bit,
    /// are never divided.
    pub fn cut(&self, size: usize) -> Vec<usize> {
        let (count, mut starts, mut from) = (self.pairs.len(), vec![0], 0);
        while from < count {
            let mut to = (from + size.max(1)).min(count);
            let last = self.pairs[to - 1][1].to_bits();
            to += self.pairs[to..].iter().take_while(|pair| pair[1].to_bits() == last).count();
            starts.push(to);
            from = to;
        }
        starts
    }

    /// The weight of a row; 1 if all count alike.
    pub fn weight(&self, place: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[place])
    }
}

/// The problems of a scope, made one at a time: all at once would take many times the memory of the
/// predictions where there are many classes.
pub(crate) struct Problems<'a, 'd> {
    predictions: &'a Predictions<'d>,
    scope: Scope,
    /// What g may see beside f.
    features: Option<&'a Arc<Features>>,
    /// The order of each problem's rows, where it will be needed again.
    orders: Option<Vec<Option<Arc<[u32]>>>>,
}

impl<'a, 'd> Problems<'a, 'd> {
    /// Those of a scope; made `again`, they are not sorted again.
    pub fn new(predictions: &'a Predictions<'d>, scope: Scope, again: bool) -> Self {
        let mut problems = Self { predictions, scope, features: None, orders: None };
        problems.orders = again.then(|| vec![None; problems.count()]);
        problems
    }

    /// The same, in which g sees features beside f.
    pub fn given(self, features: Option<&'a Arc<Features>>) -> Self {
        Self { features, ..self }
    }

    /// Which scope it is.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        match self.scope {
            Scope::Canonical | Scope::Top => 1,
            Scope::Classwise => self.predictions.classes(),
        }
    }

    /// Makes one of them.
    pub fn problem(&mut self, number: usize) -> Problem<'a> {
        let known = self.orders.as_mut().map(|orders| &mut orders[number]);
        let order = known.as_ref().and_then(|order| order.as_ref().map(Arc::clone));
        let mut problem = Problem::in_order(self.predictions, self.scope, number, order);
        problem.features = self.features;
        if let (Some(known), Some(sorted)) = (known, &problem.sorted) {
            *known = Some(Arc::clone(&sorted.order));
        }
        problem
    }
}

impl<'a> Problem<'a> {
    /// One problem of a scope.
    pub fn new(predictions: &'a Predictions<'_>, scope: Scope, number: usize) -> Self {
        Self::in_order(predictions, scope, number, None)
    }

    /// One problem of a scope, whose order may be known.
    fn in_order(
        predictions: &'a Predictions<'_>,
        scope: Scope,
        number: usize,
        order: Option<Arc<[u32]>>,
    ) -> Self {
        match scope {
            Scope::Canonical => {
                let labels = Cow::Borrowed(predictions.labels());
                Self::finish(predictions.held().view(), labels, predictions, order)
            }
            Scope::Top => {
                let mut buffer = vec![0.0; predictions.classes()];
                let best: Vec<usize> = (0..predictions.rows())
                    .map(|row| argmax(predictions.held().row(row, &mut buffer)))
                    .collect();
                Self::two_classes(predictions, |row| best[row], order)
            }
            Scope::Classwise => Self::two_classes(predictions, |_| number, order),
        }
    }

    /// "Is it this class or not?", by the probability of that class alone.
    fn two_classes(
        predictions: &'a Predictions<'_>,
        class: impl Fn(usize) -> usize,
        order: Option<Arc<[u32]>>,
    ) -> Self {
        let mut cells = vec![0.0; 2 * predictions.rows()];
        for (row, pair) in cells.chunks_exact_mut(2).enumerate() {
            let p = predictions.held().at(row, class(row));
            pair.copy_from_slice(&[1.0 - p, p]);
        }
        let labels = predictions.labels().iter().enumerate();
        let labels = labels.map(|(row, &label)| u32::from(label as usize == class(row))).collect();
        Self::finish(Probs::trusted(cells.into(), 2), labels, predictions, order)
    }

    fn finish(
        probs: Probs<'a>,
        labels: Cow<'a, [u32]>,
        predictions: &'a Predictions<'_>,
        order: Option<Arc<[u32]>>,
    ) -> Self {
        let (weights, clusters) = (predictions.weights(), predictions.clusters());
        let two = probs.classes() == 2;
        let sorted = two.then(|| Sorted::new(&probs, &labels, weights, order));
        Self { probs, labels, weights, clusters, features: None, sorted }
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.probs.classes()
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// Which rows belong together, if that was said.
    pub fn clusters(&self) -> Option<&'a Clusters> {
        self.clusters
    }

    /// The rows in ascending order of f₁, if there are two classes.
    pub fn ascending(&self) -> Option<Ascending<'_>> {
        let sorted = self.sorted.as_ref()?;
        let weights = sorted.weights.as_deref();
        let differ = |weights: &&[f64]| {
            weights.windows(2).any(|pair| pair[0].to_bits() != pair[1].to_bits())
        };
        Some(Ascending {
            pairs: sorted.probs.as_slice()?.as_chunks().0,
            labels: &sorted.labels,
            weights: weights.filter(differ),
        })
    }

    /// Brings fold ids, or labels, into the order in which training rows are held.
    pub fn arrange<'f>(&self, folds: &'f [u32]) -> Cow<'f, [u32]> {
        match &self.sorted {
            None => Cow::Borrowed(folds),
            Some(sorted) => {
                let order = sorted.order.par_iter();
                Cow::Owned(order.map(|&row| folds[row as usize]).collect())
            }
        }
    }

    /// Fills a sample with the rows outside a fold, to learn from, or with all rows; false if all
    /// have weight 0. The fold ids are arranged ones.
    pub fn training(&self, arranged: &[u32], fold: Option<u32>, sample: &mut Sample) -> bool {
        let outside = |place: usize| fold.is_none_or(|fold| arranged[place] != fold);
        let filled = match &self.sorted {
            None => sample.fill(&self.probs, &self.labels, self.weights, outside),
            Some(Sorted { probs, labels, weights, .. }) => {
                sample.fill(probs, labels, weights.as_deref(), outside)
            }
        };
        if let Some(features) = self.features {
            let places = (0..self.rows()).filter(|&place| outside(place));
            let rows = places.map(|place| self.row_at(place)).filter(|&row| self.weight(row) > 0.0);
            let rows = rows.map(|row| row as u32);
            sample.inform(FeatureRows::of(Arc::clone(features), rows));
        }
        filled
    }

    /// The user's row at a place of the order in which training rows are held.
    fn row_at(&self, place: usize) -> usize {
        self.sorted.as_ref().map_or(place, |sorted| sorted.order[place] as usize)
    }

    /// What is known of some rows beside f, if g may see it.
    pub fn features_of(&self, rows: &[usize]) -> Option<FeatureRows> {
        let rows = rows.iter().map(|&row| row as u32);
        self.features.map(|features| FeatureRows::of(Arc::clone(features), rows))
    }

    /// Fills a sample with all rows, given other labels; false if all have weight 0.
    pub fn relabelled(&self, labels: &[u32], sample: &mut Sample) -> bool {
        sample.fill(&self.probs, labels, self.weights, |_| true)
    }

    /// Fills a sample with some of the rows, given other labels; false if all have weight 0. Labels and
    /// places are [arranged](Self::arrange) ones.
    pub fn relearnt(
        &self,
        labels: &[u32],
        included: impl Fn(usize) -> bool,
        sample: &mut Sample,
    ) -> bool {
        match &self.sorted {
            None => sample.fill(&self.probs, labels, self.weights, included),
            Some(Sorted { probs, weights, .. }) => {
                sample.fill(probs, labels, weights.as_deref(), included)
            }
        }
    }

    /// The prediction f of a row, as it is held or read into the buffer, which has one place a class.
    #[inline]
    pub fn prediction<'b>(&'b self, row: usize, buffer: &'b mut [f64]) -> &'b [f64] {
        self.probs.row(row, buffer)
    }

    /// Whether rows have weights.
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// The weights, if there are any.
    pub fn weights(&self) -> Option<&'a [f64]> {
        self.weights
    }

    /// The weight of a row; 1 if there are none.
    #[inline]
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    /// The observed class of a row.
    #[inline]
    pub fn label(&self, row: usize) -> usize {
        self.labels[row] as usize
    }
}

impl Sorted {
    fn new(
        probs: &Probs<'_>,
        labels: &[u32],
        weights: Option<&[f64]>,
        order: Option<Arc<[u32]>>,
    ) -> Self {
        match probs.as_slice() {
            Some(all) => Self::of(|row| [all[2 * row], all[2 * row + 1]], labels, weights, order),
            None => {
                let read = |row| {
                    let mut pair = [0.0; 2];
                    probs.read(row, &mut pair);
                    pair
                };
                Self::of(read, labels, weights, order)
            }
        }
    }

    fn of(
        pair: impl Fn(usize) -> [f64; 2] + Sync,
        labels: &[u32],
        weights: Option<&[f64]>,
        order: Option<Arc<[u32]>>,
    ) -> Self {
        let order = order.unwrap_or_else(|| ascending(labels.len(), |row| pair(row)[1]).into());
        let rows = || order.par_iter().map(|&row| row as usize);
        let mut sorted = vec![0.0; 2 * order.len()];
        let places = sorted.par_chunks_exact_mut(2).zip(rows());
        places.for_each(|(place, row)| place.copy_from_slice(&pair(row)));
        Self {
            probs: Probs::trusted(sorted.into(), 2),
            labels: rows().map(|row| labels[row]).collect(),
            weights: weights.map(|weights| rows().map(|row| weights[row]).collect()),
            order,
        }
    }
}
