//! Features that give the label away.

use std::collections::HashMap;

use super::feature::{Feature, MISSING, Values};
use super::grid::Cells;
use crate::words::thousands;

/// Labels that the most frequent one does not tell: of fewer nothing can be said.
const FEWEST: usize = 20;

/// A feature that leaves no more than this share of them untold is taken for a copy of the label.
const UNTOLD: f64 = 0.01;

/// The best cut of numbers is found in so many rows at the most.
const MOST_SORTED: usize = 20_000;

/// Why a feature is taken for a copy of the label, if it is: its cells or levels tell nearly all labels, and f, by
/// its most probable class, tells far fewer. A level of one row tells nothing.
pub(super) fn leak(
    feature: &Feature,
    cells: &Cells,
    labels: &[u32],
    untold_by_f: usize,
) -> Option<String> {
    let mut of_label: HashMap<u32, usize> = HashMap::new();
    labels.iter().for_each(|&label| *of_label.entry(label).or_default() += 1);
    let most = of_label.values().max().copied().unwrap_or(0);
    let untold = untold(feature, cells, labels);
    let few = (UNTOLD * (labels.len() - most) as f64) as usize;
    if labels.len() - most < FEWEST || untold > few || untold_by_f <= 2 * untold.max(few) {
        return None;
    }
    Some(format!(
        "it tells all labels but {} of {}: probably it was made from them; leave it out",
        thousands(untold),
        thousands(labels.len())
    ))
}

/// How many labels differ from the most frequent one of their cell or level, or are alone in it; of numbers, on
/// either side of one cut if that tells more.
fn untold(feature: &Feature, cells: &Cells, labels: &[u32]) -> usize {
    let mut counts: HashMap<(u32, u32), usize> = HashMap::new();
    let place = |row: usize| match &feature.values {
        Values::Numbers(_) => u32::from(cells.of_row[row]),
        Values::Categories { codes, .. } => codes.get(row).copied().unwrap_or(MISSING),
    };
    for (row, &label) in labels.iter().enumerate() {
        *counts.entry((place(row), label)).or_default() += 1;
    }
    let mut of_place: HashMap<u32, (usize, usize)> = HashMap::new();
    for ((place, _), count) in counts {
        let (all, most) = of_place.entry(place).or_default();
        (*all, *most) = (*all + count, (*most).max(count));
    }
    let in_cells: usize =
        of_place.values().map(|(all, most)| if *all == 1 { 1 } else { all - most }).sum();
    match &feature.values {
        Values::Numbers(values) => in_cells.min(untold_by_cut(values, labels)),
        Values::Categories { .. } => in_cells,
    }
}

/// How many labels are not the most frequent one on their side of the best cut, what is missing being a side of
/// its own; as some of the rows, evenly taken, show it.
fn untold_by_cut(values: &[f64], labels: &[u32]) -> usize {
    let step = values.len().div_ceil(MOST_SORTED).max(1);
    let mut rows: Vec<(f64, usize)> = values
        .iter()
        .zip(labels)
        .step_by(step)
        .map(|(&value, &label)| (value, label as usize))
        .collect();
    rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let classes = labels.iter().max().map_or(0, |most| *most as usize + 1);
    let (known, missing): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| !row.0.is_nan());
    let count = |rows: &[(f64, usize)]| {
        let mut counts = vec![0usize; classes];
        rows.iter().for_each(|&(_, label)| counts[label] += 1);
        counts
    };
    let wrong =
        |counts: &[usize]| counts.iter().sum::<usize>() - counts.iter().max().copied().unwrap_or(0);
    let (mut left, mut right) = (vec![0usize; classes], count(&known));
    let mut least = wrong(&right);
    for (place, &(value, label)) in known.iter().enumerate() {
        left[label] += 1;
        right[label] -= 1;
        // A cut tells more only where labels change, and lies between different values.
        let next = known.get(place + 1);
        if next.is_some_and(|next| next.1 != label && next.0.total_cmp(&value).is_ne()) {
            least = least.min(wrong(&left) + wrong(&right));
        }
    }
    (least + wrong(&count(&missing))) * step
}

#[cfg(test)]
mod tests {
    use crate::data::{Features, Predictions};

    /// A copy of the label, a number that lies on either side by it but for one row in a thousand, and one that
    /// is told by the label as little as chance allows: names of rows.
    #[test]
    fn copies_are_named_and_names_are_not() {
        let rows = 1_000;
        let labels: Vec<usize> = (0..rows).map(|row| usize::from(row * 37 % 100 < 30)).collect();
        let predictions = || Predictions::binary(vec![0.3; rows], &labels).unwrap();
        let copy: Vec<_> = labels.iter().map(|label| Some(["no", "yes"][*label])).collect();
        let near = (0..rows).map(|row| labels[row] as f64 * 5.0 + row as f64 / 1e3);
        let near: Vec<f64> =
            near.enumerate().map(|(row, x)| if row == 500 { 2.0 } else { x }).collect();
        let names: Vec<_> = (0..rows).map(|row| Some(format!("row {row}"))).collect();
        let refused =
            |features: Features| predictions().with_features(features).unwrap_err().to_string();
        assert_eq!(
            refused(Features::new().category("paid", &copy).unwrap()),
            "feature paid: it tells all labels but 0 of 1,000: probably it was made from them; leave \
             it out"
        );
        let said = refused(Features::new().number("near", near).unwrap());
        assert!(said.starts_with("feature near: it tells all labels but"), "{said}");
        let harmless = Features::new().category("name", &names).unwrap();
        assert!(predictions().with_features(harmless).is_ok());
    }

    /// Where f tells the labels as well, the problem is easy, and features may be what makes it so.
    #[test]
    fn what_f_tells_as_well_is_no_leak() {
        let labels: Vec<usize> = (0..200).map(|row| row % 2).collect();
        let f: Vec<f64> = labels.iter().map(|label| 0.1 + 0.8 * *label as f64).collect();
        let smell: Vec<_> = labels.iter().map(|label| Some(["mild", "foul"][*label])).collect();
        let features = Features::new().category("smell", &smell).unwrap();
        assert!(Predictions::binary(f, &labels).unwrap().with_features(features).is_ok());
    }
}
