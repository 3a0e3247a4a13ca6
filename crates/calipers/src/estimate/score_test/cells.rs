//! Cells of like predictions: fine ones, in which labels are counted, and coarse ones, in which an error of
//! any shape shows where there are many rows.

use std::ops::Range;

use crate::estimate::Ascending;

/// As many fine cells, at most: no two values of a direction in one differ by much. Up to so many rows
/// have a cell each, unless they share a prediction.
const FINE: usize = 256;

/// So many rows a coarse cell, and none where there would be fewer than so many: a few rows tell more by
/// smooth directions.
const ROWS: usize = 250;
const FEWEST: usize = 20;

/// Rows that follow each other in ascending order.
pub(super) struct Cell {
    pub rows: Range<usize>,
    /// The mean prediction.
    pub mean: f64,
    /// Σ w f and Σ w² f(1 − f).
    pub expected: f64,
    pub variance: f64,
    /// Σ w.
    pub weight: f64,
}

/// Coarse cells, each of some fine ones.
pub(super) struct Coarse {
    /// For each fine cell, Σ w² f(1 − f) of the coarse one that it is the last of.
    pub ends: Vec<Option<f64>>,
    /// How many have a variance.
    degrees: f64,
}

/// Divides rows into fine cells, none of which splits equal predictions, and these into coarse ones, if
/// there are rows enough.
pub(super) fn divide(rows: &Ascending<'_>) -> (Vec<Cell>, Option<Coarse>) {
    let n = rows.pairs.len();
    let starts = rows.cut(n.div_ceil(FINE));
    let cells: Vec<Cell> = starts.windows(2).map(|ends| cell(rows, ends[0]..ends[1])).collect();
    let coarse = Coarse::of(&cells, n);
    (cells, coarse)
}

fn cell(rows: &Ascending<'_>, range: Range<usize>) -> Cell {
    let (mut weight, mut expected, mut variance) = (0.0, 0.0, 0.0);
    for place in range.clone() {
        let (w, [not, one]) = (rows.weight(place), rows.pairs[place]);
        weight += w;
        expected += w * one;
        variance += w * w * one * not;
    }
    // Rows without weight tell nothing, but they have to be somewhere.
    let mean = if weight > 0.0 { expected / weight } else { rows.pairs[range.start][1] };
    Cell { rows: range, mean, expected, variance, weight }
}

impl Coarse {
    fn of(cells: &[Cell], rows: usize) -> Option<Self> {
        let count = (rows / ROWS).min(FINE);
        if count < FEWEST {
            return None;
        }
        let number = |cell: &Cell| (cell.rows.start + cell.rows.end) / 2 * count / rows;
        let (mut variance, mut degrees) = (0.0, 0.0);
        let ends = cells.iter().enumerate().map(|(at, cell)| {
            variance += cell.variance;
            let is_last = cells.get(at + 1).is_none_or(|next| number(next) != number(cell));
            let ended = (is_last && variance > 0.0).then_some(variance);
            if is_last {
                degrees += if variance > 0.0 { 1.0 } else { 0.0 };
                variance = 0.0;
            }
            ended
        });
        let ends = ends.collect();
        Some(Self { ends, degrees })
    }

    /// By how much the evidence for an error of any shape grows with Σ (Σ w(y − f))²/(Σ w² f(1 − f)) over the
    /// coarse cells: that of errors as large as can just be seen in all of them together.
    pub fn rate(&self) -> f64 {
        if self.degrees <= 0.0 {
            return 0.0;
        }
        let size = (1.5 + 2.6 * self.degrees.sqrt()) / self.degrees;
        0.5 * size / (1.0 + size)
    }

    /// By how much that evidence grows from its 90th to its 98th percentile.
    pub fn slope(&self) -> f64 {
        let degrees = self.degrees.max(1.0);
        self.rate() * (quantile(2.0537, degrees) - quantile(1.2816, degrees))
    }
}

/// The chi-squared number of a normal deviate, nearly (Wilson and Hilferty, *The distribution of chi-square*,
/// 1931).
fn quantile(deviate: f64, degrees: f64) -> f64 {
    let spread = 2.0 / (9.0 * degrees);
    degrees * (1.0 - spread + deviate * spread.sqrt()).max(0.0).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The 95 % points of tables of the chi-squared distribution.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (degrees, point) in [(3.0, 7.815), (20.0, 31.410), (100.0, 124.342)] {
            // Wilson and Hilferty are right to two decimals here.
            assert!((quantile(1.645, degrees) / point - 1.0).abs() < 0.01, "{degrees}");
        }
    }

    fn divided(f: &[f64]) -> (Vec<Cell>, Option<Coarse>) {
        let pairs: Vec<[f64; 2]> = f.iter().map(|&f| [1.0 - f, f]).collect();
        let labels = vec![0; f.len()];
        divide(&Ascending { pairs: &pairs, labels: &labels, weights: None })
    }

    #[test]
    fn ties_share_a_cell_and_few_rows_have_no_coarse_ones() {
        assert!(divided(&[0.5; 4_999]).1.is_none());
        let f: Vec<f64> = (0..6_000).map(|row| f64::from(row / 150) / 100.0).collect();
        let (cells, coarse) = divided(&f);
        assert_eq!(cells.len(), 40);
        assert!(cells.iter().enumerate().all(|(at, cell)| cell.rows == (at * 150..(at + 1) * 150)));
        // 24 of 250 rows each; the first prediction is 0 and has no variance, but a cell with the next.
        let ends = coarse.unwrap().ends.iter().flatten().count();
        assert!((20..=24).contains(&ends), "{ends}");
    }

    #[test]
    fn a_few_rows_have_a_cell_each() {
        let f: Vec<f64> = (0..200).map(|row| f64::from(row) / 200.0).collect();
        assert_eq!(divided(&f).0.len(), 200);
        assert_eq!(divided(&f[..1]).0.len(), 1);
    }
}
