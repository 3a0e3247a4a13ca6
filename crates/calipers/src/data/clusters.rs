//! Rows that belong together: those of a patient, of a document, of a stretch of time.

use std::collections::HashMap;
use std::hash::Hash;

use rand::seq::SliceRandom;

use crate::error::{Error, Result};
use crate::numeric::random::generator;

/// Times are cut into at most so many stretches: Student's quantile of fewer is wide, and more of them leave
/// less between the rows of two that are not neighbours.
const STRETCHES: usize = 50;

/// Rows in a stretch of time at least, where there are rows enough.
const ROWS: usize = 20;

/// Which cluster each row belongs to. Rows of one may share their fate; those of two are independent.
///
/// ```
/// use calipers::Predictions;
///
/// let predictions = Predictions::binary(&[0.2, 0.4, 0.9], &[0, 1, 1])?.with_clusters(&["a", "b", "a"])?;
/// assert_eq!(predictions.clusters().unwrap().count(), 2);
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clusters {
    ids: Vec<u32>,
    count: usize,
    /// Whether clusters of neighbouring numbers are neighbours, too.
    ordered: bool,
}

impl Clusters {
    /// Clusters by names, numbers or whatever else tells them apart, one a row.
    pub(crate) fn of<K: Hash + Eq>(names: impl IntoIterator<Item = K>) -> Self {
        let mut numbers: HashMap<K, u32> = HashMap::new();
        let number = |name| {
            let next = numbers.len() as u32;
            *numbers.entry(name).or_insert(next)
        };
        let ids: Vec<u32> = names.into_iter().map(number).collect();
        Self { count: numbers.len(), ids, ordered: false }
    }

    /// Stretches of time, of nearly equal numbers of rows; rows of one time are in one stretch.
    pub(crate) fn of_times(times: &[f64]) -> Self {
        let rows = times.len();
        let mut order: Vec<usize> = (0..rows).collect();
        order.sort_by(|&one, &other| times[one].total_cmp(&times[other]));
        let stretches = (rows / ROWS).clamp(1, STRETCHES).max(rows.min(ROWS));
        let mut ids = vec![0; rows];
        let (mut last, mut count) = (None, 0);
        for (place, &row) in order.iter().enumerate() {
            let due = place * stretches / rows;
            let new = last.is_none_or(|last: f64| times[row] > last);
            if new && (count == 0 || due >= count) {
                count += 1;
            }
            ids[row] = count as u32 - 1;
            last = Some(times[row]);
        }
        Self { ids, count, ordered: true }
    }

    /// The number of each row's cluster.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether they are stretches of time.
    pub fn are_stretches(&self) -> bool {
        self.ordered
    }

    /// Those of some of the rows.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let own = Self::of(rows.iter().map(|&row| self.ids[row]));
        if !self.ordered {
            return own;
        }
        // Numbered in their order again.
        let mut kept: Vec<u32> = rows.iter().map(|&row| self.ids[row]).collect();
        kept.sort_unstable();
        kept.dedup();
        let place = |&row: &usize| kept.partition_point(|&id| id < self.ids[row]) as u32;
        Self { ids: rows.iter().map(place).collect(), ordered: true, ..own }
    }

    /// Whether any has rows of more than one group.
    pub(crate) fn span(&self, groups: &[u32]) -> bool {
        let mut group_of: Vec<Option<u32>> = vec![None; self.count];
        let mut rows = self.ids.iter().zip(groups);
        rows.any(|(&id, &group)| *group_of[id as usize].get_or_insert(group) != group)
    }

    /// Refuses fewer clusters than folds, and given folds that divide a cluster.
    pub(crate) fn check(&self, folds: usize, given: Option<&[u32]>) -> Result<()> {
        let fault = |reason| Err(Error::Setting { name: "clusters", reason });
        if self.count < folds {
            let (found, one) = (self.count, if self.count == 1 { " is" } else { "s are" });
            return fault(format!(
                "{found} cluster{one} too few for {folds} folds: every fold needs one"
            ));
        }
        let mut fold_of: Vec<Option<u32>> = vec![None; self.count];
        for (row, &fold) in given.unwrap_or_default().iter().enumerate() {
            let known = fold_of[self.ids[row] as usize].get_or_insert(fold);
            if *known != fold {
                return fault(format!(
                    "row {row}: its cluster has rows in another fold, too; rows that belong together must be \
                     held out together"
                ));
            }
        }
        Ok(())
    }

    /// The fold of each row: clusters are dealt whole, the largest first, each to the fold that has the
    /// fewest rows; stretches of time are dealt in their order, so that a fold is one piece of it.
    pub(crate) fn deal(&self, folds: usize, seed: u64, repeat: usize) -> Vec<u32> {
        let mut sizes = vec![0usize; self.count];
        self.ids.iter().for_each(|&id| sizes[id as usize] += 1);
        let mut fold_of = vec![0u32; self.count];
        if self.ordered {
            let mut before = 0;
            for (number, size) in sizes.iter().enumerate() {
                // The fold that the middle of the stretch is in, but none is left empty.
                let middle = (2 * before + size) * folds / (2 * self.ids.len()).max(1);
                let (least, most) = ((number + folds).saturating_sub(self.count), number);
                let last = if number == 0 { 0 } else { fold_of[number - 1] as usize + 1 };
                fold_of[number] = middle.clamp(least, most).min(last).min(folds - 1) as u32;
                before += size;
            }
        } else {
            let mut order: Vec<usize> = (0..self.count).collect();
            order.shuffle(&mut generator(seed, repeat as u64));
            order.sort_by_key(|&cluster| std::cmp::Reverse(sizes[cluster]));
            let mut rows = vec![0usize; folds];
            for cluster in order {
                let fold = (0..folds).min_by_key(|&fold| rows[fold]).unwrap_or(0);
                rows[fold] += sizes[cluster];
                fold_of[cluster] = fold as u32;
            }
        }
        self.ids.iter().map(|&id| fold_of[id as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(folds: &[u32], count: u32) -> Vec<usize> {
        (0..count).map(|fold| folds.iter().filter(|&&own| own == fold).count()).collect()
    }

    #[test]
    fn clusters_are_dealt_whole_and_folds_are_of_nearly_equal_size() {
        // Sizes 40, 1, 1, ….
        let names: Vec<usize> = (0..200usize).map(|row| row.saturating_sub(39)).collect();
        let clusters = Clusters::of(&names);
        assert_eq!(clusters.count(), 161);
        let folds = clusters.deal(5, 3, 0);
        assert_eq!(sizes(&folds, 5), [40; 5]);
        assert!(folds[..40].iter().all(|fold| *fold == folds[0]));
        assert_eq!(folds, clusters.deal(5, 3, 0));
        assert_ne!(folds, clusters.deal(5, 3, 1));
        assert_ne!(folds, clusters.deal(5, 4, 0));
    }

    #[test]
    fn stretches_of_time_are_in_order_and_so_are_their_folds() {
        let times: Vec<f64> = (0..1000).map(|row| f64::from((row * 7) % 1000)).collect();
        let clusters = Clusters::of_times(&times);
        assert_eq!(clusters.count(), 50);
        let folds = clusters.deal(5, 0, 0);
        assert_eq!(sizes(&folds, 5), [200; 5]);
        for (one, other) in (1..1000).map(|row| (row - 1, row)) {
            let ascends = times[one] < times[other];
            let ids = [one, other].map(|row| clusters.ids()[row]);
            assert!(if ascends { ids[0] <= ids[1] } else { ids[0] >= ids[1] });
            let folds = [one, other].map(|row| folds[row]);
            assert!(if ascends { folds[0] <= folds[1] } else { folds[0] >= folds[1] });
        }
    }

    #[test]
    fn rows_of_one_time_stay_together_and_no_fold_is_empty() {
        // Nine tenths of the rows have the first time.
        let times: Vec<f64> = (0..100).map(|row| f64::from((row - 90).max(0))).collect();
        let clusters = Clusters::of_times(&times);
        assert!(clusters.ids()[..91].iter().all(|id| *id == 0));
        assert!(clusters.check(5, None).is_ok(), "{}", clusters.count());
        let folds = clusters.deal(5, 0, 0);
        assert!(sizes(&folds, 5).iter().all(|size| *size > 0), "{:?}", sizes(&folds, 5));
        assert_eq!(Clusters::of_times(&[1.0; 30]).count(), 1);
    }

    #[test]
    fn a_part_keeps_what_belongs_together() {
        let clusters = Clusters::of(["a", "b", "a", "c", "b"]);
        assert_eq!(clusters.select(&[1, 3, 4]), Clusters::of([0, 1, 0]));
        let times = Clusters::of_times(&[5.0, 3.0, 1.0, 4.0]);
        let part = times.select(&[0, 2, 3]);
        assert_eq!((part.ids(), part.count(), part.are_stretches()), (&[2, 0, 1][..], 3, true));
    }

    #[test]
    fn too_few_clusters_and_folds_that_divide_them_are_refused() {
        let clusters = Clusters::of(["a", "b", "a", "c"]);
        let refused =
            |folds, given: Option<&[u32]>| clusters.check(folds, given).unwrap_err().to_string();
        assert_eq!(
            refused(5, None),
            "clusters: 3 clusters are too few for 5 folds: every fold needs one"
        );
        assert_eq!(
            refused(2, Some(&[0, 1, 1, 1])),
            "clusters: row 2: its cluster has rows in another fold, too; rows that belong together must be \
             held out together"
        );
        assert!(clusters.check(2, Some(&[0, 1, 0, 1])).is_ok());
    }
}
