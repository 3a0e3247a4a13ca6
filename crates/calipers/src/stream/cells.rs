//! Two classes: rows of nearly one prediction, counted together.
//!
//! A cell is a stretch of predictions. What is kept of its rows is how many there are of each class and
//! the mean of what was predicted, and that is all that any metric, any g and any figure needs: every
//! distance is convex, so the error of cells' means is at most that of rows (Jensen), and with stretches
//! as short as these it is the same to four digits or more (docs/scale.md).

use serde::{Deserialize, Serialize};

use super::weigh::Weigh;

/// Bits of the fraction that tell cells apart: 2048 cells to each power of 2, which is 0.0001 at 1/2 and
/// 0.0005 of the smaller probability anywhere.
const BITS: u32 = 11;

/// Bits of a double's fraction behind those.
const REST: u32 = 52 - BITS;

/// Bits of them that count for the mean: with 24 of them 2⁴⁰ rows of a cell add up.
const MEAN_BITS: u32 = 24;

/// Cells of one power of 2.
const PAGE: usize = 1 << BITS;

/// Powers of 2 below 1, those of denormal numbers as one, on either side of 1/2.
const PAGES: usize = 2 * 1024;

/// What the rows of a cell are counted in.
pub(super) trait Count: Default + Clone {
    /// What is known of a row's weight.
    type Weight: Copy;

    /// Adds a row of a class that lies so far into the cell.
    fn add(&mut self, class: usize, offset: u64, weight: Self::Weight);

    /// Adds the rows of another.
    fn merge(&mut self, other: &Self);

    /// Whether it has no rows.
    fn is_empty(&self) -> bool;

    /// How far the rows lie into the cell on average, and for each class Σ w and Σ w².
    fn sums(&self) -> (f64, [f64; 2], [f64; 2]);
}

/// Rows without weights.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counted {
    rows: [u64; 2],
    offsets: u64,
}

impl Count for Counted {
    type Weight = ();

    #[inline]
    fn add(&mut self, class: usize, offset: u64, (): ()) {
        self.rows[class] += 1;
        self.offsets += offset;
    }

    fn merge(&mut self, other: &Self) {
        // What is read from bytes may be any number.
        for class in 0..2 {
            self.rows[class] = self.rows[class].saturating_add(other.rows[class]);
        }
        self.offsets = self.offsets.saturating_add(other.offsets);
    }

    fn is_empty(&self) -> bool {
        self.rows == [0, 0]
    }

    fn sums(&self) -> (f64, [f64; 2], [f64; 2]) {
        let rows = self.rows.map(|rows| rows as f64);
        (self.offsets as f64 / (rows[0] + rows[1]), rows, rows)
    }
}

/// Rows with weights, which are whole numbers by now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Weighed {
    weights: [u128; 2],
    squares: [u128; 2],
    offsets: u128,
}

impl Count for Weighed {
    type Weight = u64;

    #[inline]
    fn add(&mut self, class: usize, offset: u64, weight: u64) {
        let wide = u128::from(weight);
        self.weights[class] += wide;
        self.squares[class] = self.squares[class].saturating_add(wide * wide);
        self.offsets += wide * u128::from(offset);
    }

    fn merge(&mut self, other: &Self) {
        for class in 0..2 {
            self.weights[class] = self.weights[class].saturating_add(other.weights[class]);
            self.squares[class] = self.squares[class].saturating_add(other.squares[class]);
        }
        self.offsets = self.offsets.saturating_add(other.offsets);
    }

    fn is_empty(&self) -> bool {
        self.weights == [0, 0]
    }

    fn sums(&self) -> (f64, [f64; 2], [f64; 2]) {
        let weights = self.weights.map(Weigh::value);
        let squares = self.squares.map(Weigh::square);
        let all = self.weights[0].saturating_add(self.weights[1]);
        (self.offsets as f64 / all as f64, weights, squares)
    }
}

/// The cells of all predictions that occur, in pages of one power of 2.
#[derive(Debug, Clone)]
pub(super) struct Cells<C> {
    pages: Vec<Option<Box<[C]>>>,
}

/// Rows of one cell, as one: the pair of probabilities that was predicted on average, and for each class
/// Σ w and Σ w².
#[derive(Debug, Clone, Copy)]
pub(super) struct Coarse {
    pub f: [f64; 2],
    pub weights: [f64; 2],
    pub squares: [f64; 2],
}

impl<C: Count> Cells<C> {
    /// None yet.
    pub fn new() -> Self {
        Self { pages: vec![None; PAGES] }
    }

    /// Counts a row: both probabilities, and the class that was observed.
    #[inline]
    pub fn add(&mut self, f: [f64; 2], class: usize, weight: C::Weight) {
        let upper = f[1] >= 0.5;
        let smaller = if upper { f[0] } else { f[1] };
        // A sum that is 1 only to rounding may leave a little more than 1/2 on both sides; and 0, which
        // makes `log` infinite, has a cell to itself.
        let least = if smaller > 0.0 { f64::MIN_POSITIVE } else { 0.0 };
        let bits = smaller.clamp(least, 0.75).to_bits();
        let page = (bits >> 52) as usize * 2 + usize::from(upper);
        let cell = (bits >> REST) as usize & (PAGE - 1);
        let offset = (bits & ((1 << REST) - 1)) >> (REST - MEAN_BITS);
        let page = self.pages[page].get_or_insert_with(|| vec![C::default(); PAGE].into());
        page[cell].add(class, offset, weight);
    }

    /// Adds the rows of others.
    pub fn merge(&mut self, other: &Self) {
        for (own, other) in self.pages.iter_mut().zip(&other.pages) {
            match (own, other) {
                (own @ None, other) => own.clone_from(other),
                (Some(own), Some(other)) => {
                    own.iter_mut().zip(other).for_each(|(own, other)| own.merge(other));
                }
                (Some(_), None) => {}
            }
        }
    }

    /// The cells that have rows, by their numbers: what there is to write down.
    pub fn listed(&self) -> Vec<(u32, C)> {
        let pages = self.pages.iter().enumerate();
        let cells = pages.filter_map(|(page, cells)| cells.as_ref().map(|cells| (page, cells)));
        let numbered = cells.flat_map(|(page, cells)| {
            let number = move |cell: usize| (page * PAGE + cell) as u32;
            cells.iter().enumerate().map(move |(cell, count)| (number(cell), count))
        });
        numbered.filter(|(_, c)| !c.is_empty()).map(|(number, c)| (number, c.clone())).collect()
    }

    /// The cells of a list; none if a number is that of no cell.
    pub fn from_list(list: Vec<(u32, C)>) -> Option<Self> {
        let mut cells = Self::new();
        for (number, count) in list {
            let (page, cell) = (number as usize / PAGE, number as usize % PAGE);
            let page = cells.pages.get_mut(page)?;
            page.get_or_insert_with(|| vec![C::default(); PAGE].into())[cell] = count;
        }
        Some(cells)
    }

    /// The rows of each cell as one, in ascending order of what was predicted for class 1.
    pub fn coarse(&self) -> Vec<Coarse> {
        let mut found: Vec<Coarse> = self
            .listed()
            .into_iter()
            .map(|(number, count)| {
                let (page, cell) = (number as usize / PAGE, number as u64 % PAGE as u64);
                let (offset, weights, squares) = count.sums();
                let start = f64::from_bits(((page as u64 / 2) << 52) | (cell << REST));
                let end =
                    f64::from_bits((((page as u64 / 2) << 52) | (cell << REST)) + (1 << REST));
                let smaller = start + (end - start) * (offset / f64::from(1u32 << MEAN_BITS));
                let f = match page % 2 {
                    0 => [1.0 - smaller, smaller],
                    _ => [smaller, 1.0 - smaller],
                };
                Coarse { f, weights, squares }
            })
            .collect();
        found.sort_by(|one, other| {
            one.f[1].total_cmp(&other.f[1]).then(other.f[0].total_cmp(&one.f[0]))
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Every row is in a cell of which the prediction is next to its own: 2⁻¹¹ of the smaller
        /// probability, and for a prediction that stands alone 2⁻³⁵ of it.
        #[test]
        fn a_row_alone_keeps_its_prediction(p in 0.0..=1.0f64, power in 0i32..60) {
            for p in [p, p * 2f64.powi(-power), 1.0 - p * 2f64.powi(-power)] {
                let mut cells = Cells::<Counted>::new();
                cells.add([1.0 - p, p], 1, ());
                let coarse = cells.coarse();
                prop_assert_eq!(coarse.len(), 1);
                let smaller = p.min(1.0 - p);
                prop_assert!((coarse[0].f[1] - p).abs() <= smaller * 2f64.powi(-34));
                prop_assert!(coarse[0].weights[0] <= 0.0 && coarse[0].weights[1] >= 1.0);
            }
        }

        #[test]
        fn any_order_gives_the_same_cells(
            rows in prop::collection::vec((0.0..1.0f64, 0usize..2, 1u64..9), 1..80),
            cut in 0usize..80,
        ) {
            let fill = |rows: &[(f64, usize, u64)]| {
                let mut cells = Cells::<Weighed>::new();
                rows.iter().for_each(|&(p, class, weight)| cells.add([1.0 - p, p], class, weight));
                cells
            };
            let (first, second) = rows.split_at(cut.min(rows.len()));
            let mut parts = fill(second);
            parts.merge(&fill(first));
            prop_assert_eq!(fill(&rows).listed(), parts.listed());
            let again = Cells::from_list(parts.listed()).unwrap();
            prop_assert_eq!(again.listed(), parts.listed());
        }
    }

    #[test]
    fn certainty_and_one_half_stay_what_they_are() {
        let mut cells = Cells::<Counted>::new();
        for p in [0.0, 1.0, 0.5] {
            cells.add([1.0 - p, p], 0, ());
        }
        let found: Vec<f64> = cells.coarse().iter().map(|cell| cell.f[1]).collect();
        assert_eq!(found, [0.0, 0.5, 1.0]);
        // A number that is barely above 0 is not taken for 0, which makes `log` infinite.
        cells.add([1.0, 1e-300], 0, ());
        assert!(cells.coarse()[1].f[1] > 0.0);
        assert!(Cells::<Counted>::from_list(vec![(u32::MAX, Counted::default())]).is_none());
    }
}
