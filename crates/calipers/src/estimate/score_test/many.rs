//! More than two classes: each row's label is drawn by itself.

use rand::Rng;
use rayon::prelude::*;

use super::alias::Alias;
use super::{LANES, groups};
use crate::estimate::Problem;
use crate::numeric::simplex::floored_ln;
use crate::numeric::solve::Cholesky;
use crate::run::stop;

/// How much the term of all classes together counts, in units of the classes' terms: enough to be
/// seen among the noise of all of them.
pub(super) const TOGETHER: f64 = 2.0;

/// Numbers (rows × classes) whose tables are held at once: they stay in a near cache.
const NUMBERS: usize = 1 << 12;

/// The functions w and w z of a label.
const FUNCTIONS: usize = 2;

/// Both are whole numbers of this many to 1, where the largest weight is 1, and are added up together, in
/// one word: w from this bit on. Of so many rows their sums keep apart, since z is not below −14.
const UNITS: f64 = 65_536.0;
const FIRST_BIT: u32 = 33;
const ROWS_OF_A_WORD: usize = 1 << 12;

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

/// What a row adds to the sums of each class, if that is its label.
struct Table {
    classes: Alias,
    adds: Vec<i64>,
}

/// Sums of some drawings: for each and each class, those of the last rows in one word, and all others.
struct Drawn<R> {
    draws: R,
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
            expected: vec![[0.0; FUNCTIONS]; classes],
            information: Vec::new(),
            together: 0.0,
        };
        let mut buffer = vec![0.0; classes];
        let mut information = vec![[0.0; FUNCTIONS * FUNCTIONS]; classes];
        for row in (0..problem.rows()).take_while(|&row| !stop::requested_at(row)) {
            let weight = problem.weight(row) * this.scale;
            let (mut mean, mut square) = (0.0, 0.0);
            let f = problem.prediction(row, &mut buffer);
            let sums = this.expected.iter_mut().zip(&mut information);
            for (&p, (expected, information)) in f.iter().zip(sums) {
                let [one, other] = unpack(add(weight, p));
                let spread = p * (1.0 - p);
                expected[0] += one * p;
                expected[1] += other * p;
                information[0] += spread * one * one;
                information[1] += spread * one * other;
                information[3] += spread * other * other;
                mean += p * other;
                square += p * other * other;
            }
            this.together += (square - mean * mean).max(0.0);
        }
        let factors = information.iter_mut().map(|block| {
            block[2] = block[1];
            Cholesky::with_ridge(block, FUNCTIONS)
        });
        this.information = factors.collect();
        this
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
            let added = unpack(add(weight * self.scale, p));
            sums[label].iter_mut().zip(added).for_each(|(sum, added)| *sum += added);
        }
        self.value(&sums)
    }

    /// T of so many sets of labels drawn from f.
    pub fn drawn(&self, draws: usize, seed: u64) -> Vec<f64> {
        let classes = self.problem.classes();
        let mut all = groups(draws, seed, |draws| Drawn {
            draws,
            rows: 0,
            words: vec![0; LANES * classes],
            sums: vec![[0.0; FUNCTIONS]; LANES * classes],
        });
        let rows: Vec<usize> =
            (0..self.problem.rows()).filter(|&row| self.problem.weight(row) > 0.0).collect();
        for some in rows.chunks((NUMBERS / classes).max(8)) {
            if stop::requested() {
                break;
            }
            let tables: Vec<Table> = some.par_iter().map(|&row| self.table(row)).collect();
            all.par_iter_mut().for_each(|drawn| drawn.add(&tables, classes));
        }
        let each = all.into_par_iter().flat_map_iter(|mut drawn| {
            drawn.flush();
            let values: Vec<f64> =
                drawn.sums.chunks_exact(classes).map(|sums| self.value(sums)).collect();
            values
        });
        let mut values: Vec<f64> = each.collect();
        values.truncate(draws);
        values
    }

    fn table(&self, row: usize) -> Table {
        let mut buffer = vec![0.0; self.problem.classes()];
        let weight = self.problem.weight(row) * self.scale;
        let f = self.problem.prediction(row, &mut buffer);
        Table { classes: Alias::new(f), adds: f.iter().map(|&p| add(weight, p)).collect() }
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

impl<R: Rng> Drawn<R> {
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

    /// Takes the words apart.
    fn flush(&mut self) {
        for (word, sums) in self.words.iter_mut().zip(&mut self.sums) {
            let added = unpack(std::mem::take(word));
            sums.iter_mut().zip(added).for_each(|(sum, added)| *sum += added);
        }
    }
}

/// w and w z of a label, in one word.
fn add(weight: f64, p: f64) -> i64 {
    let units = |value: f64| (value * UNITS).round() as i64;
    (units(weight) << FIRST_BIT) + units(weight * floored_ln(p))
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
            let one = unpack(add(weight, p));
            assert!((one[0] - weight).abs() <= 0.5 / UNITS);
            assert!((one[1] - weight * floored_ln(p)).abs() <= 0.5 / UNITS);
            let sum = unpack((0..ROWS_OF_A_WORD).map(|_| add(weight, p)).sum());
            for (sum, one) in sum.iter().zip(one) {
                assert!((sum - one * ROWS_OF_A_WORD as f64).abs() < 1e-9, "{weight} {p}");
            }
        }
    }
}
