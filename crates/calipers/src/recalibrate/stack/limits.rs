//! What bounds the cost of a fit, whatever the number of rows and of classes.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::structured::WHOLE_HESSIAN;
use crate::words::thousands;

/// Beyond this many classes nothing is learnt from the rows nearby, by trees or by kernels: as many rows as
/// can be looked at hardly show each class once. docs/choices.md, "Beyond 128 classes".
const MOST_LOCAL_CLASSES: usize = 128;

/// The most numbers (rows × classes) that the scaling learns from, and trees.
const SCALING_CELLS: usize = 1 << 24;
const TREE_CELLS: usize = 1 << 20;

/// Rows of the kernels' support: half of all, within these bounds; and the most numbers in them.
const SUPPORT_ROWS: RangeInclusive<usize> = 2_048..=8_192;
const SUPPORT_CELLS: usize = 1 << 19;

/// The most rows that the weights of the stack are fitted to: more for many classes, of which a few rows
/// hardly show any. Trees see at least as many.
const SCORED_ROWS: RangeInclusive<usize> = 2_048..=8_192;
const SCORED_ROWS_PER_CLASS: usize = 80;

/// How much of so many rows of so many classes each part of a fit looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Limits {
    pub rows: usize,
    pub classes: usize,
}

impl Limits {
    /// Rows that the scaling learns from, and with it everything else.
    pub fn scaling(self) -> usize {
        self.at_most(SCALING_CELLS / self.classes)
    }

    /// Whether there are trees and kernels.
    pub fn are_local(self) -> bool {
        self.classes <= MOST_LOCAL_CLASSES
    }

    /// Rows that trees learn from.
    pub fn trees(self) -> usize {
        self.at_most(TREE_CELLS / self.classes)
    }

    /// Rows of the kernels' support.
    pub fn support(self) -> usize {
        let rows = (self.rows / 2).clamp(*SUPPORT_ROWS.start(), *SUPPORT_ROWS.end());
        self.at_most(rows.min(SUPPORT_CELLS / self.classes))
    }

    /// Rows that the weights of the stack are fitted to.
    pub fn scored(self) -> usize {
        let most = SCORED_ROWS_PER_CLASS * self.classes;
        self.scaling().min(most.clamp(*SCORED_ROWS.start(), *SCORED_ROWS.end()))
    }

    fn at_most(self, rows: usize) -> usize {
        self.rows.min(rows.max(1))
    }

    /// The limits that were met, in words.
    pub fn names(self) -> Vec<String> {
        let part = |what: &str, rows: usize| {
            (rows < self.rows).then(|| format!("{what} {} rows", thousands(rows)))
        };
        let local = if self.are_local() {
            [part("trees grown on", self.trees()), part("kernels over", self.support())]
        } else {
            [Some(format!("no trees and kernels beyond {MOST_LOCAL_CLASSES} classes")), None]
        };
        let class_by_class = || "bags taken out of the scaling class by class".to_owned();
        let scaling = [
            part("scaling fitted to", self.scaling()),
            (self.classes > WHOLE_HESSIAN).then(class_by_class),
        ];
        let weights = part("weights of the stack fitted to", self.scored());
        scaling.into_iter().chain(local).chain([weights]).flatten().collect()
    }
}
