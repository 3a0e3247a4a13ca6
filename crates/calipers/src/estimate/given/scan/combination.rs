//! Segments of one to three features, and what labels say of them.

use std::ops::AddAssign;

use super::coded::{Coded, Range};
use super::labels::{Class, Drawings, LANES, Rows};
use crate::numeric::simd::widely;

/// The z at which a segment is expected to be off, if it is.
const EXPECTED: f32 = 4.5;

/// A segment has at least so much variance under calibration, and so many rows.
const LEAST_VARIANCE: f64 = 3.0;
const FEWEST: f64 = 9.5;

/// A smooth direction has at least so much.
const LEAST_ALONG: f64 = 0.03;

/// No likelihood ratio is larger than e to this: a z of 20.
const LARGEST: f32 = 80.0;

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
    /// Adds what another class shows.
    pub fn add(&mut self, other: Self) {
        self.segments += other.segments;
        self.smooth =
            other.smooth.map(|smooth| smooth + self.smooth.unwrap_or(0.0)).or(self.smooth);
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
        // Loops rather than `for_each`, which would be compiled apart, without vectors.
        if b.is_empty() {
            for row in rows {
                visit(row, a[row] as usize * first);
            }
        } else if c.is_empty() {
            for row in rows {
                visit(row, a[row] as usize * first + b[row] as usize * second);
            }
        } else {
            for row in rows {
                visit(row, a[row] as usize * first + b[row] as usize * second + c[row] as usize);
            }
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

    /// What each of some drawings says, of the class at a place among those that are counted.
    pub fn outcomes(
        &self,
        coded: &[&Coded],
        drawings: &Drawings,
        place: usize,
        rows: &Rows,
    ) -> [Outcome; LANES] {
        let counts = counted(coded, &drawings.of_class[place], rows);
        let mut found = [Outcome::default(); LANES];
        if let Some(((mean, scale), centres)) = self.along.zip(along(coded)) {
            for (lane, found) in found.iter_mut().enumerate() {
                let along = counts
                    .iter()
                    .zip(&centres)
                    .map(|(count, centre)| f64::from(count[lane]) * centre);
                let z = (along.sum::<f64>() - mean) * scale;
                found.smooth = Some(f64::from(ratio(z.abs() as f32)));
            }
        }
        let mut segments = self.segments.iter();
        let mut sums = [0.0f32; LANES];
        widely(
            LANES * counts.len(),
            #[inline(always)]
            || {
                ranges(
                    coded,
                    &counts,
                    #[inline(always)]
                    |counts, _| {
                        if let Some(segment) = segments.next()
                            && segment.weight > 0.0
                        {
                            segment.add(&counts, &mut sums);
                        }
                    },
                );
            },
        );
        found.iter_mut().zip(sums).for_each(|(found, sum)| found.segments = f64::from(sum));
        found
    }
}

impl Segment {
    /// Adds what each drawing's count says.
    #[inline(always)]
    fn add(&self, counts: &[f32; LANES], sums: &mut [f32; LANES]) {
        let (g, expected) = (self.skew, self.expected as f32);
        for (sum, count) in sums.iter_mut().zip(counts) {
            let z = (count - expected) * self.scale;
            let h = z - g * z * z + g * g * z * z * z * (1.0 / 3.0) + g;
            *sum += self.weight * ratio(h.abs());
        }
    }
}

/// How many rows of a class, by weight, lie in each cell, in each drawing. Counts of up to 2²⁴ rows are exact.
fn counted(coded: &[&Coded], labels: &[[u8; LANES]], rows: &Rows) -> Vec<[f32; LANES]> {
    let places = Places::of(coded);
    let mut sums = vec![[0.0f32; LANES]; places.count];
    if let Some(weights) = &rows.weights {
        places.each(0..rows.count(), |row, cell| {
            let weight = weights[row] as f32;
            let both = sums[cell].iter_mut().zip(&labels[row]);
            both.for_each(|(sum, &label)| *sum += weight * f32::from(label));
        });
        return sums;
    }
    // Short numbers are added up faster, for as many rows as they can count.
    let mut short = vec![[0u16; LANES]; places.count];
    for from in (0..rows.count()).step_by(usize::from(u16::MAX)) {
        let to = rows.count().min(from + usize::from(u16::MAX));
        widely(
            LANES * (to - from),
            #[inline(always)]
            || {
                places.each(
                    from..to,
                    #[inline(always)]
                    |row, cell| {
                        let (counts, labels) = (&mut short[cell], &labels[row]);
                        for (count, &label) in counts.iter_mut().zip(labels) {
                            *count += u16::from(label);
                        }
                    },
                );
            },
        );
        for (sums, counts) in sums.iter_mut().zip(&mut short) {
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += f32::from(std::mem::take(count));
            }
        }
    }
    sums
}

/// How much likelier an |h| is where it is expected than where nothing is off.
#[inline(always)]
fn ratio(h: f32) -> f32 {
    exp((EXPECTED * h - 0.5 * EXPECTED * EXPECTED).min(LARGEST))
}

/// e to a number from −20 to 80, to five digits, by operations that vectors have: 2 to the whole part, by the bits
/// of a number, times a polynomial of the rest.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // So large that its last bit is 1: added and taken away again it rounds, and leaves the whole part in the bits.
    const ROUND: f32 = 12_582_912.0;
    let scaled = x.max(-20.0) * std::f32::consts::LOG2_E;
    let rounded = scaled + ROUND;
    let rest = (scaled - (rounded - ROUND)) * std::f32::consts::LN_2;
    // Taylor's, for |rest| <= ln(2)/2.
    let series =
        1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest / 120.0))));
    f32::from_bits(rounded.to_bits().wrapping_add(127) << 23) * series
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
#[inline(always)]
fn ranges<T: Copy + Default + AddAssign, const N: usize>(
    coded: &[&Coded],
    cells: &[[T; N]],
    mut visit: impl FnMut([T; N], f64),
) {
    let whole = [Range { from: 0, to: 1, weight: 1.0 }];
    let of = |at: usize| coded.get(at).map_or(&whole[..], |coded| &coded.ranges[..]);
    let count = |at: usize| coded.get(at).map_or(1, |coded| coded.cells);
    let (second, third) = (count(1), count(2));
    let mut plane = vec![[T::default(); N]; second * third];
    let mut line = vec![[T::default(); N]; third];
    for a in of(0) {
        add_up(&mut plane, cells, second * third, a);
        for b in of(1) {
            add_up(&mut line, &plane, third, b);
            for c in of(2) {
                let mut sums = [T::default(); N];
                for cell in &line[c.from..c.to] {
                    sums.iter_mut().zip(cell).for_each(|(sum, own)| *sum += *own);
                }
                visit(sums, a.weight * b.weight * c.weight);
            }
        }
    }
}

/// Writes the sums over a range of slices of so many cells.
#[inline(always)]
fn add_up<T: Copy + Default + AddAssign, const N: usize>(
    to: &mut [[T; N]],
    from: &[[T; N]],
    size: usize,
    range: &Range,
) {
    to.fill([T::default(); N]);
    for slice in from[range.from * size..range.to * size].chunks_exact(size) {
        for (sum, own) in to.iter_mut().zip(slice) {
            sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += *own);
        }
    }
}
