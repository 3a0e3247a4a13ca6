//! Residuals added up in cells of like predictions: where many rows are, an error of any shape shows.

/// So many rows a cell, and no cells where there would be fewer than so many: a few rows tell more by
/// three functions.
const ROWS: usize = 250;
const FEWEST: usize = 20;
const MOST: usize = 256;

/// How far above its mean, in standard deviations more than the functions, the statistic of the cells has
/// to be to count: it then costs what the functions see next to nothing.
const HANDICAP: f64 = 1.0;

/// Cells of rows, as even as ties allow, and what calibration says of them.
pub(super) struct Cells {
    /// Each row's cell.
    of_row: Vec<u16>,
    /// Σ w f and Σ w² f(1 − f) of each cell.
    expected: Vec<f64>,
    variances: Vec<f64>,
}

impl Cells {
    /// Divides rows by their z; none if they are few.
    pub fn divide(z: &[f64]) -> Option<Self> {
        let count = (z.len() / ROWS).min(MOST);
        if count < FEWEST {
            return None;
        }
        let mut sorted = z.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let mut borders: Vec<f64> =
            (1..count).map(|number| sorted[number * sorted.len() / count]).collect();
        borders.dedup();
        let cell = |z: &f64| borders.partition_point(|border| border <= z) as u16;
        let cells = borders.len() + 1;
        Some(Self {
            of_row: z.iter().map(cell).collect(),
            expected: vec![0.0; cells],
            variances: vec![0.0; cells],
        })
    }

    /// Takes a row's weight and its probability of class 1 into account.
    pub fn expect(&mut self, row: usize, weight: f64, p: f64) {
        let cell = self.of_row[row] as usize;
        self.expected[cell] += weight * p;
        self.variances[cell] += weight * weight * p * (1.0 - p);
    }

    /// How many cells there are.
    pub fn count(&self) -> usize {
        self.expected.len()
    }

    /// The cell of a row.
    #[inline]
    pub fn of(&self, row: usize) -> usize {
        self.of_row[row] as usize
    }

    /// Σ (Σ w(y − f))²/(Σ w² f(1 − f)) over the cells, given Σ w y of each, as a number that so many
    /// degrees of freedom would exceed as rarely, less the handicap.
    pub fn value(&self, sums: &[f64], degrees: f64) -> f64 {
        let (mut total, mut own_degrees) = (0.0, 0.0);
        for ((sum, expected), variance) in sums.iter().zip(&self.expected).zip(&self.variances) {
            if *variance > 0.0 {
                total += (sum - expected) * (sum - expected) / variance;
                own_degrees += 1.0;
            }
        }
        if own_degrees > 0.0 {
            quantile(deviate(total, own_degrees) - HANDICAP, degrees)
        } else {
            0.0
        }
    }
}

/// The normal deviate of a chi-squared number, nearly (Wilson and Hilferty, *The distribution of
/// chi-square*, 1931).
fn deviate(value: f64, degrees: f64) -> f64 {
    let spread = 2.0 / (9.0 * degrees);
    ((value / degrees).cbrt() - (1.0 - spread)) / spread.sqrt()
}

/// The chi-squared number of a normal deviate.
fn quantile(deviate: f64, degrees: f64) -> f64 {
    let spread = 2.0 / (9.0 * degrees);
    degrees * (1.0 - spread + deviate * spread.sqrt()).max(0.0).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The 95 % points of tables of the chi-squared distribution.
    #[test]
    fn deviates_are_those_of_the_tables() {
        for (degrees, point) in [(3.0, 7.815), (20.0, 31.410), (100.0, 124.342)] {
            // Wilson and Hilferty are right to two decimals here.
            assert!((deviate(point, degrees) - 1.645).abs() < 0.02, "{degrees}");
            assert!((quantile(1.645, degrees) / point - 1.0).abs() < 0.01, "{degrees}");
        }
    }

    #[test]
    fn ties_share_a_cell_and_few_rows_have_none() {
        assert!(Cells::divide(&[0.0; 4_999]).is_none());
        let z: Vec<f64> = (0..6_000).map(|row| f64::from(row % 40)).collect();
        let cells = Cells::divide(&z).unwrap();
        assert!(cells.count() <= 24 && cells.count() > 20);
        for (row, z_of_row) in z.iter().enumerate() {
            assert_eq!(cells.of(row), cells.of(*z_of_row as usize), "{row}");
        }
    }
}
