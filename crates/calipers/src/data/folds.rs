//! Which rows are held out together.
//!
//! Folds are shuffled without a look at the labels. Stratified folds would make the held-out label
//! frequencies complement the training ones, and the estimate would no longer be a lower bound
//! (docs/method.md, "Folds").

use std::collections::BTreeMap;

use rand::seq::SliceRandom;

use super::clusters::Clusters;
use crate::error::{Error, Result};
use crate::numeric::random::generator;

/// How rows are dealt into folds.
///
/// ```
/// use calipers::Folds;
///
/// let plain = Folds::Shuffled(5);
/// let given = Folds::from_ids(&[2021, 2022, 2022, 2023])?;
/// assert_eq!(given.count(), 3);
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Folds {
    /// This many folds of nearly equal size, drawn from the seed.
    Shuffled(usize),
    /// The user's own: a fold's number for each row.
    Given {
        /// The number of the fold that each row belongs to, from 0.
        ids: Vec<u32>,
        /// How many folds there are.
        count: usize,
    },
}

impl Default for Folds {
    fn default() -> Self {
        Folds::Shuffled(5)
    }
}

impl Folds {
    /// Folds from any integers, one a row; they are numbered in ascending order.
    ///
    /// # Errors
    /// Fewer than two different ids: nothing would be held out.
    pub fn from_ids(ids: &[i64]) -> Result<Self> {
        let mut numbers: BTreeMap<i64, u32> = ids.iter().map(|&id| (id, 0)).collect();
        for (position, number) in numbers.values_mut().enumerate() {
            *number = position as u32;
        }
        if numbers.len() < 2 {
            return Err(Error::Setting {
                name: "fold ids",
                reason: format!("{} different id(s): at least 2 are needed", numbers.len()),
            });
        }
        Ok(Folds::Given { ids: ids.iter().map(|id| numbers[id]).collect(), count: numbers.len() })
    }

    /// How many folds there are.
    pub fn count(&self) -> usize {
        match self {
            Folds::Shuffled(count) | Folds::Given { count, .. } => *count,
        }
    }

    /// Checks the plan against the data.
    pub(crate) fn check(
        &self,
        rows: usize,
        clusters: Option<&Clusters>,
        repeats: usize,
    ) -> Result<()> {
        self.check_rows(rows, repeats)?;
        let Some(clusters) = clusters else { return Ok(()) };
        if clusters.are_stretches() && repeats > 1 {
            return Err(Error::Setting {
                name: "repeats",
                reason: format!(
                    "{repeats} repeats of folds in the order of time would all be the same"
                ),
            });
        }
        let given = if let Folds::Given { ids, .. } = self { Some(&ids[..]) } else { None };
        clusters.check(self.count(), given)
    }

    fn check_rows(&self, rows: usize, repeats: usize) -> Result<()> {
        match self {
            Folds::Shuffled(count) if *count < 2 => Err(Error::Setting {
                name: "folds",
                reason: format!("{count}: at least 2 folds are needed"),
            }),
            Folds::Shuffled(count) if rows < *count => {
                Err(Error::TooFewRows { rows, folds: *count })
            }
            Folds::Given { ids, .. } if ids.len() != rows => {
                Err(Error::Length { what: "fold ids", expected: rows, found: ids.len() })
            }
            Folds::Given { count, .. } if *count < 2 => Err(Error::Setting {
                name: "folds",
                reason: format!("{count}: at least 2 folds are needed"),
            }),
            Folds::Given { ids, count } if ids.iter().any(|&id| id as usize >= *count) => {
                Err(Error::Setting {
                    name: "fold ids",
                    reason: format!("an id is not below the number of folds, {count}"),
                })
            }
            Folds::Given { .. } if repeats > 1 => Err(Error::Setting {
                name: "repeats",
                reason: format!("{repeats} repeats of given fold ids would all be the same"),
            }),
            _ => Ok(()),
        }
    }

    /// The fold of each row in one repeat.
    pub(crate) fn assign(
        &self,
        rows: usize,
        clusters: Option<&Clusters>,
        seed: u64,
        repeat: usize,
    ) -> Vec<u32> {
        match (self, clusters) {
            (Folds::Given { ids, .. }, _) => ids.clone(),
            (Folds::Shuffled(count), Some(clusters)) => clusters.deal(*count, seed, repeat),
            (Folds::Shuffled(count), None) => {
                // Dealing 0, 1, 2, … round and shuffling the deal: sizes differ by at most one.
                let mut ids: Vec<u32> = (0..rows).map(|row| (row % count) as u32).collect();
                ids.shuffle(&mut generator(seed, repeat as u64));
                ids
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_differ_by_at_most_one_and_seeds_and_repeats_differ() {
        let folds = Folds::Shuffled(5);
        let ids = folds.assign(103, None, 7, 0);
        let sizes: Vec<usize> =
            (0..5).map(|fold| ids.iter().filter(|&&id| id == fold).count()).collect();
        assert_eq!(sizes, [21, 21, 21, 20, 20]);
        assert_eq!(ids, folds.assign(103, None, 7, 0));
        assert_ne!(ids, folds.assign(103, None, 7, 1));
        assert_ne!(ids, folds.assign(103, None, 8, 0));
    }

    #[test]
    fn given_ids_may_be_any_integers() {
        let folds = Folds::from_ids(&[-3, 900, -3, 12]).unwrap();
        assert_eq!(folds, Folds::Given { ids: vec![0, 2, 0, 1], count: 3 });
        assert!(Folds::from_ids(&[1, 1]).is_err());
        assert!(Folds::from_ids(&[]).is_err());
    }

    #[test]
    fn impossible_plans_are_refused() {
        let refused =
            |folds: Folds, rows, repeats| folds.check(rows, None, repeats).unwrap_err().to_string();
        assert_eq!(refused(Folds::Shuffled(1), 10, 1), "folds: 1: at least 2 folds are needed");
        assert_eq!(
            refused(Folds::Shuffled(5), 3, 1),
            "3 rows are too few for 5 folds: every fold needs one"
        );
        assert_eq!(
            refused(Folds::Given { ids: vec![0, 7], count: 2 }, 2, 1),
            "fold ids: an id is not below the number of folds, 2"
        );
        assert_eq!(
            refused(Folds::Given { ids: vec![0, 0], count: 1 }, 2, 1),
            "folds: 1: at least 2 folds are needed"
        );
        let given = Folds::from_ids(&[0, 1]).unwrap();
        assert_eq!(refused(given.clone(), 3, 1), "fold ids: expected 3, found 2");
        assert_eq!(
            refused(given, 2, 4),
            "repeats: 4 repeats of given fold ids would all be the same"
        );
    }

    #[test]
    fn plans_are_good_up_to_their_limits() {
        assert!(Folds::Shuffled(2).check(2, None, 1).is_ok());
        assert!(Folds::Shuffled(5).check(5, None, 3).is_ok());
        assert!(Folds::Shuffled(5).check(6, None, 1).is_ok());
        assert!(Folds::Shuffled(0).check(6, None, 1).is_err());
        let given = Folds::from_ids(&[8, 9, 8]).unwrap();
        assert!(given.check(3, None, 1).is_ok() && given.check(2, None, 1).is_err());
        assert_eq!((given.count(), Folds::Shuffled(7).count()), (2, 7));
    }
}
