//! A band that holds a rising truth at every prediction at once.
//!
//! If C rises, the labels of any stretch of rows to the right of f are of class 1 at least as often as C(f)
//! says: how many are bounds C(f) from above, by Clopper and Pearson, and stretches to the left bound it from
//! below. Which stretches are looked at is decided without a look at labels, and the level is shared among
//! them (Bonferroni), so that all bounds hold at once.
//!
//! The reference looks at all n(n + 1)/2 stretches alike. Here stretches are of lengths that grow by a factor of
//! √2, begin every eighth of their length, and each length has the same share of the level: there are O(n)
//! of them, and a long one, of which there are few, has a bound of far less than 1/n² of the level.

use super::binomial::{at_least, at_most, is_at_most};
use crate::estimate::Ascending;

/// Rows are taken together to so many places at most, which bounds the cost. A place of several predictions
/// cannot use its own rows: a share of 1/512 of all of them.
const PLACES: usize = 512;

/// Stretches begin every so manyth part of their length.
const STEPS: usize = 8;

/// A stretch of fewer rows bounds nothing: its best bound would be above 3/4.
const FEWEST_ROWS: usize = 8;

/// The band at each place.
pub(super) struct Band {
    /// How many rows each place has.
    rows: Vec<usize>,
    low: Vec<f64>,
    high: Vec<f64>,
}

/// Rows that follow each other in ascending order, none of which shares a prediction with one outside.
struct Places {
    /// Where each begins, and where the last ends.
    starts: Vec<usize>,
    /// Whether all rows of it have one prediction.
    pure: Vec<bool>,
}

impl Places {
    fn of(rows: &Ascending<'_>) -> Self {
        let starts = rows.cut(rows.pairs.len().div_ceil(PLACES));
        let prediction = |row: usize| rows.pairs[row][1].to_bits();
        let pure = |ends: &[usize]| prediction(ends[0]) == prediction(ends[1] - 1);
        let pure = starts.windows(2).map(pure).collect();
        Self { starts, pure }
    }

    fn count(&self) -> usize {
        self.pure.len()
    }

    /// The lengths of stretches, in places, that hold rows enough.
    fn lengths(&self) -> Vec<usize> {
        let rows = self.starts.last().copied().unwrap_or(0);
        let mut lengths: Vec<usize> = Vec::new();
        let mut length = 1.0f64;
        while (length as usize) <= self.count() {
            let whole = length as usize;
            if whole * rows / self.count().max(1) >= FEWEST_ROWS && lengths.last() != Some(&whole) {
                lengths.push(whole);
            }
            length *= std::f64::consts::SQRT_2;
        }
        if lengths.last() != Some(&self.count()) {
            lengths.push(self.count());
        }
        lengths
    }
}

impl Band {
    /// That of a level: with this probability or less the truth is anywhere outside.
    pub fn of(rows: &Ascending<'_>, level: f64) -> Self {
        let places = Places::of(rows);
        let count = places.count();
        let mut observed = vec![0u64];
        let mut sum = 0;
        for &label in rows.labels {
            sum += u64::from(label);
            observed.push(sum);
        }
        // The best bound of a stretch that begins at each place, and of one that ends there.
        let (mut above, mut below) = (vec![1.0f64; count + 1], vec![0.0f64; count + 1]);
        let lengths = places.lengths();
        // From the longest on: few of the shorter ones have anything to add.
        for &length in lengths.iter().rev() {
            let step = (length / STEPS).max(1);
            let mut begins: Vec<usize> = (0..=count - length).step_by(step).collect();
            if begins.last() != Some(&(count - length)) {
                begins.push(count - length);
            }
            let share = level / (2.0 * lengths.len() as f64 * begins.len() as f64);
            for begin in begins {
                let (from, to) = (places.starts[begin], places.starts[begin + length]);
                let (ones, draws) = (observed[to] - observed[from], (to - from) as u64);
                if !is_at_most(above[begin], ones, draws, share) {
                    above[begin] = at_most(ones, draws, share);
                }
                if !is_at_most(1.0 - below[begin + length], draws - ones, draws, share) {
                    below[begin + length] = at_least(ones, draws, share);
                }
            }
        }
        for place in (0..count).rev() {
            above[place] = above[place].min(above[place + 1]);
        }
        for place in 1..=count {
            below[place] = below[place].max(below[place - 1]);
        }
        let pure = |place: usize| usize::from(!places.pure[place]);
        Self {
            rows: places.starts.windows(2).map(|ends| ends[1] - ends[0]).collect(),
            // A place of several predictions is bounded by what comes after it, and by what came before.
            high: (0..count).map(|place| above[place + pure(place)]).collect(),
            low: (0..count).map(|place| below[place + 1 - pure(place)]).collect(),
        }
    }

    /// Whether anything that rises is within.
    pub fn is_possible(&self) -> bool {
        self.low.iter().zip(&self.high).all(|(low, high)| low <= high)
    }

    /// The band at each row.
    pub fn rows(&self) -> impl Iterator<Item = (f64, f64)> {
        let ends = self.low.iter().copied().zip(self.high.iter().copied());
        self.rows.iter().zip(ends).flat_map(|(&rows, ends)| std::iter::repeat_n(ends, rows))
    }
}
