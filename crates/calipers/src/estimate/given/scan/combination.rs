//! Segments of one to three features, and what labels say of them.

use super::coded::{Coded, Range};
use super::labels::{Class, Rows};

/// The z at which a segment is expected to be off, if it is.
const EXPECTED: f64 = 4.5;

/// A segment has at least so much variance under calibration, and so many rows.
const LEAST_VARIANCE: f64 = 3.0;
const FEWEST: f64 = 9.5;

/// A smooth direction has at least so much.
const LEAST_ALONG: f64 = 0.03;

/// Below this z a segment says nothing that would count.
const SILENT: f64 = 0.5;

/// No likelihood ratio is larger than e to this.
const LARGEST: f64 = 600.0;

/// One class in the segments of some features: for each condition on the first, the second, the third.
///
/// A segment's z is the number of its rows of the class, less what f says, in units of the standard deviation
/// under calibration, corrected for its skewness g: h = z − g z² + g² z³/3 + g. What speaks for it is the ratio
/// exp(4.5 |h| − 4.5²/2) of likelihoods at h and at 0, and the combination's own is the mean over its segments:
/// less is lost by adding them all up than by taking the largest, which is but one of many (as
/// `make study NAME=features` shows).
///
/// ## Reference
/// Hall, *On the removal of skewness by transformation*, 1992.
pub(super) struct Combination {
    segments: Vec<Segment>,
    /// Σ w f along the product of the features' ranks, and one over its standard deviation.
    along: Option<(f64, f64)>,
}

#[derive(Clone, Copy)]
struct Segment {
    expected: f64,
    scale: f32,
    skew: f32,
    /// 0 if there is too little of it.
    weight: f32,
}

/// What labels say: means of likelihood ratios.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Outcome {
    pub segments: f64,
    /// Of an error that is linear in the feature, or in the product of two; none for categories.
    pub smooth: Option<f64>,
}

impl Outcome {
    /// The mean of several.
    pub fn mean(all: impl Iterator<Item = Self>) -> Self {
        let (mut sum, mut count) = (Self::default(), 0.0);
        for one in all {
            sum.segments += one.segments;
            sum.smooth = one.smooth.map(|smooth| smooth + sum.smooth.unwrap_or(0.0)).or(sum.smooth);
            count += 1.0;
        }
        let count = f64::max(count, 1.0);
        Self { segments: sum.segments / count, smooth: sum.smooth.map(|smooth| smooth / count) }
    }
}

/// Where a row's cell is among all.
struct Places<'a> {
    columns: [&'a [u8]; 3],
    strides: [usize; 3],
    count: usize,
}

impl<'a> Places<'a> {
    fn of(coded: &[&'a Coded]) -> Self {
        let cells = |at: usize| coded.get(at).map_or(1, |coded| coded.cells);
        let column = |at: usize| coded.get(at).map_or(&[][..], |coded| &coded.of_row[..]);
        Self {
            columns: [column(0), column(1), column(2)],
            strides: [cells(1) * cells(2), cells(2), 1],
            count: cells(0) * cells(1) * cells(2),
        }
    }

    /// Visits the cell of each row.
    #[inline(always)]
    fn each(&self, rows: impl Iterator<Item = usize>, mut visit: impl FnMut(usize, usize)) {
        let [a, b, c] = self.columns;
        let [first, second, _] = self.strides;
        match (b.is_empty(), c.is_empty()) {
            (true, _) => rows.for_each(|row| visit(row, a[row] as usize * first)),
            (_, true) => rows.for_each(|row| {
                visit(row, a[row] as usize * first + b[row] as usize * second);
            }),
            _ => rows.for_each(|row| {
                visit(row, a[row] as usize * first + b[row] as usize * second + c[row] as usize);
            }),
        }
    }
}

impl Combination {
    pub fn new(coded: &[&Coded], class: &Class, rows: &Rows) -> Self {
        let places = Places::of(coded);
        let mut cells = vec![[0.0f64; 4]; places.count];
        places.each(0..rows.count(), |row, cell| {
            let (f, variance, weight) = (class.f[row], class.variance[row], rows.weight(row));
            let terms = [weight * f, variance, weight * variance * (1.0 - 2.0 * f), 1.0];
            cells[cell].iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        });
        let along = along(coded).and_then(|centres| {
            let (mut mean, mut variance) = (0.0, 0.0);
            for (cell, centre) in cells.iter().zip(&centres) {
                mean += centre * cell[0];
                variance += centre * centre * cell[1];
            }
            (variance >= LEAST_ALONG).then(|| (mean, 1.0 / variance.sqrt()))
        });
        let mut segments = Vec::new();
        let mut total = 0.0;
        ranges(coded, &cells, |[expected, variance, cubes, count], weight| {
            let enough = variance >= LEAST_VARIANCE && count >= FEWEST;
            let weight = if enough { weight } else { 0.0 };
            total += weight;
            let variance = variance.max(f64::MIN_POSITIVE);
            segments.push(Segment {
                expected,
                scale: (1.0 / variance.sqrt()) as f32,
                skew: (cubes / variance.powf(1.5) / 6.0) as f32,
                weight: weight as f32,
            });
        });
        if total > 0.0 {
            segments.iter_mut().for_each(|segment| segment.weight /= total as f32);
        }
        Self { segments, along }
    }

    /// What the rows of the class in a drawing say.
    pub fn outcome(
        &self,
        coded: &[&Coded],
        of_class: &[u32],
        rows: &Rows,
        counts: &mut Vec<[f64; 1]>,
    ) -> Outcome {
        let places = Places::of(coded);
        counts.clear();
        counts.resize(places.count, [0.0]);
        let own = of_class.iter().map(|&row| row as usize);
        match &rows.weights {
            None => places.each(own, |_, cell| counts[cell][0] += 1.0),
            Some(weights) => places.each(own, |row, cell| counts[cell][0] += weights[row]),
        }
        let smooth = self.along.zip(along(coded)).map(|((mean, scale), centres)| {
            let sum: f64 =
                counts.iter().zip(&centres).map(|([count], centre)| count * centre).sum();
            ratio((sum - mean) * scale)
        });
        let mut segments = self.segments.iter();
        let mut sum = 0.0;
        ranges(coded, counts, |[count], _| {
            let Some(segment) = segments.next() else { return };
            if segment.weight > 0.0 {
                let z = (count - segment.expected) * f64::from(segment.scale);
                if z.abs() > SILENT {
                    let g = f64::from(segment.skew);
                    let h = z - g * z * z + g * g * z * z * z / 3.0 + g;
                    sum += f64::from(segment.weight) * ratio(h);
                }
            }
        });
        Outcome { segments: sum, smooth }
    }
}

/// How much likelier h is where it is expected than where nothing is off.
#[inline]
fn ratio(h: f64) -> f64 {
    (EXPECTED * h.abs() - 0.5 * EXPECTED * EXPECTED).min(LARGEST).exp()
}

/// The product of one or two numbers' ranks in each cell.
fn along(coded: &[&Coded]) -> Option<Vec<f64>> {
    match coded {
        [one] => one.centres.clone(),
        [one, other] => {
            let (one, other) = (one.centres.as_ref()?, other.centres.as_ref()?);
            Some(one.iter().flat_map(|a| other.iter().map(move |b| a * b)).collect())
        }
        _ => None,
    }
}

/// Visits the sums over cells of each segment, with its weight: those of a range of the first feature are taken
/// once for all ranges of the others.
fn ranges<const N: usize>(
    coded: &[&Coded],
    cells: &[[f64; N]],
    mut visit: impl FnMut([f64; N], f64),
) {
    let whole = [Range { from: 0, to: 1, weight: 1.0 }];
    let of = |at: usize| coded.get(at).map_or(&whole[..], |coded| &coded.ranges[..]);
    let count = |at: usize| coded.get(at).map_or(1, |coded| coded.cells);
    let (second, third) = (count(1), count(2));
    let mut plane = vec![[0.0; N]; second * third];
    let mut line = vec![[0.0; N]; third];
    for a in of(0) {
        add_up(&mut plane, cells, second * third, a);
        for b in of(1) {
            add_up(&mut line, &plane, third, b);
            for c in of(2) {
                let mut sums = [0.0; N];
                for cell in &line[c.from..c.to] {
                    sums.iter_mut().zip(cell).for_each(|(sum, own)| *sum += own);
                }
                visit(sums, a.weight * b.weight * c.weight);
            }
        }
    }
}

/// Writes the sums over a range of slices of so many cells.
#[inline(always)]
fn add_up<const N: usize>(to: &mut [[f64; N]], from: &[[f64; N]], size: usize, range: &Range) {
    to.fill([0.0; N]);
    for slice in from[range.from * size..range.to * size].chunks_exact(size) {
        for (sum, own) in to.iter_mut().zip(slice) {
            sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
    }
}
