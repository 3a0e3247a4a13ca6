//! Features of the trees: places between quantiles.

/// A feature has at most this many places.
pub(super) const BINS: usize = 64;

/// Quantiles are taken of so many rows at most.
const ROWS: usize = 4_096;

/// Borders between the places of a feature, ascending: quantiles of its values, each moved to the
/// nearer end of a run of equal values.
pub(super) fn borders(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.take(ROWS).collect();
    values.sort_unstable_by(f64::total_cmp);
    let mut borders: Vec<f64> = (1..BINS)
        .filter_map(|number| {
            let value = *values.get(number * values.len() / BINS)?;
            let start = values.partition_point(|other| *other < value);
            let end = values.partition_point(|other| *other <= value);
            let middle = number * values.len() / BINS;
            let below = start > 0 && (middle - start <= end - middle || end == values.len());
            let cut = if below { start } else { end };
            let (low, high) = (values.get(cut.checked_sub(1)?)?, values.get(cut)?);
            Some(0.5 * low + 0.5 * high)
        })
        .collect();
    borders.sort_unstable_by(f64::total_cmp);
    borders.dedup();
    borders
}

/// How many borders lie below a value.
#[inline]
pub(super) fn place(borders: &[f64], value: f64) -> u8 {
    borders.iter().map(|border| u8::from(*border < value)).sum()
}
