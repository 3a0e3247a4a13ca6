//! More than two classes: each row's label is drawn by itself.

use fearless_simd::{Level, dispatch};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::ladder::Ladder;
use super::{LANES, groups};
use crate::estimate::Problem;
use crate::numeric::random::derive_seed;
use crate::numeric::simd::{ln_in_place, sum_of, widely};
use crate::numeric::simplex::{FLOOR, floored_ln};
use crate::numeric::solve::Cholesky;
use crate::run::stop;

/// How much the term of all classes together counts, in units of the classes' terms: enough to be
/// seen among the noise of all of them.
pub(super) const TOGETHER: f64 = 2.0;

/// Numbers (rows × classes) whose tables are held at once: they stay in a near cache.
const NUMBERS: usize = 1 << 12;

/// Numbers that a thread has to itself at the least, and how many parts of the rows there are at the most.
const PART: usize = 1 << 15;
const PARTS: usize = 16;

/// The functions w and w z of a label.
const FUNCTIONS: usize = 2;

/// Both are whole numbers of this many to 1, where the largest weight is 1, and are added up together, in
/// one word: w from this bit on. Of so many rows their sums keep apart, since z is not below −14.
const UNITS: f64 = 65_536.0;
const FIRST_BIT: u32 = 33;
const ROWS_OF_A_WORD: usize = 1 << 12;

/// Added to a number of less than 2⁵¹, this leaves it as a whole number in the last bits.
const ROUNDER: f64 = 1.5 * (1u64 << 52) as f64;

/// What is the same for all drawings.
pub(super) struct Many<'a, 'p> {
    problem: &'a Problem<'p>,
    /// 1 over the largest weight.
    scale: f64,
    /// For each class, Σ φ f.
    expected: Vec<[f64; FUNCTIONS]>,
    /// The Cholesky factors of I_c; none for a class that no row gives a probability.
    information: Vec<Option<Cholesky>>,
    /// The variance of the term of all classes together.
    together: f64,
}

/// What some rows contribute to mean and variance under calibration: for each class Σ f φ of both functions,
/// and Σ f (1 − f) of the products of two of them; and the variance of the term of all classes.
struct Moments {
    expected: [Vec<f64>; FUNCTIONS],
    information: [Vec<f64>; 3],
    together: f64,
}

/// What a row adds to the sums of each class, if that is its label.
struct Table {
    classes: Ladder,
    adds: Vec<i64>,
}

/// Sums of some drawings: for each and each class, those of the last rows in one word, and all others.
struct Drawn {
    draws: ChaCha8Rng,
    rows: usize,
    words: Vec<i64>,
    sums: Vec<[f64; FUNCTIONS]>,
}

impl<'a, 'p> Many<'a, 'p> {
    pub fn new(problem: &'a Problem<'p>) -> Self {
        let classes = problem.classes();
        let largest = (0..problem.rows()).map(|row| problem.weight(row)).fold(0.0, f64::max);
        let mut this = Self {
            problem,
            scale: 1.0 / largest.max(f64::MIN_POSITIVE),
            expected: Vec::new(),
            information: Vec::new(),
            together: 0.0,
        };
        let parts = this.parts().into_par_iter().map(|rows| this.moments(rows));
        let mut all = Moments::zero(classes);
        parts.collect::<Vec<_>>().iter().for_each(|part| all.add(part));
        let [ones, others] = &all.expected;
        this.expected = ones.iter().zip(others).map(|(one, other)| [*one, *other]).collect();
        this.together = all.together;
        let [first, both, second] = &all.information;
        let blocks = first.iter().zip(both).zip(second);
        this.information = blocks
            .map(|((&first, &both), &second)| {
                Cholesky::with_ridge(&[first, both, both, second], FUNCTIONS)
            })
            .collect();
        this
    }

    /// The rows in as many parts as threads may share: the same ones on any number of them.
    fn parts(&self) -> Vec<std::ops::Range<usize>> {
        let rows = self.problem.rows();
        let least = PART.div_ceil(self.problem.classes());
        let size = rows.div_ceil(PARTS).max(least);
        (0..rows).step_by(size).map(|from| from..rows.min(from + size)).collect()
    }

    /// What some rows contribute to mean and variance.
    fn moments(&self, rows: std::ops::Range<usize>) -> Moments {
        let classes = self.problem.classes();
        let mut sums = Moments::zero(classes);
        let (mut buffer, mut steps) = (vec![0.0; classes], vec![0.0; classes]);
        for row in rows.take_while(|&row| !stop::requested_at(row)) {
            let f = self.problem.prediction(row, &mut buffer);
            let weight = self.problem.weight(row) * self.scale;
            self.steps(f, weight, &mut steps);
            sums.add_row(f, rounded(weight * UNITS) / UNITS, &steps);
        }
        sums
    }

    /// w z of each class of a row, as it is added up.
    fn steps(&self, f: &[f64], weight: f64, steps: &mut [f64]) {
        steps.iter_mut().zip(f).for_each(|(step, f)| *step = f.max(FLOOR));
        dispatch!(Level::new(), simd => ln_in_place(simd, steps));
        widely(
            steps.len(),
            #[inline(always)]
            || {
                steps.iter_mut().for_each(|log| *log = rounded(weight * *log * UNITS) / UNITS);
            },
        );
    }

    /// T of the observed labels; infinite if one of them was impossible.
    pub fn observed(&self) -> f64 {
        let classes = self.problem.classes();
        let mut sums = vec![[0.0; FUNCTIONS]; classes];
        let mut buffer = vec![0.0; classes];
        for row in 0..self.problem.rows() {
            let (weight, label) = (self.problem.weight(row), self.problem.label(row));
            let p = self.problem.prediction(row, &mut buffer)[label];
            if p <= 0.0 && weight > 0.0 {
                return f64::INFINITY;
            }
            let weight = weight * self.scale;
            let added = unpack(pack(weight, rounded(weight * floored_ln(p) * UNITS) / UNITS));
            sums[label].iter_mut().zip(added).for_each(|(sum, added)| *sum += added);
        }
        self.value(&sums)
    }

    /// T of so many sets of labels drawn from f. Every part of the rows has random streams of its own, and
    /// what is added up are whole numbers, so that the parts may come in any order.
    pub fn drawn(&self, draws: usize, seed: u64) -> Vec<f64> {
        let classes = self.problem.classes();
        let parts = self.parts().into_par_iter().enumerate();
        let sums = parts
            .map(|(part, rows)| self.drawn_of(rows, draws, derive_seed(seed, &[part as u64])))
            .reduce_with(|mut all, part| {
                all.iter_mut().zip(&part).for_each(|(all, part)| {
                    all.iter_mut().zip(part).for_each(|(all, part)| *all += part);
                });
                all
            })
            .unwrap_or_default();
        sums.par_chunks_exact(classes).take(draws).map(|sums| self.value(sums)).collect()
    }

    /// The sums of some rows, drawing after drawing, class after class.
    fn drawn_of(
        &self,
        rows: std::ops::Range<usize>,
        draws: usize,
        seed: u64,
    ) -> Vec<[f64; FUNCTIONS]> {
        let classes = self.problem.classes();
        let mut all = groups(draws, seed, |draws| Drawn {
            draws,
            rows: 0,
            words: vec![0; LANES * classes],
            sums: vec![[0.0; FUNCTIONS]; LANES * classes],
        });
        let rows: Vec<usize> = rows.filter(|&row| self.problem.weight(row) > 0.0).collect();
        for some in rows.chunks((NUMBERS / classes).max(8)) {
            if stop::requested() {
                break;
            }
            let tables: Vec<Table> = some.iter().map(|&row| self.table(row)).collect();
            all.iter_mut().for_each(|drawn| drawn.add(&tables, classes));
        }
        all.into_iter().flat_map(Drawn::into_sums).collect()
    }

    fn table(&self, row: usize) -> Table {
        let classes = self.problem.classes();
        let (mut buffer, mut steps) = (vec![0.0; classes], vec![0.0; classes]);
        let weight = self.problem.weight(row) * self.scale;
        let f = self.problem.prediction(row, &mut buffer);
        self.steps(f, weight, &mut steps);
        let adds = steps.iter().map(|&step| pack(weight, step)).collect();
        Table { classes: Ladder::new(f), adds }
    }

    /// T from Σ φ(f_Y) over the labels of each class.
    fn value(&self, sums: &[[f64; FUNCTIONS]]) -> f64 {
        let (mut total, mut together) = (0.0, 0.0);
        for ((sums, expected), information) in
            sums.iter().zip(&self.expected).zip(&self.information)
        {
            let mut residual = [sums[0] - expected[0], sums[1] - expected[1]];
            together += residual[1];
            if let Some(information) = information {
                information.solve_lower(&mut residual);
                total += residual.iter().map(|x| x * x).sum::<f64>();
            }
        }
        if self.together > 0.0 {
            let share = TOGETHER * (sums.len() as f64).sqrt();
            total += share * together * together / self.together;
        }
        total
    }
}

impl Drawn {
    /// Draws the labels of some rows.
    fn add(&mut self, tables: &[Table], classes: usize) {
        for Table { classes: table, adds } in tables {
            let words: [u64; LANES / 2] = std::array::from_fn(|_| self.draws.next_u64());
            for (pair, word) in self.words.chunks_exact_mut(2 * classes).zip(words) {
                let (first, second) = pair.split_at_mut(classes);
                let class = table.draw(word as u32, &mut self.draws) as usize;
                first[class] += adds[class];
                let class = table.draw((word >> 32) as u32, &mut self.draws) as usize;
                second[class] += adds[class];
            }
            self.rows += 1;
            if self.rows.is_multiple_of(ROWS_OF_A_WORD) {
                self.flush();
            }
        }
    }

    /// All that was added up.
    fn into_sums(mut self) -> Vec<[f64; FUNCTIONS]> {
        self.flush();
        self.sums
    }

    /// Takes the words apart.
    fn flush(&mut self) {
        for (word, sums) in self.words.iter_mut().zip(&mut self.sums) {
            let added = unpack(std::mem::take(word));
            sums.iter_mut().zip(added).for_each(|(sum, added)| *sum += added);
        }
    }
}

impl Moments {
    fn zero(classes: usize) -> Self {
        Self {
            expected: [(); FUNCTIONS].map(|()| vec![0.0; classes]),
            information: [(); 3].map(|()| vec![0.0; classes]),
            together: 0.0,
        }
    }

    /// Adds a row: its probabilities, its w, and w z of each class.
    fn add_row(&mut self, f: &[f64], one: f64, steps: &[f64]) {
        let [ones, others] = &mut self.expected;
        let [first, both, second] = &mut self.information;
        let count = f.len();
        let (ones, others, steps) = (&mut ones[..count], &mut others[..count], &steps[..count]);
        let (first, both) = (&mut first[..count], &mut both[..count]);
        let second = &mut second[..count];
        widely(
            count,
            #[inline(always)]
            || {
                for class in 0..count {
                    let (p, other) = (f[class], steps[class]);
                    let spread = p * (1.0 - p);
                    ones[class] += one * p;
                    others[class] += other * p;
                    first[class] += spread * one * one;
                    both[class] += spread * one * other;
                    second[class] += spread * other * other;
                }
            },
        );
        let (mean, square) = widely(
            count,
            #[inline(always)]
            || (sum_of(f, steps, |p, z| p * z), sum_of(f, steps, |p, z| p * z * z)),
        );
        self.together += (square - mean * mean).max(0.0);
    }

    fn add(&mut self, other: &Self) {
        let own = self.expected.iter_mut().chain(&mut self.information);
        for (own, other) in own.zip(other.expected.iter().chain(&other.information)) {
            own.iter_mut().zip(other).for_each(|(own, other)| *own += other);
        }
        self.together += other.together;
    }
}

/// The nearest whole number.
#[inline(always)]
fn rounded(value: f64) -> f64 {
    (value + ROUNDER) - ROUNDER
}

/// w and w z of a label, in one word; w z is a whole number of units.
#[inline(always)]
fn pack(weight: f64, step: f64) -> i64 {
    let units = |value: f64| (value * UNITS + ROUNDER).to_bits() as i64 - ROUNDER.to_bits() as i64;
    (units(weight) << FIRST_BIT) + units(step)
}

/// The sums of w and of w z, which is at most 0, so that the word is below a multiple of w's unit.
fn unpack(word: i64) -> [f64; FUNCTIONS] {
    let weights = (word + (1 << FIRST_BIT) - 1) >> FIRST_BIT;
    [weights as f64 / UNITS, (word - (weights << FIRST_BIT)) as f64 / UNITS]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both parts of as many words as are added up come back, of the largest numbers there are as well.
    #[test]
    fn sums_in_one_word_keep_apart() {
        for (weight, p) in [(1.0, 0.0), (1.0, 1.0), (1e-5, 0.5), (0.25, 1e-3), (0.0, 0.5)] {
            let step = rounded(weight * floored_ln(p) * UNITS) / UNITS;
            let one = unpack(pack(weight, step));
            assert!((one[0] - weight).abs() <= 0.5 / UNITS);
            assert!((one[1] - weight * floored_ln(p)).abs() <= 0.5 / UNITS);
            assert_eq!(one[1].to_bits(), (step + 0.0).to_bits());
            let sum = unpack((0..ROWS_OF_A_WORD).map(|_| pack(weight, step)).sum());
            for (sum, one) in sum.iter().zip(one) {
                assert!((sum - one * ROWS_OF_A_WORD as f64).abs() < 1e-9, "{weight} {p}");
            }
        }
    }
}
