//! A block of rows on its way through a stream.

use std::ops::Range;

use super::identity::Identities;
use crate::data::{Folds, Predictions, Probabilities, Probs};
use crate::error::{Error, Result};

/// Some rows, borrowed: predictions, what was observed, and who they are.
///
/// ```
/// use calipers::{Identities, Probabilities, Rows};
///
/// let f = Probabilities::binary(vec![0.2, 0.7])?;
/// let rows = Rows::new(&f, &[0, 1], Identities::Numbered { part: 0, first: 0 })?
///     .weights(&[1.0, 2.0])?;
/// assert_eq!(rows.count(), 2);
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    pub(super) f: Probs<'a>,
    pub(super) renormalised: u64,
    pub(super) labels: &'a [u32],
    pub(super) identities: Identities<'a>,
    pub(super) weights: Option<&'a [f64]>,
    pub(super) groups: Option<Coded<'a>>,
    pub(super) folds: Option<&'a [u32]>,
}

/// A word a row, as a code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coded<'a> {
    pub codes: &'a [u32],
    /// The word of each code, where it is known yet.
    pub names: Option<&'a [String]>,
}

impl<'a> Rows<'a> {
    /// Predictions with labels and identities, one a row.
    ///
    /// # Errors
    /// Lengths that differ.
    pub fn new(
        f: &'a Probabilities<'_>,
        labels: &'a [u32],
        identities: Identities<'a>,
    ) -> Result<Self> {
        check("labels", f.rows(), labels.len())?;
        check("keys", f.rows(), identities.count().unwrap_or(f.rows()))?;
        let (f, renormalised) = (f.held().view(), f.renormalised_rows() as u64);
        Ok(Self { f, renormalised, labels, identities, weights: None, groups: None, folds: None })
    }

    /// Their weights, which the caller has checked: not negative, finite.
    ///
    /// # Errors
    /// A length that differs.
    pub fn weights(mut self, weights: &'a [f64]) -> Result<Self> {
        check("weights", self.count(), weights.len())?;
        self.weights = Some(weights);
        Ok(self)
    }

    /// Their groups, as codes of names.
    ///
    /// # Errors
    /// A length that differs, a code that no name has.
    pub fn groups(mut self, codes: &'a [u32], names: &'a [String]) -> Result<Self> {
        check("groups", self.count(), codes.len())?;
        if let Some(&code) = codes.iter().find(|&&code| code as usize >= names.len()) {
            let (expected, found) = (names.len(), code as usize + 1);
            return Err(Error::Length { what: "names of groups", expected, found });
        }
        self.groups = Some(Coded { codes, names: Some(names) });
        Ok(self)
    }

    /// Their groups, as codes of names that are not all known yet: enough for a
    /// [`Sampler`](crate::Sampler).
    ///
    /// # Errors
    /// A length that differs.
    pub fn group_codes(mut self, codes: &'a [u32]) -> Result<Self> {
        check("groups", self.count(), codes.len())?;
        self.groups = Some(Coded { codes, names: None });
        Ok(self)
    }

    /// Their folds, as any numbers: rows of one number are held out together.
    ///
    /// # Errors
    /// A length that differs.
    pub fn folds(mut self, folds: &'a [u32]) -> Result<Self> {
        check("folds", self.count(), folds.len())?;
        self.folds = Some(folds);
        Ok(self)
    }

    /// The rows of predictions in memory, which are who they are by their place; with folds where they were
    /// given.
    pub(super) fn of(predictions: &'a Predictions<'_>, folds: &'a Folds) -> Self {
        Self {
            f: predictions.held().view(),
            renormalised: 0,
            labels: predictions.labels(),
            identities: Identities::Numbered { part: 0, first: 0 },
            weights: predictions.weights(),
            groups: predictions
                .groups()
                .map(|groups| Coded { codes: &groups.ids, names: Some(&groups.names) }),
            folds: match folds {
                Folds::Given { ids, .. } => Some(ids),
                Folds::Shuffled(_) => None,
            },
        }
    }

    /// Some of the rows.
    pub(super) fn some(&self, range: Range<usize>) -> Rows<'_> {
        let (from, to) = (range.start, range.end);
        Rows {
            f: self.f.some(range),
            renormalised: 0,
            labels: &self.labels[from..to],
            identities: self.identities.some(from..to),
            weights: self.weights.map(|all| &all[from..to]),
            groups: self.groups.map(|all| Coded { codes: &all.codes[from..to], ..all }),
            folds: self.folds.map(|all| &all[from..to]),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.labels.len()
    }

    /// The weight of a row; 1 if there are none.
    #[inline]
    pub(super) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }
}

fn check(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}
