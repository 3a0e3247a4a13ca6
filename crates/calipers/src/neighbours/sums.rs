//! Neighbours of any number of rows: those that are functions of sums over rows.

use super::neighbour::Neighbour;
use super::rule::{CellSums, Outcome, Summed};
use crate::data::Probabilities;
use crate::error::{Error, Result};
use crate::numeric::exact::Exact;

/// Terms are at most 1. So much larger, they are still what an exact sum takes fastest, and lose 2⁻⁵¹ at
/// most.
const FINE: f64 = 1024.0;

/// Cells at the most, of all classes together: 48 MiB a thread. A neighbour that has more is of the sample.
const MOST_CELLS: usize = 1 << 20;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Cell {
    rows: u64,
    sums: [Exact; 2],
}

/// The cells of one line: of the top class, or of one class against the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LineSums(Vec<Cell>);

impl LineSums {
    /// Adds a row.
    #[inline]
    fn add(&mut self, rule: &dyn Summed, f: f64, happened: bool) {
        let terms = rule.terms(f, f64::from(u8::from(happened)));
        if let Some(cell) = self.0.get_mut(rule.cell(f)) {
            cell.rows += 1;
            cell.sums.iter_mut().zip(terms).for_each(|(sum, term)| sum.add(term * FINE));
        }
    }

    fn merge(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            own.rows += other.rows;
            own.sums.iter_mut().zip(other.sums).for_each(|(own, other)| own.merge(other));
        }
    }

    /// The cells that have rows.
    fn filled(&self) -> Vec<CellSums> {
        let filled = self.0.iter().filter(|cell| cell.rows > 0);
        let sums = |cell: &Cell| cell.sums.map(|sum| sum.value() / FINE);
        filled.map(|cell| CellSums { rows: cell.rows as f64, sums: sums(cell) }).collect()
    }
}

/// What some neighbours add up over the rows of a stream, or over some of them.
///
/// Only of neighbours that are functions of sums over rows: binned errors of equal width and
/// Spiegelhalter's test, of two classes, the top class or classes one by one. Terms are rounded once to
/// whole quanta, so that rows in any order, in any parts and on any number of threads come to the same bits.
/// Its size is a cell of 48 bytes a bin and class, whatever the number of rows.
///
/// ```
/// use calipers::{Neighbours, Probabilities, simulate};
///
/// let asked = Neighbours::new().ask("ece".parse()?).ask("smooth".parse()?);
/// let sample = simulate("binary-over", 100, 0)?;
/// let mut all = asked.sums(&sample)?;
/// all.add(&Probabilities::binary(vec![0.2, 0.7, 0.9])?, &[0, 1, 1])?;
/// let found = asked.measure_stream(&sample, 3, &all)?;
/// let (ece, smooth) = (&found.found[0], &found.found[1]);
/// assert!((ece.value.unwrap() - 0.2).abs() < 1e-12);
/// assert_eq!((found.rows, ece.rows, smooth.rows), (3, 3, 100));
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NeighbourSums {
    classes: usize,
    rows: u64,
    parts: Vec<Part>,
}

#[derive(Debug, Clone)]
struct Part {
    neighbour: Neighbour,
    /// One a line.
    lines: Vec<LineSums>,
}

impl NeighbourSums {
    /// Nothing yet, of those of the neighbours that can be added up.
    pub(super) fn new(asked: &[Neighbour], classes: usize) -> Self {
        let part = |neighbour: &Neighbour| {
            let cells = neighbour.summed(classes)?.cells();
            let lines = neighbour.lines(classes);
            let empty = LineSums(vec![Cell::default(); cells]);
            (lines.saturating_mul(cells) <= MOST_CELLS)
                .then(|| Part { neighbour: neighbour.clone(), lines: vec![empty; lines] })
        };
        Self { classes, rows: 0, parts: asked.iter().filter_map(part).collect() }
    }

    /// Whether none of the neighbours can be added up.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// How many rows were added.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds rows: predictions, and the classes that were observed.
    ///
    /// # Errors
    /// Lengths that differ, a label that is no class.
    pub fn add(&mut self, f: &Probabilities<'_>, labels: &[u32]) -> Result<()> {
        let check = |what, expected, found| match expected == found {
            true => Ok(()),
            false => Err(Error::Length { what, expected, found }),
        };
        check("classes", self.classes, f.classes())?;
        check("labels", f.rows(), labels.len())?;
        if let Some(row) = labels.iter().position(|&label| label as usize >= self.classes) {
            let value = labels[row].to_string();
            return Err(Error::Label { row, value, classes: self.classes });
        }
        let mut buffer = vec![0.0; self.classes];
        for (row, &label) in labels.iter().enumerate() {
            let f = f.held().row(row, &mut buffer);
            for Part { neighbour, lines } in &mut self.parts {
                let Some(rule) = neighbour.summed(f.len()) else { continue };
                neighbour.each_line(f, label as usize, |line, f, happened| {
                    if let Some(line) = lines.get_mut(line) {
                        line.add(rule, f, happened);
                    }
                });
            }
        }
        self.rows += labels.len() as u64;
        Ok(())
    }

    /// Adds the rows of another, of the same neighbours.
    ///
    /// # Errors
    /// It is of other neighbours, or of another number of classes.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        let names = |sums: &Self| -> Vec<String> {
            sums.parts.iter().map(|part| part.neighbour.to_string()).collect()
        };
        if self.classes != other.classes || names(self) != names(other) {
            return Err(Error::Tally { reason: "the sums are of two kinds".to_owned() });
        }
        self.rows += other.rows;
        for (own, other) in self.parts.iter_mut().zip(&other.parts) {
            own.lines.iter_mut().zip(&other.lines).for_each(|(own, other)| own.merge(other));
        }
        Ok(())
    }

    /// What a neighbour says of all rows, if it was added up.
    pub(super) fn found(&self, neighbour: &Neighbour) -> Option<Outcome> {
        let name = neighbour.to_string();
        let part = self.parts.iter().find(|part| part.neighbour.to_string() == name)?;
        let rule = neighbour.summed(self.classes)?;
        let found = part.lines.iter().map(|line| rule.of_cells(&line.filled()));
        Some(found.collect::<std::result::Result<_, _>>().map(|found| neighbour.together(found)))
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, Axis};
    use proptest::prelude::*;

    use super::*;
    use crate::data::{Predictions, simulate};
    use crate::neighbours::{Measurements, Neighbours};

    fn asked(names: &[&str]) -> Neighbours {
        names.iter().fold(Neighbours::new(), |asked, name| asked.ask(name.parse().unwrap()))
    }

    /// The sums of rows in this order, in parts of so many rows.
    fn summed(
        asked: &Neighbours,
        all: &Predictions<'_>,
        order: &[usize],
        part: usize,
    ) -> Measurements {
        let mut sums = asked.sums(all).unwrap();
        for some in order.chunks(part) {
            let f = Probabilities::new(all.probs().select(Axis(0), some)).unwrap();
            let labels: Vec<u32> = some.iter().map(|&row| all.labels()[row]).collect();
            let mut own = asked.sums(all).unwrap();
            own.add(&f, &labels).unwrap();
            own.merge(&sums).unwrap();
            sums = own;
        }
        asked.measure_stream(all, all.rows() as u64, &sums).unwrap()
    }

    const TWO: [&str; 7] = [
        "ece",
        "ece:bins=100,p=2",
        "ece:bins=7,p=inf",
        "top-ece",
        "classwise-ece",
        "spiegelhalter",
        "top-spiegelhalter",
    ];
    const MORE: [&str; 4] = ["top-ece", "classwise-ece", "marginal-ece:p=2", "top-spiegelhalter"];

    #[test]
    fn sums_of_all_rows_say_what_the_rows_in_memory_say() {
        let edges: Vec<f64> = (0..=3000).map(|row| f64::from(row % 16) / 15.0).collect();
        let labels: Vec<i64> = (0..=3000).map(|row| i64::from(row % 5 == 0)).collect();
        let edges = Predictions::binary(edges, &labels).unwrap();
        for (all, names) in [
            (simulate("binary-over", 3_000, 1).unwrap(), &TWO[..]),
            (edges, &TWO),
            (simulate("multiclass-overconfident-3", 3_000, 2).unwrap(), &MORE),
        ] {
            let asked = asked(names);
            let order: Vec<usize> = (0..all.rows()).collect();
            let (plain, summed) = (asked.measure(&all).unwrap(), summed(&asked, &all, &order, 700));
            for (plain, summed) in plain.found.iter().zip(&summed.found) {
                let (own, other) = (plain.value.unwrap(), summed.value.unwrap());
                // A term of a sum is off by 2⁻⁵¹, and a sum of 3,000 doubles by 3,000 · 2⁻⁵³ of itself:
                // 3e-13; the largest value here is a z of about 30.
                assert!((own - other).abs() <= 1e-11 * own.abs().max(1.0), "{plain:?} {summed:?}");
                assert_eq!((&plain.details, plain.rows), (&summed.details, summed.rows));
                assert_eq!(plain.p_value.is_some(), summed.p_value.is_some());
            }
        }
    }

    proptest! {
        #[test]
        fn any_order_and_any_parts_give_the_same_bits(
            rows in prop::collection::vec((0.0..1.0f64, 0.0..1.0f64, 0u32..3), 2..60),
            part in 1usize..60,
            turn in 0usize..60,
        ) {
            let cells = rows.iter().flat_map(|&(a, b, _)| {
                let all = 1.0 + a + b;
                [a / all, b / all, 1.0 / all]
            });
            let f = Array2::from_shape_vec((rows.len(), 3), cells.collect()).unwrap();
            let labels: Vec<i64> = rows.iter().map(|row| row.2.into()).collect();
            let all = Predictions::new(f, &labels).unwrap();
            let asked = asked(&MORE);
            let mut order: Vec<usize> = (0..rows.len()).collect();
            let expected = summed(&asked, &all, &order, rows.len());
            order.rotate_left(turn % rows.len());
            order.reverse();
            prop_assert_eq!(summed(&asked, &all, &order, part), expected);
        }
    }

    #[test]
    fn what_must_be_sorted_or_paired_is_not_added_up() {
        let sample = simulate("binary-over", 50, 0).unwrap();
        let sorted = ["ece:by=mass", "debiased", "sweep", "smooth", "corp", "kuiper", "cox"];
        // Nor is what would take more cells than there is room for.
        for name in sorted.into_iter().chain(["classwise-ece:bins=1000000"]) {
            let asked = asked(&[name]);
            let sums = asked.sums(&sample).unwrap();
            assert!(sums.is_empty(), "{name}");
            let found = asked.measure_stream(&sample, 1_000, &sums).unwrap();
            assert_eq!((found.rows, found.sample, found.found[0].rows), (1_000, Some(50), 50));
            assert_eq!(found.found, asked.measure(&sample).unwrap().found);
        }
    }

    #[test]
    fn rows_that_do_not_belong_are_refused() {
        let sample = simulate("binary-over", 50, 0).unwrap();
        let one = asked(&["ece"]);
        let mut sums = one.sums(&sample).unwrap();
        let f = Probabilities::binary(vec![0.2, 0.7]).unwrap();
        assert!(sums.add(&f, &[0]).is_err());
        assert!(matches!(sums.add(&f, &[0, 2]), Err(Error::Label { row: 1, .. })));
        let three = Probabilities::new(ndarray::array![[0.2, 0.3, 0.5]]).unwrap();
        assert!(sums.add(&three, &[0]).is_err());
        assert!(sums.merge(&asked(&["ece:bins=20"]).sums(&sample).unwrap()).is_err());
        sums.add(&f, &[0, 1]).unwrap();
        let missing = one.measure_stream(&sample, 3, &sums).unwrap_err();
        assert_eq!(missing.to_string(), "of 3 rows, 2 were added up");
    }
}
