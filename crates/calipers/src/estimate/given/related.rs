//! Which features say much the same, and are to be shuffled together.

use crate::data::{Cells, Features, Kind};

/// From here on two features say much the same.
const RELATED: f64 = 0.7;

/// At most so many rows are looked at, and fewer where there are many pairs of features.
const MOST_ROWS: usize = 2_000;
const MOST_LOOKS: usize = 200_000_000;

/// Categories are taken by so many cells at the most, where they are held against others.
const MOST_LEVELS: usize = 8;

/// Sets of features that are related to each other, if only by way of others; each feature is in one.
///
/// Two numbers are related by the correlation of their cells, which is that of their ranks but for ties; a
/// category is related to anything by Cramér's V, less what chance would give it. Cost: a look at each pair in up
/// to 2,000 rows.
///
/// ## Reference
/// Bergsma, *A bias-correction for Cramér's V and Tschuprow's T*, 2013.
pub(super) fn related(features: &Features) -> Vec<Vec<usize>> {
    let columns = &features.grid().columns;
    let most = (MOST_LOOKS / columns.len().pow(2).max(1)).clamp(200, MOST_ROWS);
    let step = features.rows().div_ceil(most).max(1);
    let taken: Vec<Vec<u8>> =
        columns.iter().map(|cells| cells.of_row.iter().copied().step_by(step).collect()).collect();
    let mut set_of: Vec<usize> = (0..columns.len()).collect();
    for one in 0..columns.len() {
        for other in 0..one {
            if set_of[one] == set_of[other] {
                continue;
            }
            let both = [(&columns[one], &taken[one][..]), (&columns[other], &taken[other][..])];
            if association(both) >= RELATED {
                let (from, to) = (set_of[one], set_of[other]);
                set_of.iter_mut().filter(|set| **set == from).for_each(|set| *set = to);
            }
        }
    }
    let mut sets: Vec<Vec<usize>> = Vec::new();
    let mut place_of = vec![None; columns.len()];
    for (column, &set) in set_of.iter().enumerate() {
        let place = *place_of[set].get_or_insert_with(|| {
            sets.push(Vec::new());
            sets.len() - 1
        });
        sets[place].push(column);
    }
    sets
}

fn association([(one, a), (other, b)]: [(&Cells, &[u8]); 2]) -> f64 {
    let numeric = |cells: &Cells| matches!(cells.kind, Kind::Number { .. });
    if numeric(one) && numeric(other) { correlation(a, b).abs() } else { cramer(one, a, other, b) }
}

fn correlation(a: &[u8], b: &[u8]) -> f64 {
    let mut sums = [0.0; 5];
    for (a, b) in a.iter().zip(b).map(|(&a, &b)| (f64::from(a), f64::from(b))) {
        let terms = [a, b, a * a, b * b, a * b];
        sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
    }
    let n = a.len() as f64;
    let [a, b, aa, bb, ab] = sums.map(|sum| sum / n);
    let spread = (aa - a * a) * (bb - b * b);
    if spread > 0.0 { (ab - a * b) / spread.sqrt() } else { 0.0 }
}

/// Cramér's V without what chance gives it; 0 if either has one cell.
fn cramer(one: &Cells, a: &[u8], other: &Cells, b: &[u8]) -> f64 {
    // Numbers in ranges of cells, levels beyond the most frequent together.
    let place = |cells: &Cells, cell: u8| match &cells.kind {
        Kind::Number { borders } => cell as usize * MOST_LEVELS / (borders.len() + 1),
        Kind::Category { .. } => (cell as usize).min(MOST_LEVELS - 1),
    };
    let mut counts = [[0.0; MOST_LEVELS]; MOST_LEVELS];
    a.iter().zip(b).for_each(|(&a, &b)| counts[place(one, a)][place(other, b)] += 1.0);
    let n = a.len() as f64;
    let by_row = counts.map(|row| row.iter().sum::<f64>());
    let by_column: [f64; MOST_LEVELS] =
        std::array::from_fn(|column| counts.iter().map(|row| row[column]).sum());
    let used = |sums: &[f64]| sums.iter().filter(|sum| **sum > 0.0).count() as f64;
    let (rows, columns) = (used(&by_row), used(&by_column));
    let mut square = -1.0;
    for (row, in_row) in counts.iter().zip(by_row) {
        for (count, in_column) in row.iter().zip(by_column) {
            if *count > 0.0 {
                square += count * count / (in_row * in_column);
            }
        }
    }
    let by_chance = (rows - 1.0) * (columns - 1.0) / (n - 1.0).max(1.0);
    let less = |cells: f64| cells - (cells - 1.0).powi(2) / (n - 1.0).max(1.0);
    let most = less(rows).min(less(columns)) - 1.0;
    if most > 0.0 { ((square - by_chance).max(0.0) / most).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number, its square root, a category that cuts it, its opposite, and two that know nothing of them.
    #[test]
    fn copies_are_found_and_strangers_are_not() {
        let rows = 1_500u32;
        let drawn = |row: u32, stream: u64| {
            crate::numeric::random::derive_seed(stream, &[u64::from(row)]) as f64 / u64::MAX as f64
        };
        let numbers = |of: &dyn Fn(u32) -> f64| (0..rows).map(of).collect::<Vec<_>>();
        let half = |row: u32| Some(if drawn(row, 0) < 0.5 { "low" } else { "high" });
        let halves: Vec<_> = (0..rows).map(half).collect();
        let stranger: Vec<_> =
            (0..rows).map(|row| Some(["a", "b", "c"][(drawn(row, 5) * 3.0) as usize])).collect();
        let features = Features::new()
            .number("x", numbers(&|row| drawn(row, 0)))
            .and_then(|all| all.number("other", numbers(&|row| drawn(row, 4))))
            .and_then(|all| all.number("root", numbers(&|row| drawn(row, 0).sqrt())))
            .and_then(|all| all.number("minus", numbers(&|row| -drawn(row, 0))))
            .and_then(|all| all.category("half", &halves))
            .and_then(|all| all.category("stranger", &stranger))
            .unwrap();
        assert_eq!(related(&features), [vec![0, 2, 3, 4], vec![1], vec![5]]);
    }

    /// The table of Bergsma's formula by hand: 2 × 2, n = 100, φ² = 0.36.
    #[test]
    fn cramers_v_is_less_what_chance_gives() {
        let cells = || Cells { kind: Kind::Category { levels: vec![0, 1] }, of_row: Vec::new() };
        let mut pairs = vec![(0u8, 0u8); 40];
        pairs.extend([(0, 1); 10]);
        pairs.extend([(1, 0); 10]);
        pairs.extend([(1, 1); 40]);
        let (a, b): (Vec<u8>, Vec<u8>) = pairs.into_iter().unzip();
        let expected = ((0.36 - 1.0 / 99.0) / (2.0 - 1.0 / 99.0 - 1.0f64)).sqrt();
        assert!((cramer(&cells(), &a, &cells(), &b) - expected).abs() < 1e-12);
    }
}
